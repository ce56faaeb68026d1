/** Rows of the console are sorted as the sandbox sorts lists, and new ones enter only where they belong. */
import { expect, test } from 'vitest';
import { isAmongFirst, type SortKeys, sorted, sortOf } from '../../src/console/data/sorting.ts';

interface Row {
  readonly id: number;
  readonly status: number;
}

const keys: SortKeys<Row> = { status: ({ status }) => status };
const status = ({ status: value }: Row): number => value;
/** The newest first, as lists are. */
const rows: readonly Row[] = [
  { id: 4, status: 202 },
  { id: 3, status: 400 },
  { id: 2, status: 202 },
  { id: 1, status: 400 },
];

test.each([
  ['status', [4, 2, 3, 1]],
  ['-status', [3, 1, 4, 2]],
  ['', [4, 3, 2, 1]],
])('with %j, equal rows keep their order', (sort, ids) => {
  expect(sorted(rows, keys[sort.replace('-', '')], sort).map(({ id }) => id)).toEqual(ids);
});

test.each([
  ['status', 202, true],
  ['status', 400, true],
  ['status', 500, false],
  ['-status', 500, true],
  ['-status', 400, true],
  ['-status', 202, false],
])('sorted by %s, a new row with %i is among the first ones until 400: %s', (sort, value, isFirst) => {
  expect(isAmongFirst({ id: 5, status: value }, { id: 1, status: 400 }, status, sort)).toBe(isFirst);
});

test('the only row is among the first ones', () => {
  expect(isAmongFirst({ id: 5, status: 500 }, undefined, status, 'status')).toBe(true);
});

test.each([
  [{ sort: '-status' }, '-status'],
  [{ sort: 'toString' }, ''],
  [{}, ''],
])('the URL %j has the order %j', (query, sort) => {
  expect(sortOf(query, keys)).toBe(sort);
});
