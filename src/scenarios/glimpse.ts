/** What a few entries had where a rule wanted something else: short texts, made at once, so that no body is kept for them. */
import type { Json } from '../base/json.ts';
import type { Entry } from '../operations/task.ts';
import type { ItemTest } from './item.ts';
import { type FieldTest, valueAt } from './matcher.ts';

/** What is noted in place of a secret. */
export const hidden: symbol = Symbol('hidden');

const mostEntries = 3;
const longestValue = 60;

/** A value in a few words. */
export function toShort(value: unknown): string {
  if (value === hidden) return 'another, which is not shown';
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, longestValue + 1) : value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}

/** Whether a field of an entry is as wanted. */
type See = (field: FieldTest, value: unknown, item: number) => boolean;

/** The ids of the first entries, not longer than can be told of them. */
export function firstIds(entries: readonly Entry[]): readonly string[] {
  const ids: string[] = [];
  for (let place = 0; place < entries.length && place < mostEntries; place += 1) {
    ids.push((entries[place] as Entry).id.slice(0, longestValue + 1));
  }
  return ids;
}

/** What the first entries have in place of what is wanted of them, in words; nothing where that is a number. */
export type Look = (item: ItemTest, see: See) => readonly string[];

/** Looks at the entries of one request. Many rules may miss an id: what ids there are is put into words once. */
export function createLook(entries: readonly Entry[]): Look {
  let ids: readonly string[] | undefined;
  return (item, see) => {
    if (item.by === 'number') return [];
    if (item.by === 'fields') return entries.slice(0, mostEntries).map((entry) => toMissed(item.fields, entry, see));
    ids ??= firstIds(entries).map(toShort);
    return ids;
  };
}

/** The first field that is not as wanted: its value, and where it stands if that is not plain. */
function toMissed(fields: readonly FieldTest[], { value, item }: Entry, see: See): string {
  for (const field of fields) {
    const found = valueAt(value as Json, field.keys);
    if (see(field, found, item)) continue;
    const words = toShort(field.isSecret && found !== undefined ? hidden : found);
    return fields.length === 1 ? words : `${field.path} ${words}`;
  }
  return 'nothing';
}
