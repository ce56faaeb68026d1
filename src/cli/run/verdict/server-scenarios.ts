/** Collects the results of scenarios for all projects: rules and expectations, summed over the projects. */
import type { Project } from '../../../project/project.ts';
import type { ProjectRegistry } from '../../../project/registry.ts';
import type { CompiledScenario } from '../../../scenarios/compile.ts';
import { judge, tally, toExpectationText } from '../../../scenarios/expect.ts';
import type { Outcome } from '../../output/text.ts';
import { explainOwnCounts } from './own-counts.ts';
import {
  addFirings,
  createRuleStats,
  createVersions,
  type NearestRequests,
  type RuleStats,
  toRuleVerdict,
} from './rule-stats.ts';
import type { RuleVerdict, ScenarioVerdict } from './verdict.ts';

export interface CommonScenarios {
  /** Adds one project's results of the scenarios that are active now. */
  addProject(project: Project): void;
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

export function createCommonScenarios(
  projects: Pick<ProjectRegistry, 'rulesOf' | 'serverScenarios'>,
  nearest: NearestRequests,
): CommonScenarios {
  const atStart = new Set(projects.serverScenarios);
  const versions = createVersions(
    (scenario): Version => ({
      scenario,
      outcomeIfUnfired: atStart.has(scenario) ? 'failed' : 'skipped',
      stats: scenario.rules.map(createRuleStats),
      counts: scenario.expectations.map(() => 0),
    }),
  );
  for (const scenario of atStart) versions.get(scenario);

  return {
    addProject: (project) => {
      const { rules, expectations } = projects.rulesOf(project);
      const { serverScenarios } = projects;
      addFirings(rules.filter(isFirstCopy), serverScenarios, versions, project.state.ruleCounts, nearest);
      for (const scoped of expectations.filter(isFirstCopy)) {
        const scenario = serverScenarios.find((candidate) => candidate.expectations.includes(scoped.expectation));
        if (!scenario) continue;
        const { counts } = versions.get(scenario);
        const index = scenario.expectations.indexOf(scoped.expectation);
        counts[index] = (counts[index] ?? 0) + tally(scoped, project.state);
      }
    },
    verdicts: (requestCount) => [...versions.byText.values()].map((version) => toVerdict(version, requestCount)),
  };
}

/** Returns whether this is the first copy. If the options name a scenario twice, only its first copy fires. */
function isFirstCopy({ key, layer }: { readonly key: string; readonly layer: string }): boolean {
  return (layer === 'server' || layer === 'first') && !key.includes('@');
}

function toVerdict({ scenario, outcomeIfUnfired, stats, counts }: Version, requestCount: number): ScenarioVerdict {
  return {
    name: scenario.name,
    projects: undefined,
    rules: stats.map((rule) => withHint(toRuleVerdict(rule, outcomeIfUnfired, requestCount), rule)),
    expectations: scenario.expectations.map((expectation, index) => {
      const { met, why } = judge(expectation, counts[index] ?? 0);
      return { expected: toExpectationText(expectation), outcome: met ? 'passed' : 'failed', why };
    }),
  };
}

/** Adds a hint to a rule that never fired because no project counted enough. */
function withHint(verdict: RuleVerdict, { rule, ownCounts }: RuleStats): RuleVerdict {
  const hint = verdict.why === undefined ? undefined : explainOwnCounts(rule, ownCounts);
  return hint === undefined ? verdict : { ...verdict, why: `${hint}; ${verdict.why}` };
}
