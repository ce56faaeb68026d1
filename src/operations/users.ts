/** Implements the actions of users. Passwords are accepted and never stored. */
import type { Json } from '../lib/json.ts';
import type { Action } from './command.ts';
import { create, eachEntry, updateEach } from './record.ts';

/** Registers a user. A username that exists fails. */
export const register: Action = eachEntry((applying) => {
  const { entry, context } = applying;
  const fields = withoutPassword(entry.value, context.now);
  const { attendantAccess, withoutType } = context.rules.users;
  if (withoutType !== 'reject') fields['type'] ??= withoutType;
  if (fields['type'] === 'attendant' && attendantAccess === 'default') fields['access'] ??= ['HO'];
  return create(applying, 'users', fields);
});

/** Updates a user. A body with only a password resets it. */
export const change: Action = updateEach('users', undefined, (fields, { now }) => withoutPassword(fields, now));

/** Replaces the password with the time at which it was set. */
function withoutPassword(value: Json, now: string): Json {
  const { password, projectId: _inPath, ...fields } = value;
  return password === undefined ? fields : { ...fields, passwordChangedAt: now };
}
