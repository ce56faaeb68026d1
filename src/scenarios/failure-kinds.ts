/** Lists every kind of failure that the effects can produce. */
import { catalogue } from '../lib/problem.ts';
import type { Operation } from '../operations/index.ts';
import type { EffectFailure, EffectScope, ObservedFailure, OperationTraits } from './effects/effect.ts';
import { effects } from './effects/index.ts';

export type { ObservedFailure, OperationTraits } from './effects/effect.ts';

export interface FailureKind extends EffectFailure {
  /** Whether a rule fires on one entry of a request, not on the whole request. */
  readonly ofEntries: boolean;
}

/**
 * Declared statuses that are no failures of the service: only the sandbox has the limit of a full project, and a client
 * that sends another method does not use the operation.
 */
const notProvoked: readonly number[] = [catalogue.full, catalogue.unknownMethod];

/** Returns the traits of an operation in a mode, with the statuses that the document declares for its responses. */
export function toTraits(
  { callbackType, listsFailures }: Pick<Operation, 'callbackType' | 'listsFailures'>,
  mode: Operation['mode'],
  declared: readonly number[],
): OperationTraits {
  return {
    byCallback: mode === 'async' && callbackType !== undefined,
    listsFailures,
    statuses: declared.filter((status) => status >= 400 && !notProvoked.includes(status)),
  };
}

/** Returns the kinds of failure of an operation, the common ones first. */
export function failureKinds(traits: OperationTraits): readonly FailureKind[] {
  const scopes: readonly EffectScope[] = ['entry', 'request', ...(traits.byCallback ? (['callback'] as const) : [])];
  return scopes.flatMap((wanted) =>
    effects
      .filter(({ scope }) => scope === wanted)
      .flatMap(({ failures }) => failures(traits))
      .map((failure) => ({ ...failure, ofEntries: wanted !== 'request' })),
  );
}

/** Returns the kinds that an effect can produce at any operation. */
export function failureKindsOf(then: ObservedFailure): readonly string[] {
  const statuses = then.respond ? [then.respond.status] : [];
  return failureKinds({ byCallback: true, listsFailures: true, statuses })
    .filter((failure) => failure.does(then))
    .map(({ kind }) => kind);
}

/** Whether a kind concerns a disturbed callback. */
export function isCallbackKind({ kind }: Pick<FailureKind, 'kind'>): boolean {
  return kind.startsWith('callback-');
}
