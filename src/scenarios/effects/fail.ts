/** `fail`: the matched entries fail downstream, optionally with the delay `after`. */
import { parseDuration } from '../../lib/duration.ts';
import type { EffectDefinition } from './definition.ts';
import { applyToEntries, noEntries, type OperationTraits } from './effect.ts';

export interface FailKeys {
  readonly fail?: string;
  /** A duration after the acceptance. */
  readonly after?: string;
}

/** A `then` that makes an entry fail, without its brackets. */
export const exampleFailure = 'fail: Address could not be geocoded';

export const fail: EffectDefinition<FailKeys> = {
  kind: 'fail',
  scope: 'entry',
  schemas: ({ text, duration }) => ({
    fail: text.describe('The matched entries fail downstream, with this reason'),
    after: duration.describe('Time from the acceptance of the request to the failure of the entries'),
  }),
  compile: ({ fail: reason, after }) => {
    if (reason === undefined) return undefined;
    const afterMs = after === undefined ? undefined : parseDuration(after);
    const failure = { reason, ...(afterMs !== undefined && { afterMs }) };
    return (plan, context) => applyToEntries(plan, 'failed', failure, context);
  },
  idleReason: noEntries,
  failures: (traits) => [
    {
      kind: 'failed-downstream',
      about: describeFailure('an entry', traits),
      ...((traits.byCallback || traits.listsFailures) && { lastAbout: describeFailure('the last entry', traits) }),
      effect: `{ ${exampleFailure} }`,
      expects: 'report',
      does: (observed) => observed.fail !== undefined,
    },
  ],
};

function describeFailure(what: string, { byCallback, listsFailures }: OperationTraits): string {
  if (byCallback) return `${what} is accepted, fails downstream, and is reported by callback`;
  return listsFailures
    ? `${what} fails downstream and is listed in the response`
    : 'the request fails downstream, and the response reports it';
}
