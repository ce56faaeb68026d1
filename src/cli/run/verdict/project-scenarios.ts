/** Collects the results of scenarios for single projects. Judges each activation, as the control API does. */
import type { NewEntry } from '../../../journal/entry.ts';
import type { Project } from '../../../project/project.ts';
import type { Discarded, ProjectRegistry } from '../../../project/registry.ts';
import type { CompiledScenario } from '../../../scenarios/compile.ts';
import { activationOf } from '../../../scenarios/counts.ts';
import { judge, tally, toExpectationText } from '../../../scenarios/expect.ts';
import {
  addFirings,
  createRuleStats,
  createVersions,
  type NearestRequests,
  type RuleStats,
  toRuleVerdict,
} from './rule-stats.ts';
import { compareTexts, type ExpectationVerdict, type ScenarioVerdict } from './verdict.ts';

export interface OwnScenarios {
  /** Adds a project's results of its active scenarios that are discarded. */
  addProject(project: Project, discarded: Discarded, requests: () => readonly NewEntry[]): void;
  verdicts(): readonly ScenarioVerdict[];
}

/** Results of an expectation, over all activations of its scenario. */
interface ExpectationStats {
  readonly expected: string;
  /** Number of activations. */
  times: number;
  /** Number of activations in which it was not met. */
  unmet: number;
  /** Why it was not met, the first time. */
  why: string | undefined;
}

/** Results of one scenario text, over all its activations. */
interface Version {
  readonly name: string;
  readonly projects: Set<string>;
  requests: number;
  readonly stats: readonly RuleStats[];
  readonly expectationStats: readonly ExpectationStats[];
}

export function createOwnScenarios(projects: Pick<ProjectRegistry, 'rulesOf'>, nearest: NearestRequests): OwnScenarios {
  const versions = createVersions(
    ({ name, rules, expectations }): Version => ({
      name,
      projects: new Set(),
      requests: 0,
      stats: rules.map(createRuleStats),
      expectationStats: expectations.map((expectation) => ({
        expected: toExpectationText(expectation),
        times: 0,
        unmet: 0,
        why: undefined,
      })),
    }),
  );

  function addExpectations(project: Project, scenario: CompiledScenario): void {
    for (const scoped of projects.rulesOf(project).expectations) {
      const { expectation } = scoped;
      const result = versions.get(scenario).expectationStats[scenario.expectations.indexOf(expectation)];
      if (!result) continue;
      const { met, why } = judge(expectation, tally(scoped, project.state));
      result.times += 1;
      if (met) continue;
      result.unmet += 1;
      result.why ??= `in project ${project.id}: ${why}`;
    }
  }

  return {
    addProject: (project, discarded, requests) => {
      const isReplaced = discarded.what === 'own scenarios';
      const ended = isReplaced ? discarded.scenarios : project.scenarios;
      if (ended.length === 0) return;
      const all = requests();
      for (const scenario of new Set(ended)) {
        const since = activationOf(project.state.activations, `project/${scenario.name}`)?.change ?? 0;
        const ownRequests = all.filter(({ evidence }) => evidence.change > since);
        // A scenario that was replaced before the first request is not judged.
        if (isReplaced && ownRequests.length === 0) continue;
        const version = versions.get(scenario);
        version.projects.add(project.id);
        version.requests += ownRequests.length;
        const rules = projects.rulesOf(project).rules.filter(({ rule }) => scenario.rules.includes(rule));
        addFirings(rules, [scenario], versions, project.state.ruleCounts, nearest);
        addExpectations(project, scenario);
      }
    },
    verdicts: () =>
      [...versions.byText]
        .map(([text, version]) => ({ verdict: toVerdict(version), text }))
        .toSorted((a, b) => compareTexts(toKey(a), toKey(b)))
        .map(({ verdict }) => verdict),
  };
}

function toKey({ verdict, text }: { readonly verdict: ScenarioVerdict; readonly text: string }): string {
  return [verdict.name, verdict.projects?.[0], text].join('\n');
}

function toVerdict({ name, projects, requests, stats, expectationStats }: Version): ScenarioVerdict {
  return {
    name,
    projects: [...projects].toSorted(),
    rules: stats.map((stats) => toRuleVerdict(stats, 'skipped', requests)),
    expectations: expectationStats.map(toExpectationVerdict),
  };
}

function toExpectationVerdict({ expected, times, unmet, why }: ExpectationStats): ExpectationVerdict {
  if (why === undefined)
    return { expected, outcome: 'passed', why: times > 1 ? `${expected}: met all ${times} times` : expected };
  const more = unmet > 1 ? ` (and ${unmet - 1} more ${unmet === 2 ? 'time' : 'times'})` : '';
  return { expected, outcome: 'failed', why: why + more };
}
