/** Which entries of a request are meant: by number, id or fields. */

import type { Json } from '../base/json.ts';
import { toOrdinal } from '../base/ordinal.ts';
import type { Entry } from '../operations/task.ts';
import { matchesGlob } from './glob.ts';
import { compileFields, type Expressions, type FieldTest, valueAt } from './matcher.ts';
import type { ItemCondition } from './types.ts';

/** What makes an entry one of those that are meant. */
export type ItemTest =
  | { readonly by: 'number'; readonly wanted: string; test(item: number): boolean }
  | { readonly by: 'id'; readonly wanted: string; readonly globs: readonly string[]; test(id: string): boolean }
  | { readonly by: 'fields'; readonly fields: readonly FieldTest[] };

export function compileItem(item: ItemCondition, expressions: Expressions): ItemTest {
  if (typeof item === 'number') return { by: 'number', wanted: `item ${item}`, test: (number) => number === item };
  if (isNumbers(item)) {
    const numbers = new Set(item);
    return { by: 'number', wanted: `items ${item.join(', ')}`, test: (number) => numbers.has(number) };
  }
  if ('every' in item)
    return { by: 'number', wanted: `every ${toOrdinal(item.every)} item`, test: (n) => n % item.every === 0 };
  if ('id' in item) {
    const globs = [item.id].flat();
    return {
      by: 'id',
      wanted: `an id like ${globs.join(', ')}`,
      globs,
      test: (id) => globs.some((glob) => matchesGlob(glob, id)),
    };
  }
  return { by: 'fields', fields: compileFields(item.where, expressions) };
}

function isNumbers(item: ItemCondition): item is readonly number[] {
  return Array.isArray(item);
}

/** Tests one field of an entry. */
type See = (field: FieldTest, value: unknown, item: number) => boolean;

/** Whether an entry is one of those that are meant. */
export function matchesItem(item: ItemTest, entry: Entry, see: See = ({ test }, value) => test(value)): boolean {
  if (item.by === 'number') return item.test(entry.item);
  if (item.by === 'id') return item.test(entry.id);
  return item.fields.every((field) => see(field, valueAt(entry.value as Json, field.keys), entry.item));
}

/** The condition in words. */
export function wantedItem(item: ItemTest): string {
  if (item.by !== 'fields') return item.wanted;
  const fields = item.fields.map(({ path, wanted, isSecret }) => `${path} ${isSecret ? '***' : wanted}`);
  return `an item with ${fields.join(' and ')}`;
}
