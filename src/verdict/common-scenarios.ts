/** The scenarios that are switched on for all projects: their deeds and expectations, summed over all of them. */
import type { NewEntry } from '../journal/journal.ts';
import type { CompiledScenario } from '../scenarios/compile.ts';
import { judge, tally, toWish } from '../scenarios/expect.ts';
import type { World } from '../world.ts';
import type { Worlds } from '../worlds.ts';
import { addDeeds, createFate, type Fate, toRuleVerdict } from './fate.ts';
import type { Outcome, ScenarioVerdict } from './verdict.ts';

export interface CommonScenarios {
  /** Adds what one project tells of those that are in force now. */
  take(world: World, requests: () => readonly NewEntry[]): void;
  /** `came`: how many requests there were in all. */
  verdicts(came: number): readonly ScenarioVerdict[];
}

/** One text of a scenario, over all the times that it was in force. */
interface Version {
  readonly scenario: CompiledScenario;
  /** What it means that a rule never acted: those of the start were meant to be tried, those of a moment need not be. */
  readonly ifIdle: Outcome;
  readonly fates: readonly Fate[];
  readonly counts: number[];
}

export function createCommonScenarios(worlds: Pick<Worlds, 'rulesOf' | 'serverScenarios'>): CommonScenarios {
  const versions = new Map<string, Version>();
  for (const scenario of worlds.serverScenarios) versionOf(scenario, 'failed');

  function versionOf(scenario: CompiledScenario, ifIdle: Outcome = 'left out'): Version {
    const text = JSON.stringify(scenario.source);
    const { rules, expectations } = scenario;
    const known = versions.get(text) ?? {
      scenario,
      ifIdle,
      fates: rules.map(createFate),
      counts: expectations.map(() => 0),
    };
    versions.set(text, known);
    return known;
  }

  return {
    take: (world, requests) => {
      const since = world.data.activations.get('server')?.change ?? 0;
      const { rules, expectations } = worlds.rulesOf(world);
      const fates = new Map<string, Fate>();
      for (const { key, rule } of rules.filter(isFirst)) {
        const scenario = worlds.serverScenarios.find((one) => one.rules.includes(rule));
        const fate = scenario && versionOf(scenario).fates[scenario.rules.indexOf(rule)];
        if (fate) fates.set(key, fate);
      }
      addDeeds(fates, world.data.ruleCounts, () => requests().filter(({ evidence }) => evidence.change > since));
      for (const scoped of expectations.filter(isFirst)) {
        const scenario = worlds.serverScenarios.find((one) => one.expectations.includes(scoped.expectation));
        if (!scenario) continue;
        const { counts } = versionOf(scenario);
        const place = scenario.expectations.indexOf(scoped.expectation);
        counts[place] = (counts[place] ?? 0) + tally(scoped, world.data);
      }
    },
    verdicts: (came) => [...versions.values()].map((version) => toVerdict(version, came)),
  };
}

/** One that was named twice stands in its own shade: the first is the one that acts. */
function isFirst({ key, layer }: { readonly key: string; readonly layer: string }): boolean {
  return layer === 'server' && !key.includes('@');
}

function toVerdict({ scenario, ifIdle, fates, counts }: Version, came: number): ScenarioVerdict {
  return {
    name: scenario.name,
    projects: undefined,
    rules: fates.map((fate) => toRuleVerdict(fate, ifIdle, came)),
    expectations: scenario.expectations.map((expectation, place) => {
      const { met, why } = judge(expectation, counts[place] ?? 0);
      return { wish: toWish(expectation), outcome: met ? 'passed' : 'failed', why };
    }),
  };
}
