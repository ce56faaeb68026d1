/** What became of rules over many projects: how often each acted, and the request that came nearest to making it act. */
import type { NewEntry } from '../journal/journal.ts';
import type { CompiledRule } from '../scenarios/compile.ts';
import type { RuleCounts } from '../scenarios/counts.ts';
import { toDistance } from '../scenarios/trace.ts';
import type { Outcome, RuleVerdict } from './verdict.ts';

/** One rule. */
export interface Fate {
  readonly rule: CompiledRule;
  acted: number;
  nearest: { readonly distance: number; readonly words: string } | undefined;
}

export function createFate(rule: CompiledRule): Fate {
  return { rule, acted: 0, nearest: undefined };
}

/** Adds what one project tells of rules, by their keys. The journal is looked at only where one never acted so far. */
export function addDeeds(
  fates: ReadonlyMap<string, Fate>,
  counts: RuleCounts,
  requests: () => readonly NewEntry[],
): void {
  for (const [key, fate] of fates) fate.acted += counts.get(key)?.acted ?? 0;
  if ([...fates.values()].every(({ acted }) => acted > 0)) return;
  for (const request of requests()) addNearest(fates, request);
}

/** Of two that came equally far the later one counts: it saw the higher number. */
function addNearest(fates: ReadonlyMap<string, Fate>, request: NewEntry): void {
  for (const { key, came, why } of request.explain()) {
    const fate = fates.get(key);
    const distance = toDistance(came);
    if (!fate || fate.acted > 0 || distance < (fate.nearest?.distance ?? -1)) continue;
    const reason = came === 'planned' ? 'it went along with the callbacks, and acted on none' : why;
    fate.nearest = { distance, words: `${request.operation} ${request.id} in project ${request.project}: ${reason}` };
  }
}

/** `ifIdle`: what it means that it never acted; `came`: how many requests there were. */
export function toRuleVerdict({ rule, acted, nearest }: Fate, ifIdle: Outcome, came: number): RuleVerdict {
  const { name, chance } = rule;
  if (acted > 0) return { name, acted, chance, outcome: 'passed', why: undefined };
  const outcome = chance === undefined ? ifIdle : 'left out';
  return { name, acted, chance, outcome, why: nearest ? `nearest: ${nearest.words}` : toAbsence(came) };
}

function toAbsence(came: number): string {
  if (came === 0) return 'no request came at all';
  return came === 1
    ? 'the one request was refused before any rule saw it'
    : `all ${came} requests were refused before any rule saw them, or are forgotten`;
}
