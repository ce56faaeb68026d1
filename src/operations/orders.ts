/** The rules of collection orders: importing and updating. */
import { checkSubProject, create, eachEntry, replaceFields, subProjectOf, unknownRecord } from './record.ts';
import type { Action } from './task.ts';

/** Puts orders in; a duplicate fails. */
export const importOrders: Action = eachEntry((draft, entry, task, setting) => {
  const fields = entry.value;
  const subProjectId = subProjectOf(fields, task);
  if (subProjectId !== undefined) fields['subProjectId'] = subProjectId;
  fields['trackId'] ??= setting.trackingId('orders', entry.id);
  return create(draft, 'orders', entry.id, fields, setting);
});

/** Replaces the named fields of orders; an unknown id fails. */
export const updateOrders: Action = eachEntry((draft, entry, task, setting, warn) => {
  const existing = draft.get('orders', entry.id);
  if (!existing) return unknownRecord('orders', entry.id, setting);
  const strange = checkSubProject('orders', existing, entry, task, setting, warn);
  if (strange) return strange;
  replaceFields(draft, 'orders', entry.id, existing, entry.value, setting.now);
  return undefined;
});
