/** Lists every kind of failure that the effects can produce. */
import type { EffectFailure, EffectScope, OperationTraits } from './effects/effect.ts';
import { effects } from './effects/index.ts';

export type { ObservedFailure, OperationTraits } from './effects/effect.ts';

export interface FailureKind extends EffectFailure {
  /** Whether a rule fires on one entry of a request, not on the whole request. */
  readonly ofEntries: boolean;
}

/** Returns the kinds of failure of an operation, the common ones first. */
export function failureKinds(traits: OperationTraits): readonly FailureKind[] {
  const scopes: readonly EffectScope[] = ['entry', 'request', ...(traits.byCallback ? (['callback'] as const) : [])];
  return scopes.flatMap((scope) => kindsOf(scope, traits));
}

function kindsOf(wanted: EffectScope, traits: OperationTraits): readonly FailureKind[] {
  return effects
    .filter(({ scope }) => scope === wanted)
    .flatMap(({ failures }) => failures(traits))
    .map((failure) => ({ ...failure, ofEntries: wanted !== 'request' }));
}

/** Kinds of callback disturbance, after an entry has failed. */
export const callbackKinds: readonly FailureKind[] = kindsOf('callback', {
  byCallback: true,
  listsFailures: true,
  statuses: [],
});

/** Whether a kind concerns a disturbed callback. */
export function isCallbackKind({ kind }: Pick<FailureKind, 'kind'>): boolean {
  return callbackKinds.some((one) => one.kind === kind);
}
