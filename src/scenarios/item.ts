/** Compiles the `item` condition, which selects entries of a request by number, id or fields. */
import { toOrdinal } from '../lib/format.ts';
import { compileFields, type Expressions, type FieldTest } from './matcher.ts';
import type { ItemCondition } from './types.ts';

/** A compiled `item` condition; `wanted` describes it. */
export type ItemTest = { readonly wanted: string } & (
  | {
      readonly by: 'number';
      /** In ascending order; empty if `step` is given, which selects all its multiples. */
      readonly numbers: readonly number[];
      readonly step: number | undefined;
      test(item: number): boolean;
    }
  | { readonly by: 'id'; readonly globs: readonly string[] }
  | { readonly by: 'fields'; readonly fields: readonly FieldTest[] }
);

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
    return { by: 'id', wanted: `an id like ${globs.join(' or ')}`, globs };
  }
  const fields = compileFields(item.where, expressions);
  return { by: 'fields', wanted: `an item with ${fields.map(({ wanted }) => wanted).join(' and ')}`, fields };
}

function isNumbers(item: ItemCondition): item is readonly number[] {
  return Array.isArray(item);
}

/** Returns those of the numbers of entries, which ascend, that a condition selects by number. */
export function selectNumbers(
  { step, numbers }: Extract<ItemTest, { by: 'number' }>,
  present: ReadonlySet<number>,
  last: number,
): readonly number[] {
  if (step === undefined) return numbers.filter((number) => present.has(number));
  const multiples = Array.from({ length: Math.floor(last / step) }, (_, index) => (index + 1) * step);
  return multiples.filter((number) => present.has(number));
}
