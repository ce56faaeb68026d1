/** What scenarios expect to have happened: counts it as it happens, and judges it in the end. */
import type { Entry } from '../operations/task.ts';
import type { ScopedExpectation } from './compile.ts';
import type { RuleCount, RuleCounts } from './counts.ts';
import { matchesGlob } from './glob.ts';
import { compileItem, type ItemTest, matchesItem, wantedItem } from './item.ts';
import type { Expressions } from './matcher.ts';
import type { Bounded, Expectation, Globs } from './types.ts';

/** How often something is to have happened, both included. */
export interface Bounds {
  readonly min: number;
  readonly max: number | undefined;
}

/** An expectation ready to be used; `about` says in words what is counted. */
export type CompiledExpectation = {
  readonly about: string;
  readonly bounds: Bounds;
  /** The name of the rule that must have acted before. */
  readonly after: string | undefined;
} & (
  | { readonly kind: 'requests'; test(request: RequestFact): boolean }
  | { readonly kind: 'callbacks'; test(callback: CallbackFact): boolean }
  | { readonly kind: 'rule'; readonly rule: string }
);

/** A request as it is looked at. */
export interface RequestFact {
  readonly operation: string;
  /** 0 where none was sent. */
  readonly status: number;
  readonly entries: readonly Entry[];
  /** Its number among the changes of the world. */
  readonly change: number;
}

/** A callback as it is looked at. */
export interface CallbackFact {
  readonly type: string;
  readonly state: string;
  readonly operation: string;
  /** Its number among the changes of the world. */
  readonly change: number;
}

/** What one world tells of what happened in it. */
export interface Happened {
  readonly ruleCounts: RuleCounts;
  /** How many requests were as expected, by the expectation's key. */
  readonly requestTallies: Map<string, number>;
  readonly activations: ReadonlyMap<string, { readonly change: number }>;
  readonly callbacks: ReadonlyMap<string, CallbackFact>;
}

/** Makes an expectation ready. */
export function compileExpectation(expectation: Expectation, expressions: Expressions): CompiledExpectation {
  if ('requests' in expectation) {
    const { operation, status, item, ...bounded } = expectation.requests;
    const itemTest = item === undefined ? undefined : compileItem(item, expressions);
    return {
      kind: 'requests',
      about: `requests${words(operation)}${status === undefined ? '' : ` answered ${status || 'by no status'}`}${withItem(itemTest)}`,
      ...toBounds(bounded),
      test: (request) =>
        fits(operation, request.operation) &&
        (status === undefined || status === request.status) &&
        (!itemTest || request.entries.some((entry) => matchesItem(itemTest, entry))),
    };
  }
  if ('callbacks' in expectation) {
    const { type, state, operation, ...bounded } = expectation.callbacks;
    return {
      kind: 'callbacks',
      about: `callbacks${words(type)}${operation === undefined ? '' : ` of${words(operation)}`}${state === undefined ? '' : ` that are ${state}`}`,
      ...toBounds(bounded),
      test: (callback) =>
        fits(type, callback.type) &&
        fits(operation, callback.operation) &&
        (state === undefined || state === callback.state),
    };
  }
  const { rule, ...bounded } = expectation;
  return { kind: 'rule', rule, about: `deeds of the rule "${rule}"`, ...toBounds(bounded) };
}

function toBounds({ count, min, max, after }: Bounded): Pick<CompiledExpectation, 'bounds' | 'after'> {
  const least = count ?? min ?? (max === undefined ? 1 : 0);
  return { bounds: { min: least, max: count ?? max }, after };
}

function fits(globs: Globs | undefined, text: string): boolean {
  return globs === undefined || [globs].flat().some((glob) => matchesGlob(glob, text));
}

function words(globs: Globs | undefined): string {
  return globs === undefined ? '' : ` ${[globs].flat().join(', ')}`;
}

function withItem(item: ItemTest | undefined): string {
  return item ? ` with ${wantedItem(item)}` : '';
}

/** Counts a request where it is as expected. */
export function countRequest(
  expectations: readonly ScopedExpectation[],
  request: RequestFact,
  { requestTallies, ruleCounts }: Pick<Happened, 'requestTallies' | 'ruleCounts'>,
): void {
  for (const { key, expectation, after } of expectations) {
    if (expectation.kind !== 'requests' || !expectation.test(request)) continue;
    if (after && request.change <= firstDeed(after, ruleCounts)) continue;
    requestTallies.set(key, (requestTallies.get(key) ?? 0) + 1);
  }
}

/** Of these rules the one that acted first, if one has. */
function firstOf(keys: readonly string[], counts: RuleCounts): RuleCount | undefined {
  const acted = keys.map((key) => counts.get(key)).filter((count) => count?.firstDeed !== undefined);
  return acted.toSorted((a, b) => (a?.firstDeed ?? 0) - (b?.firstDeed ?? 0))[0];
}

/** After how many changes of the world one of these rules first acted. */
function firstDeed(keys: readonly string[], counts: RuleCounts): number {
  return firstOf(keys, counts)?.firstDeed ?? Number.POSITIVE_INFINITY;
}

/** How often what is expected has happened in one world. */
export function tally({ key, layer, expectation, rules, after }: ScopedExpectation, happened: Happened): number {
  if (expectation.kind === 'requests') return happened.requestTallies.get(key) ?? 0;
  if (expectation.kind === 'callbacks') {
    const since = after ? firstDeed(after, happened.ruleCounts) : (happened.activations.get(layer)?.change ?? 0);
    const callbacks = [...happened.callbacks.values()];
    return callbacks.filter((callback) => callback.change > since && expectation.test(callback)).length;
  }
  const others = after && firstOf(after, happened.ruleCounts);
  if (after && !others) return 0;
  return rules.reduce(
    (sum, rule) => sum + (happened.ruleCounts.get(rule)?.acted ?? 0) - (others?.othersThen?.[rule] ?? 0),
    0,
  );
}

/** What is expected, in words. */
export function toWish({ about, bounds, after }: CompiledExpectation): string {
  const order = after === undefined ? '' : ` after "${after}" had acted`;
  return `${about}${order}: wanted ${toWords(bounds)}`;
}

/** Whether so many are as expected, and in words what was wanted and what there was. */
export function judge(expectation: CompiledExpectation, count: number): { met: boolean; why: string } {
  const { min, max } = expectation.bounds;
  const met = count >= min && (max === undefined || count <= max);
  return { met, why: `${toWish(expectation)}, there ${count === 1 ? 'was 1' : `were ${count}`}` };
}

function toWords({ min, max }: Bounds): string {
  if (min === max) return `exactly ${min}`;
  if (max === undefined) return `at least ${min}`;
  return min === 0 ? `at most ${max}` : `${min} to ${max}`;
}
