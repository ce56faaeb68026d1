/** The scenarios that were switched on for single projects: each time is judged alone, as the control API would. */
import type { NewEntry } from '../journal/journal.ts';
import type { CompiledScenario } from '../scenarios/compile.ts';
import { judge, tally, toWish } from '../scenarios/expect.ts';
import type { World } from '../world.ts';
import type { Loss, Worlds } from '../worlds.ts';
import { addDeeds, createFate, type Fate, toRuleVerdict } from './fate.ts';
import { inOrder } from './in-order.ts';
import type { ExpectationVerdict, ScenarioVerdict } from './verdict.ts';

export interface OwnScenarios {
  /** Adds what a project tells of the scenarios that it has now. */
  take(world: World, what: Exclude<Loss, 'server scenarios'>, requests: () => readonly NewEntry[]): void;
  verdicts(): readonly ScenarioVerdict[];
}

/** An expectation over all the times that its scenario was switched on. */
interface Judged {
  readonly wish: string;
  times: number;
  /** How often it was not met. */
  unmet: number;
  /** Why not, the first time. */
  why: string | undefined;
}

/** One text of a scenario, wherever it was switched on. */
interface Version {
  readonly name: string;
  readonly projects: Set<string>;
  requests: number;
  readonly fates: readonly Fate[];
  readonly judged: readonly Judged[];
}

export function createOwnScenarios(worlds: Pick<Worlds, 'rulesOf'>): OwnScenarios {
  const versions = new Map<string, Version>();

  function versionOf({ name, rules, expectations, source }: CompiledScenario): Version {
    const text = JSON.stringify(source);
    const known = versions.get(text) ?? {
      name,
      projects: new Set<string>(),
      requests: 0,
      fates: rules.map(createFate),
      judged: expectations.map((expectation) => ({ wish: toWish(expectation), times: 0, unmet: 0, why: undefined })),
    };
    versions.set(text, known);
    return known;
  }

  function takeRules(world: World, requests: readonly NewEntry[]): void {
    const fates = new Map<string, Fate>();
    for (const { key, layer, rule } of worlds.rulesOf(world).rules) {
      if (layer !== 'project') continue;
      const scenario = world.scenarios.find(({ rules }) => rules.includes(rule));
      const fate = scenario && versionOf(scenario).fates[scenario.rules.indexOf(rule)];
      if (fate) fates.set(key, fate);
    }
    addDeeds(fates, world.data.ruleCounts, () => requests);
  }

  function takeExpectations(world: World): void {
    for (const scoped of worlds.rulesOf(world).expectations) {
      if (scoped.layer !== 'project') continue;
      const { expectation } = scoped;
      const scenario = world.scenarios.find(({ expectations }) => expectations.includes(expectation));
      const one = scenario && versionOf(scenario).judged[scenario.expectations.indexOf(expectation)];
      if (!one) continue;
      const { met, why } = judge(expectation, tally(scoped, world.data));
      one.times += 1;
      if (met) continue;
      one.unmet += 1;
      one.why ??= `in project ${world.id}: ${why}`;
    }
  }

  return {
    take: (world, what, requests) => {
      if (world.scenarios.length === 0) return;
      const since = world.data.activations.get('project')?.change ?? 0;
      const own = requests().filter(({ evidence }) => evidence.change > since);
      // Replaced before anything came, it was never meant to be tried.
      if (what === 'own scenarios' && own.length === 0) return;
      for (const scenario of new Set(world.scenarios)) {
        const version = versionOf(scenario);
        version.projects.add(world.id);
        version.requests += own.length;
      }
      takeRules(world, own);
      takeExpectations(world);
    },
    verdicts: () =>
      [...versions]
        .map(([text, version]) => ({ verdict: toVerdict(version), text }))
        .toSorted((a, b) => inOrder(toKey(a), toKey(b)))
        .map(({ verdict }) => verdict),
  };
}

function toKey({ verdict, text }: { readonly verdict: ScenarioVerdict; readonly text: string }): string {
  return [verdict.name, verdict.projects?.[0], text].join('\n');
}

function toVerdict({ name, projects, requests, fates, judged }: Version): ScenarioVerdict {
  return {
    name,
    projects: [...projects].toSorted(),
    rules: fates.map((fate) => toRuleVerdict(fate, 'left out', requests)),
    expectations: judged.map(toExpectationVerdict),
  };
}

function toExpectationVerdict({ wish, times, unmet, why }: Judged): ExpectationVerdict {
  if (why === undefined) return { wish, outcome: 'passed', why: times > 1 ? `${wish}: met all ${times} times` : wish };
  const more = unmet > 1 ? ` (and ${unmet - 1} more ${unmet === 2 ? 'time' : 'times'})` : '';
  return { wish, outcome: 'failed', why: why + more };
}
