/** Collects results of rules over many projects: how often each fired, and the request that came closest to it. */

import type { NewEntry } from '../../../journal/entry.ts';
import type { CompiledRule, CompiledScenario } from '../../../scenarios/compile.ts';
import type { RuleCounts } from '../../../scenarios/counts.ts';
import { toProgress } from '../../../scenarios/explain.ts';
import type { Outcome } from '../../output/text.ts';
import { addCount, noCounts, type OwnCounts } from './own-counts.ts';
import type { RuleVerdict } from './verdict.ts';

/** Results of one rule. */
export interface RuleStats {
  readonly rule: CompiledRule;
  acted: number;
  ownCounts: OwnCounts;
  /** The request that came closest to firing the rule; undefined if no request was checked. */
  nearest: { readonly distance: number; readonly describe: () => string } | undefined;
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

/** Adds one project's counts of these rules. Reads the journal only if a rule has not fired so far. */
export function addFirings(
  rules: readonly { readonly key: string; readonly rule: CompiledRule }[],
  scenarios: readonly CompiledScenario[],
  { get }: Versions<{ readonly stats: readonly RuleStats[] }>,
  counts: RuleCounts,
  requests: () => readonly NewEntry[],
): void {
  const byKey = new Map<string, RuleStats>();
  for (const { key, rule } of rules) {
    const scenario = scenarios.find((candidate) => candidate.rules.includes(rule));
    const stats = scenario && get(scenario).stats[scenario.rules.indexOf(rule)];
    if (stats) byKey.set(key, stats);
  }
  for (const [key, stats] of byKey) {
    const { acted = 0, met = 0 } = counts.get(key) ?? {};
    stats.acted += acted;
    if (met > 0) stats.ownCounts = addCount(stats.ownCounts, met);
  }
  if ([...byKey.values()].every(({ acted }) => acted > 0)) return;
  for (const request of requests()) addNearest(byKey, request);
}

/** Keeps the closest request; of two equal ones the later, because it saw the higher count. */
function addNearest(byKey: ReadonlyMap<string, RuleStats>, request: NewEntry): void {
  const { operation, id, project } = request;
  request.visitRules((key, stage, why) => {
    const stats = byKey.get(key);
    const distance = toProgress(stage);
    if (!stats || stats.acted > 0 || distance < (stats.nearest?.distance ?? -1)) return;
    const reason = stage === 'planned' ? () => 'it matched the request, but fired for none of its callbacks' : why;
    // The text is created at the end, because a later request may come closer.
    stats.nearest = { distance, describe: () => `${operation} ${id} in project ${project}: ${reason()}` };
  });
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
    : `all ${requestCount} requests were rejected before any rule was checked, or are no longer in the journal`;
}
