/** Implements the actions of collection orders: import and update. */

import type { Action } from './command.ts';
import { checkSubProject, create, eachEntry, replaceFields, subProjectOf, unknownRecord } from './record.ts';

/** Imports orders. A duplicate fails. */
export const importOrders: Action = eachEntry((draft, entry, command, context) => {
  const fields = entry.value;
  const subProjectId = subProjectOf(fields, command);
  if (subProjectId !== undefined) fields['subProjectId'] = subProjectId;
  fields['trackId'] ??= context.trackingId('orders', entry.id);
  return create(draft, 'orders', entry.id, fields, context);
});

/** Replaces the given fields of orders. An unknown id fails. */
export const updateOrders: Action = eachEntry((draft, entry, command, context, warn) => {
  const existing = draft.get('orders', entry.id);
  if (!existing) return unknownRecord('orders', entry.id, context);
  const failure = checkSubProject('orders', existing, entry, command, context, warn);
  if (failure) return failure;
  replaceFields(draft, 'orders', entry.id, existing, entry.value, context.now);
  return undefined;
});
