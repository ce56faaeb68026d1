/** Counts what scenarios expect, and checks the counts against the expectations. */
import type { CallbackFact, CompiledExpectation, ExpectedCount, ScopedExpectation } from './compiled.ts';
import { type Activation, activationOf, type RuleCounts } from './counts.ts';
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
  for (const { key, expectation, after } of expectations) {
    if (expectation.kind !== 'requests' || !expectation.appliesTo(request.operation)) continue;
    if (!expectation.hasStatus(request.status)) continue;
    if (expectation.item && !request.matchedExpectations.has(key)) continue;
    if (after !== undefined && request.change <= firstFiring(after, ruleCounts)) continue;
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
  for (const { key, rule, after } of expectations) {
    if (rule === undefined || after === undefined || firstFiring(after, ruleCounts) !== change) continue;
    requestTallies.set(key, countFirings(rule, ruleCounts));
  }
}

function countFirings(rule: string | undefined, counts: RuleCounts): number {
  return counts.get(rule ?? '')?.acted ?? 0;
}

/** Returns the number of the project change at which a rule first fired, or infinity if it has not. */
function firstFiring(rule: string, counts: RuleCounts): number {
  return counts.get(rule)?.firstDeed ?? Number.POSITIVE_INFINITY;
}

export function tally({ key, layer, expectation, rule, after }: ScopedExpectation, observed: ObservedCounts): number {
  const { requestTallies, ruleCounts, activations } = observed;
  if (expectation.kind === 'requests') return requestTallies.get(key) ?? 0;
  const since = after === undefined ? (activationOf(activations, layer)?.change ?? 0) : firstFiring(after, ruleCounts);
  if (expectation.kind === 'callbacks') {
    const callbacks = [...observed.callbacks.values()];
    return callbacks.filter((callback) => callback.change > since && expectation.test(callback)).length;
  }
  if (since === Number.POSITIVE_INFINITY) return 0;
  return countFirings(rule, ruleCounts) - (requestTallies.get(key) ?? 0);
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
