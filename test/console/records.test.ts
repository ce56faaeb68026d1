/** The columns of the tables of records, and the texts of their cells. */
import { expect, test } from 'vitest';
import { collectionOf, toTime, usedColumns } from '../../src/console/screens/records/collections.ts';

test.each([
  ['2026-03-02T09:30:00.123Z', '2026-03-02 09:30:00'],
  ['2026-03-02T09:30:00+10:00', '2026-03-01 23:30:00'],
  ['2026-03-02', '2026-03-02'],
  ['2026-03-02T09:30:00', '2026-03-02 09:30:00'],
  [undefined, ''],
])('the time %s is shown in UTC', (value, text) => {
  expect(toTime(value)).toBe(text);
});

test('columns that are empty in all records are omitted, except the first two', () => {
  const keys = (...records: object[]) =>
    usedColumns(collectionOf('jobs'), records as Record<string, unknown>[]).map(({ key }) => key);
  expect(keys()).toEqual(['id', 'status']);
  expect(keys({ id: 'J-1' }, { id: 'J-2', deliveryDate: '2026-03-02T09:30:00Z' })).toEqual([
    'id',
    'status',
    'deliveryDate',
  ]);
});
