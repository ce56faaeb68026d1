/** Explains why a rule never fired, if each project counted too few requests, but all together made enough. */
import type { CompiledRule } from '../../../scenarios/compile.ts';

/** The counts of one rule in several projects. A project that was reset has several. */
export interface OwnCounts {
  readonly number: number;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
}

export const noCounts: OwnCounts = { number: 0, min: Number.POSITIVE_INFINITY, max: 0, sum: 0 };

/** Adds the number of requests or callbacks that the rule met in a project. */
export function addCount({ number, min, max, sum }: OwnCounts, met: number): OwnCounts {
  return { number: number + 1, min: Math.min(min, met), max: Math.max(max, met), sum: sum + met };
}

/** Returns the hint, or undefined if other reasons prevented the rule from firing. */
export function explainOwnCounts(rule: CompiledRule, { number, min, max, sum }: OwnCounts): string | undefined {
  const needed = firstTurn(rule);
  if (rule.isServerWide || max >= needed || sum < needed) return undefined;
  const noun = rule.countsCallbacks ? 'callback' : 'request';
  const range = min === max ? String(max) : `${min} to ${max}`;
  const reached = `${range} ${noun}${max === 1 ? '' : 's'}`;
  return `counts are per project: ${number} counts reached ${reached}, but the rule needs ${needed}; add "scope: server" to the rule`;
}

/** Returns the number of the first request or callback on which a rule can fire. */
function firstTurn({ request, during }: CompiledRule): number {
  const opened = during && 'afterRequests' in during ? during.afterRequests + 1 : 1;
  if (!request) return opened;
  const from = Math.max(opened, request.from);
  const first = Math.ceil(from / request.every) * request.every;
  return first <= request.to ? first : Number.POSITIVE_INFINITY;
}
