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

/** Looks at the first entries, for what keeps them from being meant. */
export type Look = (item: ItemTest, see: See) => readonly string[];

/** Looks at the entries of one request. Most rules that look for an id miss it: what ids there are is put into words once. */
export function createLook(entries: readonly Entry[]): Look {
  let ids: readonly string[] | undefined;
  return (item, see) => {
    if (item.by === 'number') return [];
    if (item.by === 'fields') return entries.slice(0, mostEntries).map((entry) => toMissed(item.fields, entry, see));
    ids ??= entries.slice(0, mostEntries).map(({ id }) => toShort(id));
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
