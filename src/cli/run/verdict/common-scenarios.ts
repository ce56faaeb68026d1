/** Collects the results of scenarios for all projects: rules and expectations, summed over the projects. */

import type { NewEntry } from '../../../journal/journal.ts';
import type { Project } from '../../../project/project.ts';
import type { ProjectRegistry } from '../../../project/registry.ts';
import type { CompiledScenario } from '../../../scenarios/compile.ts';
import { judge, tally, toExpectationText } from '../../../scenarios/expect.ts';
import type { Outcome } from '../../output/text.ts';
import { addFirings, createRuleStats, type RuleStats, toRuleVerdict } from './rule-stats.ts';
import type { ScenarioVerdict } from './verdict.ts';

export interface CommonScenarios {
  /** Adds one project's results of the scenarios that are active now. */
  addProject(project: Project, requests: () => readonly NewEntry[]): void;
  /** Returns the verdicts. `requestCount`: number of all requests. */
  verdicts(requestCount: number): readonly ScenarioVerdict[];
}

/** Results of one scenario text, over all its activations. */
interface Version {
  readonly scenario: CompiledScenario;
  /** Outcome of a rule that never fired: `failed` for scenarios active at the start, otherwise `skipped`. */
  readonly outcomeIfUnfired: Outcome;
  readonly stats: readonly RuleStats[];
  readonly counts: number[];
}

export function createCommonScenarios(projects: Pick<ProjectRegistry, 'rulesOf' | 'serverScenarios'>): CommonScenarios {
  const versions = new Map<string, Version>();
  // A cache for the lookup of each rule, because serializing a large scenario is slow.
  const byScenario = new WeakMap<CompiledScenario, Version>();
  for (const scenario of projects.serverScenarios) getVersion(scenario, 'failed');

  function getVersion(scenario: CompiledScenario, outcomeIfUnfired: Outcome = 'skipped'): Version {
    const found = byScenario.get(scenario);
    if (found) return found;
    const text = JSON.stringify(scenario.source);
    const { rules, expectations } = scenario;
    const version = versions.get(text) ?? {
      scenario,
      outcomeIfUnfired,
      stats: rules.map(createRuleStats),
      counts: expectations.map(() => 0),
    };
    versions.set(text, version);
    byScenario.set(scenario, version);
    return version;
  }

  return {
    addProject: (project, requests) => {
      const since = project.state.activations.get('server')?.change ?? 0;
      const { rules, expectations } = projects.rulesOf(project);
      const byKey = new Map<string, RuleStats>();
      for (const { key, rule } of rules.filter(isFirst)) {
        const scenario = projects.serverScenarios.find((candidate) => candidate.rules.includes(rule));
        const stats = scenario && getVersion(scenario).stats[scenario.rules.indexOf(rule)];
        if (stats) byKey.set(key, stats);
      }
      addFirings(byKey, project.state.ruleCounts, () => requests().filter(({ evidence }) => evidence.change > since));
      for (const scoped of expectations.filter(isFirst)) {
        const scenario = projects.serverScenarios.find((candidate) =>
          candidate.expectations.includes(scoped.expectation),
        );
        if (!scenario) continue;
        const { counts } = getVersion(scenario);
        const index = scenario.expectations.indexOf(scoped.expectation);
        counts[index] = (counts[index] ?? 0) + tally(scoped, project.state);
      }
    },
    verdicts: (requestCount) => [...versions.values()].map((version) => toVerdict(version, requestCount)),
  };
}

/** Returns whether this is the first copy. If the options name a scenario twice, only its first copy fires. */
function isFirst({ key, layer }: { readonly key: string; readonly layer: string }): boolean {
  return layer === 'server' && !key.includes('@');
}

function toVerdict({ scenario, outcomeIfUnfired, stats, counts }: Version, requestCount: number): ScenarioVerdict {
  return {
    name: scenario.name,
    projects: undefined,
    rules: stats.map((stats) => toRuleVerdict(stats, outcomeIfUnfired, requestCount)),
    expectations: scenario.expectations.map((expectation, index) => {
      const { met, why } = judge(expectation, counts[index] ?? 0);
      return { expected: toExpectationText(expectation), outcome: met ? 'passed' : 'failed', why };
    }),
  };
}
