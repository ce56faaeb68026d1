/** Describes the first entries that do not match a rule, as short texts that hold no reference to the body. */
import type { Json } from '../lib/json.ts';
import type { Entry } from '../operations/command.ts';
import type { ItemTest, TestField } from './item.ts';
import { type FieldTest, valueAt } from './matcher.ts';

/** Replaces a secret value in notes. */
export const hidden: symbol = Symbol('hidden');

const maxEntries = 3;
const maxValueLength = 60;

export function toShortText(value: unknown): string {
  if (value === hidden) return 'another value (hidden)';
  if (value === undefined) return 'no value';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, maxValueLength + 1) : value);
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}

/** Describes the value of a field that does not match; `value` may be `hidden`. */
export function toMismatch({ maxLength }: FieldTest, value: unknown): string {
  const text = toShortText(value);
  return maxLength !== undefined && typeof value === 'string' && value.length > maxLength
    ? `${text}, which exceeds the maximum of ${maxLength} characters`
    : text;
}

/** Returns the ids of the first entries, cut to the length that a description needs. */
export function firstIds(entries: readonly Entry[]): readonly string[] {
  const ids: string[] = [];
  for (let index = 0; index < entries.length && index < maxEntries; index += 1) {
    ids.push((entries[index] as Entry).id.slice(0, maxValueLength + 1));
  }
  return ids;
}

/** Describes the values of the first entries at these fields, by field path. */
export function readMismatches(
  fields: readonly FieldTest[],
  entries: readonly Entry[],
): Readonly<Record<string, readonly string[]>> {
  const first = entries.slice(0, maxEntries);
  return Object.fromEntries(
    fields.map(({ path, keys }) => [path, first.map(({ value }) => toShortText(valueAt(value, keys)))]),
  );
}

/** Describes the first entries that do not match a condition; empty for a condition on the entry number. */
export type MismatchReader = (item: ItemTest, testField: TestField) => readonly string[];

/** Creates a reader for the entries of one request. It describes their ids only once, for all rules. */
export function createMismatchReader(entries: readonly Entry[]): MismatchReader {
  let ids: readonly string[] | undefined;
  return (item, testField) => {
    if (item.by === 'number') return [];
    if (item.by === 'fields')
      return entries.slice(0, maxEntries).map((entry) => describeMismatch(item.fields, entry, testField));
    ids ??= firstIds(entries).map(toShortText);
    return ids;
  };
}

/** Describes the first field that does not match: its value, and its path if the condition has several fields. */
function describeMismatch(fields: readonly FieldTest[], { value, item }: Entry, testField: TestField): string {
  for (const field of fields) {
    const found = valueAt(value as Json, field.keys);
    if (testField(field, found, item)) continue;
    const text = toMismatch(field, field.isSecret && found !== undefined ? hidden : found);
    return fields.length === 1 ? text : `${field.path} ${text}`;
  }
  return 'no value';
}
