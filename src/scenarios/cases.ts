/** Creates failure cases: scenarios with one rule, each of which makes one kind of failure hit one request. */
import { catalogue } from '../lib/problem.ts';
import { toFailureName, writeRule } from './catalog.ts';
import { type FailureKind, failureKinds, isCallbackKind, type OperationTraits } from './failure-kinds.ts';

/** One failure to try on a client: a kind, at the nth request of an operation or at all of them. */
export interface FailureCase {
  /** `OPERATION/KIND/N`, or `OPERATION/KIND/always`. */
  readonly id: string;
  readonly operation: string;
  readonly kind: string;
  /** Number of the request, or of the callback, from 1; 1 if the case hits all of them. */
  readonly occurrence: number;
  /** Whether it hits every request of the operation. */
  readonly always: boolean;
  readonly expects: 'recovery' | 'report';
  /** Describes what the client observes. */
  readonly about: string;
  /** Name of the scenario. */
  readonly name: string;
  /** The scenario as YAML. */
  readonly yaml: string;
}

/** What a client did to an operation without any failure. */
export interface OperationUse {
  readonly requests: number;
  /** Number of the last entry of its first request that succeeded. */
  readonly lastEntry: number;
  readonly callbacks: number;
  /** Largest number of callbacks of one project: only those can change their order. */
  readonly callbacksOfProject: number;
  /** How many times faster than real time the project clock ran at callbacks; 0 if it was frozen. */
  readonly clockRate: number;
  /** The same at requests. */
  readonly requestRate: number;
}

/** The kind that rejects what follows a request, so that it needs two. */
const limitKind = 'limit';

/** Where a case counts requests: over all projects before all other scenarios, or in the project that it is active in. */
export type CaseScope = 'server' | 'project';

/**
 * Returns the cases of an operation: all kinds at the first occurrence, then all kinds at the second, and so on, with at
 * most `occurrences` of each.
 */
export function toCases(
  operation: string,
  traits: OperationTraits,
  use: OperationUse,
  occurrences: number,
  scope: CaseScope = 'server',
): readonly FailureCase[] {
  const byKind = failureKinds(traits).map((failure) => toKindCases({ operation, failure, scope }, use, occurrences));
  const rounds = Math.max(0, ...byKind.map((cases) => cases.length));
  return Array.from({ length: rounds }, (_, round) => byKind.flatMap((cases) => cases[round] ?? [])).flat();
}

/** What all cases of a kind at an operation have in common. */
interface CaseKind {
  readonly operation: string;
  readonly failure: FailureKind;
  readonly scope: CaseScope;
}

function toKindCases(kind: CaseKind, use: OperationUse, occurrences: number): readonly FailureCase[] {
  const { failure } = kind;
  const rate = isCallbackKind(failure) ? use.clockRate : use.requestRate;
  const effect = failure.caseEffect ? failure.caseEffect(rate) : failure.effect;
  if (effect === undefined) return [];
  const isOrder = failure.kind.startsWith('callback-order');
  const count = isOrder ? use.callbacksOfProject - 1 : isCallbackKind(failure) ? use.callbacks : use.requests;
  const base = { ...kind, effect };
  if (failure.kind === limitKind) return use.requests > 1 ? [toCase({ ...base, hits: 1 })] : [];
  const numbered = Array.from({ length: Math.min(count, occurrences) }, (_, index) => {
    const request = isOrder ? `{ from: ${index + 1} }` : `{ nth: ${index + 1} }`;
    return toCase({ ...base, request, hits: index + 1 });
  });
  const [first, ...others] = numbered;
  const last = toLast(failure);
  if (first && last && use.lastEntry > 1)
    return [first, toCase({ ...base, failure: last, item: use.lastEntry, request: '{ nth: 1 }', hits: 1 }), ...others];
  if (!first || failure.isOutage !== true) return numbered;
  return [first, toCase({ ...base, hits: 'always' }), ...others];
}

/** How kinds end that hit the last of several entries. */
const lastEnding = '-last';

/** Returns the kind of the catalog that a kind of cases is a form of. */
export function toCatalogKind(kind: string): string {
  return kind.endsWith(lastEnding) ? kind.slice(0, -lastEnding.length) : kind;
}

/**
 * Returns the kind that hits the last of several entries: a test often goes on with the first one only, and so notices by
 * chance what its client ignores.
 */
function toLast(failure: FailureKind): FailureKind | undefined {
  return failure.lastAbout === undefined
    ? undefined
    : { ...failure, kind: failure.kind + lastEnding, about: failure.lastAbout };
}

interface CaseParts extends CaseKind {
  readonly effect: string;
  /** The last part of the id: the number of the request or callback that it hits, or `always`. */
  readonly hits: number | 'always';
  readonly request?: string;
  /** Number of the entry that it hits. Default: the first one. */
  readonly item?: number;
}

function toCase({ operation, failure, scope, effect, hits, request, item = 1 }: CaseParts): FailureCase {
  const { kind, ofEntries } = failure;
  const about = failure.caseAbout ?? (isCallbackKind(failure) ? failure.about.replace(/^.* its/, 'a') : failure.about);
  const id = `${operation}/${kind}/${hits}`;
  const name = toFailureName(operation, `${kind}-${hits}`);
  const conditions = [
    `operation: ${operation}`,
    ...(ofEntries && !isCallbackKind(failure) ? [`item: ${item}`] : []),
    ...(request === undefined ? [] : [`request: ${request}`]),
  ];
  const description = `${id}: ${about}.`;
  const yaml = writeRule({ name, description, rule: kind, conditions, effect, forAll: scope === 'server' });
  const always = hits === 'always';
  const expects = always ? 'report' : failure.expects;
  return { id, operation, kind, occurrence: always ? 1 : hits, always, expects, about, name, yaml };
}

/** All kinds that a case can have, for an operation with every trait. */
export const allCaseKinds: readonly string[] = failureKinds({
  byCallback: true,
  listsFailures: true,
  statuses: Object.values(catalogue),
})
  .flatMap((failure) => [failure, toLast(failure) ?? []].flat())
  .map(({ kind }) => kind);
