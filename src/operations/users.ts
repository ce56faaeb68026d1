/** The rules of users that need the stored records; a password is taken and never kept. */
import type { Json } from '../base/json.ts';
import { create, eachEntry, replaceFields, unknownRecord } from './record.ts';
import type { Action } from './task.ts';

/** Registers a user; a username that exists fails. */
export const register: Action = eachEntry((draft, entry, _task, setting) => {
  const fields = withoutPassword(entry.value, setting.now);
  if (fields['type'] === 'attendant' && setting.attendantAccess === 'default') fields['access'] ??= ['HO'];
  return create(draft, 'users', entry.id, fields, setting);
});

/** Replaces the named fields of a user; an unknown username fails. A body with a password alone resets it. */
export const change: Action = eachEntry((draft, entry, _task, setting) => {
  const existing = draft.get('users', entry.id);
  if (!existing) return unknownRecord('users', entry.id, setting);
  replaceFields(draft, 'users', entry.id, existing, withoutPassword(entry.value, setting.now), setting.now);
  return undefined;
});

/** What remains of a password is when it was set. */
function withoutPassword(value: Json, now: string): Json {
  const { password, projectId: _inPath, ...fields } = value;
  return password === undefined ? fields : { ...fields, passwordChangedAt: now };
}
