/** What a thousand active rules cost a request that none of them acts on. */
import { reset, use } from './control.ts';
import { median } from './figures.ts';
import { load, type Payload } from './load.ts';
import type { Bench, Measurement } from './measurement.ts';
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
  const rates = await playRounds(name, url, payload, bench);
  await stop();
  const [without = [], ...others] = rates;
  const base = `${median(without).toFixed(0)}/s without`;
  return kinds.map(({ what }, index) => {
    const own = others[index] ?? [];
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

/** Without rules and with those of each kind in turn, in one process, so that only they differ. */
async function playRounds(name: string, url: string, payload: Payload, { rounds, say }: Bench): Promise<number[][]> {
  const scenarios = [undefined, ...kinds.map(({ rule }) => toScenario(rule))];
  const rates = scenarios.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    say(`${name}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
    for (const [index, scenario] of scenarios.entries()) {
      await reset(url);
      await use(url, project, scenario);
      const { perSecond } = await load(url, payload, { from: 0, isOurs: true });
      if (round > 0) rates[index]?.push(perSecond);
    }
  }
  return rates;
}

function toScenario(rule: (n: number) => object): object {
  return { name: 'many-rules', rules: Array.from({ length: ruleCount }, (_, n) => rule(n)) };
}
