/** Counts what scenarios expect, and checks the counts against the expectations. */
import type { CallbackFact, CompiledExpectation, ExpectedCount, ScopedExpectation } from './compiled.ts';
import { type Activation, activationOf, type RuleCount, type RuleCounts } from './counts.ts';
import { matchesAny, toGlobs } from './glob.ts';
import { compileItem } from './item.ts';
import type { Expressions } from './matcher.ts';
import type { Bounded, CallbackExpectation, Expectation, RequestExpectation, StatusCondition } from './types.ts';

/** The facts of a request that expectations use. */
export interface RequestFact {
  readonly operation: string;
  /** 0 if no response was sent. */
  readonly status: number;
  /** Keys of the expectations whose `item` condition an entry matches. */
  readonly matchedExpectations: ReadonlySet<string>;
  /** Number of the project change. */
  readonly change: number;
}

/** The counts and callbacks of one project that expectations use. */
export interface ObservedCounts {
  readonly ruleCounts: RuleCounts;
  /**
   * Count by expectation key: for `requests`, the number of matching requests; for `rule` with `after`, how often the
   * rule had fired when the rule named by `after` first fired. By operation: the number of requests that rules saw.
   */
  readonly requestTallies: Map<string, number>;
  readonly activations: ReadonlyMap<string, Activation>;
  readonly callbacks: ReadonlyMap<string, CallbackFact>;
}

export function compileExpectation(expectation: Expectation, expressions: Expressions): CompiledExpectation {
  if ('requests' in expectation) return compileRequests(expectation.requests, expressions);
  if ('callbacks' in expectation) return compileCallbacks(expectation.callbacks);
  const { rule, ...bounded } = expectation;
  return { kind: 'rule', rule, about: `rule "${rule}" fired`, ...toBounds(bounded) };
}

function compileRequests(
  { operation, status, item, ...bounded }: RequestExpectation,
  expressions: Expressions,
): CompiledExpectation {
  const operations = toGlobs(operation);
  const statuses = status === undefined ? undefined : [status].flat();
  const itemTest = item === undefined ? undefined : compileItem(item, expressions);
  const words = [
    'requests',
    ...(operations ? [operations.join(', ')] : []),
    ...(statuses ? [describeStatuses(statuses)] : []),
    ...(itemTest ? [`with ${itemTest.wanted}`] : []),
  ];
  return {
    kind: 'requests',
    about: words.join(' '),
    ...toBounds(bounded),
    item: itemTest,
    appliesTo: (operationId) => matchesAny(operations, operationId),
    hasStatus: (actual) => statuses?.some((one) => isStatus(one, actual)) ?? true,
  };
}

function isStatus(expected: StatusCondition, actual: number): boolean {
  return expected === actual || expected === `${Math.floor(actual / 100)}xx`;
}

function describeStatuses(statuses: readonly StatusCondition[]): string {
  const sent = statuses.filter((status) => status !== 0);
  const words = sent.length > 0 ? [`with status ${sent.join(', ')}`] : [];
  return [...words, ...(sent.length < statuses.length ? ['without a response'] : [])].join(' or ');
}

function compileCallbacks({ type, state, operation, ...bounded }: CallbackExpectation): CompiledExpectation {
  const types = toGlobs(type);
  const operations = toGlobs(operation);
  const words = [
    ...(state === undefined ? [] : [state]),
    'callbacks',
    ...(types ? [types.join(', ')] : []),
    ...(operations ? [`of ${operations.join(', ')}`] : []),
  ];
  return {
    kind: 'callbacks',
    about: words.join(' '),
    ...toBounds(bounded),
    test: (callback) =>
      matchesAny(types, callback.type) &&
      matchesAny(operations, callback.operation) &&
      (state === undefined || state === callback.state),
  };
}

function toBounds({ count, min, max, after }: Bounded): Pick<CompiledExpectation, 'bounds' | 'after'> {
  const minimum = count ?? min ?? (max === undefined ? 1 : 0);
  return { bounds: { min: minimum, max: count ?? max }, after };
}

/** Counts a request that rules see. Returns its number among those of its operation, from 1. */
export function countOperation(operation: string, { requestTallies }: Pick<ObservedCounts, 'requestTallies'>): number {
  const nth = (requestTallies.get(operation) ?? 0) + 1;
  requestTallies.set(operation, nth);
  return nth;
}

