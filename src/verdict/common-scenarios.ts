/** The scenarios that are switched on for all projects: their deeds and expectations, summed over all of them. */
import type { NewEntry } from '../journal/journal.ts';
import { judge, tally, toWish } from '../scenarios/expect.ts';
import type { World } from '../world.ts';
import type { Worlds } from '../worlds.ts';
import { addDeeds, createFate, toRuleVerdict } from './fate.ts';
import type { ScenarioVerdict } from './verdict.ts';

export interface CommonScenarios {
  /** Adds what one project tells. */
  take(world: World, requests: () => readonly NewEntry[]): void;
  /** `came`: how many requests there were in all. */
  verdicts(came: number): readonly ScenarioVerdict[];
}

export function createCommonScenarios(worlds: Pick<Worlds, 'rulesOf' | 'serverScenarios'>): CommonScenarios {
  const { rules, expectations } = worlds.rulesOf(undefined);
  // One that was named twice stands in its own shade: the first is the one that acts.
  const isFirst = ({ key, layer }: { key: string; layer: string }): boolean => layer === 'server' && !key.includes('@');
  const fates = new Map(rules.filter(isFirst).map(({ key, rule }) => [key, createFate(rule)]));
  const counted = expectations.filter(isFirst).map((scoped) => ({ scoped, count: 0 }));
  const names = new Set(worlds.serverScenarios.map(({ name }) => name));

  function toVerdict(name: string, came: number): ScenarioVerdict {
    const own = [...fates.values()].filter(({ rule }) => rule.scenario === name);
    return {
      name,
      projects: undefined,
      rules: own.map((fate) => toRuleVerdict(fate, 'failed', came)),
      expectations: counted
        .filter(({ scoped }) => scoped.scenario === name)
        .map(({ scoped, count }) => {
          const { met, why } = judge(scoped.expectation, count);
          return { wish: toWish(scoped.expectation), outcome: met ? 'passed' : 'failed', why };
        }),
    };
  }

  return {
    take: ({ data }, requests) => {
      addDeeds(fates, data.ruleCounts, requests);
      for (const one of counted) one.count += tally(one.scoped, data);
    },
    verdicts: (came) => [...names].map((name) => toVerdict(name, came)),
  };
}
