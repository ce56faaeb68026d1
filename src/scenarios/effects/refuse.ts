/** `refuse`: the response rejects the matched entries. */
import type { EffectDefinition } from './definition.ts';
import { applyToEntries, noEntries } from './effect.ts';

export interface RefuseKeys {
  readonly refuse?: string;
}

export const refuse: EffectDefinition<RefuseKeys> = {
  kind: 'refuse',
  scope: 'entry',
  schemas: ({ text }) => ({
    refuse: text.describe('The response rejects the matched entries, with this reason'),
  }),
  compile: ({ refuse: reason }) =>
    reason === undefined ? undefined : (plan, context) => applyToEntries(plan, 'refused', reason, context),
  idleReason: noEntries,
  failures: ({ listsFailures }) => [
    {
      kind: 'refused',
      about: listsFailures ? 'an entry is rejected and listed in the response' : 'the request is rejected as invalid',
      effect: '{ refuse: The service area of this address is closed }',
      ...(listsFailures && { lastAbout: 'the last entry is rejected and listed in the response' }),
      expects: 'report',
      does: (observed) => observed.refuse !== undefined,
    },
  ],
};