/** Counts a request for each expectation that it matches. */
export function countRequest(
  expectations: readonly ScopedExpectation[],
  request: RequestFact,
  { requestTallies, ruleCounts }: Pick<ObservedCounts, 'requestTallies' | 'ruleCounts'>,
): void {
  if (expectations.length === 0) return;
  const firstFiringOf = memoize((keys: readonly string[]) => firstFiring(keys, ruleCounts));
  for (const { key, expectation, after } of expectations) {
    if (expectation.kind !== 'requests' || !expectation.appliesTo(request.operation)) continue;
    if (!expectation.hasStatus(request.status)) continue;
    if (expectation.item && !request.matchedExpectations.has(key)) continue;
    if (after && request.change <= firstFiringOf(after)) continue;
    requestTallies.set(key, (requestTallies.get(key) ?? 0) + 1);
  }
}

/**
 * Stores how often the expected rules have fired so far, for each expectation whose `after` rule first fired at this
 * change. Call it at the end of a project change: rules that fire at the same change do not fire after each other.
 */
export function countFiringsBefore(
  expectations: readonly ScopedExpectation[],
  change: number,
  { requestTallies, ruleCounts }: Pick<ObservedCounts, 'requestTallies' | 'ruleCounts'>,
): void {
  if (expectations.length === 0) return;
  const firstFiringOf = memoize((keys: readonly string[]) => firstFiring(keys, ruleCounts));
  const firingsOf = memoize((keys: readonly string[]) => countFirings(keys, ruleCounts));
  for (const { key, expectation, rules, after } of expectations) {
    if (expectation.kind === 'rule' && after && firstFiringOf(after) === change)
      requestTallies.set(key, firingsOf(rules));
  }
}

/** Caches results by list, because many expectations share a list. */
function memoize(compute: (keys: readonly string[]) => number): (keys: readonly string[]) => number {
  const cache = new Map<readonly string[], number>();
  return (keys) => {
    let result = cache.get(keys);
    if (result === undefined) {
      result = compute(keys);
      cache.set(keys, result);
    }
    return result;
  };
}

function countFirings(keys: readonly string[], counts: RuleCounts): number {
  let sum = 0;
  for (const key of keys) sum += counts.get(key)?.acted ?? 0;
  return sum;
}

/** Returns the counts of the rule that fired first, or undefined if none has fired. */
function firstOf(keys: readonly string[], counts: RuleCounts): RuleCount | undefined {
  let first: RuleCount | undefined;
  for (const key of keys) {
    const count = counts.get(key);
    if (count?.firstDeed !== undefined && count.firstDeed < (first?.firstDeed ?? Number.POSITIVE_INFINITY))
      first = count;
  }
  return first;
}

/** Returns the number of the project change at which one of these rules first fired, or infinity if none has. */
function firstFiring(keys: readonly string[], counts: RuleCounts): number {
  return firstOf(keys, counts)?.firstDeed ?? Number.POSITIVE_INFINITY;
}

export function tally({ key, layer, expectation, rules, after }: ScopedExpectation, observed: ObservedCounts): number {
  if (expectation.kind === 'requests') return observed.requestTallies.get(key) ?? 0;
  if (expectation.kind === 'callbacks') {
    const since = after
      ? firstFiring(after, observed.ruleCounts)
      : (activationOf(observed.activations, layer)?.change ?? 0);
    const callbacks = [...observed.callbacks.values()];
    return callbacks.filter((callback) => callback.change > since && expectation.test(callback)).length;
  }
  const acted = countFirings(rules, observed.ruleCounts);
  if (!after) return acted;
  const first = firstOf(after, observed.ruleCounts);
  if (!first) return 0;
  return acted - (observed.requestTallies.get(key) ?? countFiringsThen(rules, first));
}

/** Returns the count at the first firing, from data files of older versions. */
function countFiringsThen(keys: readonly string[], { othersThen = {} }: RuleCount): number {
  return keys.reduce((sum, key) => sum + (othersThen[key] ?? 0), 0);
}

export function toExpectationText({ about, bounds, after }: CompiledExpectation): string {
  const order = after === undefined ? '' : ` after rule "${after}" fired`;
  return `${about}${order}: expected ${boundsText(bounds)}`;
}

/** Checks a count against an expectation; `why` describes the expected and the actual count. */
export function judge(expectation: CompiledExpectation, count: number): { met: boolean; why: string } {
  const { min, max } = expectation.bounds;
  const met = count >= min && (max === undefined || count <= max);
  return { met, why: `${toExpectationText(expectation)}, got ${count}` };
}

function boundsText({ min, max }: ExpectedCount): string {
  if (min === max) return String(min);
  if (max === undefined) return `at least ${min}`;
  return min === 0 ? `at most ${max}` : `${min} to ${max}`;
}
