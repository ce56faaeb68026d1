/** Checks that the status of an update may follow the stored status. */
import { type Entry, type EntryRules, nouns } from './command.ts';
import type { EntryFailure } from './record.ts';

/** Returns the failure if the profile does not list the new status. The same status is always valid. */
export function checkTransition(
  collection: 'jobs' | 'orders',
  { id, value }: Entry,
  existing: Readonly<Record<string, unknown>>,
  { transitions }: EntryRules,
): EntryFailure | undefined {
  const { status } = value;
  const stored = existing['status'];
  if (typeof status !== 'string' || typeof stored !== 'string' || status === stored) return undefined;
  const following = transitions[collection];
  if (!Object.hasOwn(following, stored)) return undefined;
  const allowed = following[stored] ?? [];
  if (allowed.includes(status)) return undefined;
  const expected = allowed.length === 0 ? 'no other status may follow' : `expected ${allowed.join(' or ')}`;
  return {
    kind: 'downstream',
    reason: `${nouns[collection]} ${id} is ${stored} and cannot become ${status}: ${expected}`,
    cause: { kind: 'transition', place: 'status', text: `${stored} cannot become ${status}` },
  };
}
