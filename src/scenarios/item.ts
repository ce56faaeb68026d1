/** Compiles the `item` condition, which selects entries of a request by number, id or fields. */

import type { Json } from '../lib/json.ts';
import { toOrdinal } from '../lib/ordinal.ts';
import type { Entry } from '../operations/command.ts';
import { matchesGlob } from './glob.ts';
import { compileFields, type Expressions, type FieldTest, valueAt } from './matcher.ts';
import type { ItemCondition } from './types.ts';

/** A compiled `item` condition; `wanted` describes it. */
export type ItemTest =
  | {
      readonly by: 'number';
      readonly wanted: string;
      /** In ascending order; empty if `step` is given, which selects all its multiples. */
      readonly numbers: readonly number[];
      readonly step: number | undefined;
      test(item: number): boolean;
    }
  | { readonly by: 'id'; readonly wanted: string; readonly globs: readonly string[]; test(id: string): boolean }
  | { readonly by: 'fields'; readonly fields: readonly FieldTest[] };

export function compileItem(item: ItemCondition, expressions: Expressions): ItemTest {
  if (typeof item === 'number') {
    const test = (number: number): boolean => number === item;
    return { by: 'number', wanted: `item ${item}`, numbers: [item], step: undefined, test };
  }
  if (isNumbers(item)) {
    const wanted = new Set(item);
    const numbers = [...wanted].sort((a, b) => a - b);
    const test = (number: number): boolean => wanted.has(number);
    return { by: 'number', wanted: `items ${item.join(', ')}`, numbers, step: undefined, test };
  }
  if ('every' in item) {
    const { every: step } = item;
    return { by: 'number', wanted: `every ${toOrdinal(step)} item`, numbers: [], step, test: (n) => n % step === 0 };
  }
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
type TestField = (field: FieldTest, value: unknown, item: number) => boolean;

/** Whether an entry matches. */
export function matchesItem(
  item: ItemTest,
  entry: Entry,
  testField: TestField = ({ test }, value) => test(value),
): boolean {
  if (item.by === 'number') return item.test(entry.item);
  if (item.by === 'id') return item.test(entry.id);
  return item.fields.every((field) => testField(field, valueAt(entry.value as Json, field.keys), entry.item));
}

/** Describes the condition. */
export function describeItem(item: ItemTest): string {
  if (item.by !== 'fields') return item.wanted;
  const fields = item.fields.map(({ path, wanted, isSecret }) => `${path} ${isSecret ? '***' : wanted}`);
  return `an item with ${fields.join(' and ')}`;
}
