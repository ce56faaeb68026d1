/** What a thousand active rules cost a request that none of them acts on. */

import { median } from '../rig/figures.ts';
import { reset, use } from './control.ts';
import { load } from './load.ts';
import { type Bench, type Measurement, playRounds } from './measurement.ts';
import { oneJob, project } from './payloads.ts';
import type { Goal, Row } from './row.ts';

const ruleCount = 1000;

/** The rules, and what is said of them. */
const kinds: readonly { readonly what: string; rule(n: number): object }[] = [
  { what: 'for other operations', rule: () => ({ when: { operation: 'asyncImportOrders' }, then: { latency: '0s' } }) },
  {
    what: 'for this one, each for an id',
    rule: (n) => ({ when: { operation: 'syncCreateJob', item: { id: `RULE-${n}` } }, then: { latency: '0s' } }),
  },
];

/** Throughput lost, in percent of that without rules. */
export function ruleCost(name: string, goal: Goal): Measurement {
  return { name, run: (bench) => measure(name, goal, bench) };
}

async function measure(name: string, goal: Goal, bench: Bench): Promise<readonly Row[]> {
  const payload = await oneJob();
  const { url, stop } = await bench.servers.sandbox();
  // Without rules and with those of each kind in turn, in one process, so that only they differ.
  const scenarios = [undefined, ...kinds.map(({ rule }) => toScenario(rule))];
  const rounds = await playRounds(bench, name, async () => {
    const rates: number[] = [];
    for (const scenario of scenarios) {
      await reset(url);
      await use(url, project, scenario);
      rates.push((await load(url, payload, { from: 0, isOurs: true })).perSecond);
    }
    return rates;
  });
  await stop();
  const ratesOf = (index: number): readonly number[] => rounds.map((rates) => rates[index] ?? Number.NaN);
  const without = ratesOf(0);
  const base = `${median(without).toFixed(0)}/s without`;
  return kinds.map(({ what }, index) => {
    const own = ratesOf(index + 1);
    const values = own.map((rate, round) => 100 * (1 - rate / (without[round] ?? Number.NaN)));
    return {
      what: `${name}, ${what}: loss`,
      values,
      unit: '%',
      goal,
      from: `${base}, ${median(own).toFixed(0)}/s with`,
    };
  });
}

function toScenario(rule: (n: number) => object): object {
  return { name: 'many-rules', rules: Array.from({ length: ruleCount }, (_, n) => rule(n)) };
}
