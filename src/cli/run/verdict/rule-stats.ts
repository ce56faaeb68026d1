/** Collects results of rules over many projects: how often each fired, and the request that came closest to it. */
import type { EvaluatedRequest } from '../../../project/registry.ts';
import type { CompiledRule, CompiledScenario } from '../../../scenarios/compile.ts';
import type { RuleCounts } from '../../../scenarios/counts.ts';
import { explainTrace, stages, toSkipped } from '../../../scenarios/explain.ts';
import type { Outcome } from '../../output/text.ts';
import { addCount, noCounts, type OwnCounts } from './own-counts.ts';
import type { RuleVerdict } from './verdict.ts';

/** Results of one rule. */
export interface RuleStats {
  readonly rule: CompiledRule;
  acted: number;
  ownCounts: OwnCounts;
  /** The request that came closest to firing the rule; undefined if no request was checked. */
  nearest: Nearest | undefined;
}

interface Nearest {
  /** The furthest stage of the rule, as its index. */
  readonly distance: number;
  readonly describe: () => string;
}

/** Finds the request that came closest to firing each rule. */
export class NearestRequests {
  readonly #byRule = new Map<CompiledRule, Nearest>();

  of(rule: CompiledRule): Nearest | undefined {
    return this.#byRule.get(rule);
  }

  /** Adds a request. Of two that came equally close, keeps the later, because it saw the higher count. */
  add({ project, request, set, evaluation }: EvaluatedRequest): void {
    const { traces, outline } = evaluation;
    const traceOf = new Map(traces.map((trace) => [trace.rule, trace]));
    for (const scoped of set.rules) {
      if (scoped.layer.startsWith('header/')) continue;
      const trace = traceOf.get(scoped) ?? toSkipped(scoped, outline);
      const distance = stages.indexOf(trace.stage);
      if (distance < (this.#byRule.get(scoped.rule)?.distance ?? 0)) continue;
      // The text is created at the end, because a later request may come closer.
      const describe = () => {
        const isPlanned = trace.stage === 'planned';
        const why = isPlanned
          ? 'it matched the request, but fired for none of its callbacks'
          : explainTrace(trace, traces);
        return `${outline.operation} ${request} in project ${project}: ${why}`;
      };
      this.#byRule.set(scoped.rule, { distance, describe });
    }
  }
}

export function createRuleStats(rule: CompiledRule): RuleStats {
  return { rule, acted: 0, ownCounts: noCounts, nearest: undefined };
}

/** Results by scenario. Scenarios with the same text share their results, over all activations. */
export interface Versions<Version> {
  readonly byText: ReadonlyMap<string, Version>;
  get(scenario: CompiledScenario): Version;
}

export function createVersions<Version>(create: (scenario: CompiledScenario) => Version): Versions<Version> {
  const byText = new Map<string, Version>();
  // A cache for the lookup of each rule, because serializing a large scenario is slow.
  const byScenario = new WeakMap<CompiledScenario, Version>();
  const get = (scenario: CompiledScenario): Version => {
    const found = byScenario.get(scenario);
    if (found) return found;
    const text = JSON.stringify(scenario.source);
    const version = byText.get(text) ?? create(scenario);
    byText.set(text, version);
    byScenario.set(scenario, version);
    return version;
  };
  return { byText, get };
}

/** Adds one project's counts of these rules. */
export function addFirings(
  rules: readonly { readonly key: string; readonly rule: CompiledRule }[],
  scenarios: readonly CompiledScenario[],
  { get }: Versions<{ readonly stats: readonly RuleStats[] }>,
  counts: RuleCounts,
  nearest: NearestRequests,
): void {
  for (const { key, rule } of rules) {
    const scenario = scenarios.find((candidate) => candidate.rules.includes(rule));
    const stats = scenario && get(scenario).stats[scenario.rules.indexOf(rule)];
    if (!stats) continue;
    const { acted = 0, met = 0 } = counts.get(key) ?? {};
    stats.acted += acted;
    if (met > 0) stats.ownCounts = addCount(stats.ownCounts, met);
    const found = nearest.of(rule);
    if (found && found.distance >= (stats.nearest?.distance ?? 0)) stats.nearest = found;
  }
}

/** Returns the verdict. `outcomeIfUnfired`: outcome if the rule never fired; `requestCount`: number of requests. */
export function toRuleVerdict(
  { rule, acted, nearest }: RuleStats,
  outcomeIfUnfired: Outcome,
  requestCount: number,
): RuleVerdict {
  const { name, chance } = rule;
  if (acted > 0) return { name, acted, chance, outcome: 'passed', why: undefined };
  const outcome = chance === undefined ? outcomeIfUnfired : 'skipped';
  return {
    name,
    acted,
    chance,
    outcome,
    why: nearest ? `closest request: ${nearest.describe()}` : explainUnseen(requestCount),
  };
}

function explainUnseen(requestCount: number): string {
  if (requestCount === 0) return 'the sandbox received no requests';
  return requestCount === 1
    ? 'the only request was rejected before any rule was checked'
    : `all ${requestCount} requests were rejected before any rule was checked`;
}
