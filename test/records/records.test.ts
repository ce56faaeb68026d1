/** Records in collections by id, and the trails of devices in the order of their instants. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  applyWrites,
  collections,
  createDraft,
  createRecords,
  maxTrailPoints,
  toRecordReader,
  trailOf,
  type Write,
} from '../../src/records/records.ts';

const point = (at: number, name = `${at}`): Write => ({ point: { name }, device: 'D', at });

test('a record has an id within its collection', () => {
  const records = createRecords();
  applyWrites(
    records,
    collections.map((into) => ({ into, id: 'X', put: { in: into } })),
  );
  const reads = toRecordReader(records);
  expect(collections.map((name) => reads.get(name, 'X'))).toEqual(collections.map((name) => ({ in: name })));
  expect(reads.get('jobs', 'Y')).toBeUndefined();
});

test.each(['__proto__', 'constructor', 'toString', '', ' ', 'é'])('accepts the id %j', (id) => {
  const records = createRecords();
  expect(toRecordReader(records).get('jobs', id)).toBeUndefined();
  applyWrites(records, [{ into: 'jobs', id, put: { id } }]);
  expect(toRecordReader(records).get('jobs', id)).toEqual({ id });
});

test('a replaced record keeps its position', () => {
  const records = createRecords();
  const put = (id: string, n: number): Write => ({ into: 'jobs', id, put: { id, n } });
  applyWrites(records, [put('A', 1), put('B', 1), put('A', 2)]);
  expect([...records.jobs.values()]).toEqual([
    { id: 'A', n: 2 },
    { id: 'B', n: 1 },
  ]);
});

describe('a trail', () => {
  test('is ordered by time, then by arrival', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 60 }), (instants) => {
        const records = createRecords();
        applyWrites(
          records,
          instants.map((at, index) => point(at, `${index}`)),
        );
        const wanted = instants
          .map((at, index) => ({ at, index }))
          .toSorted((a, b) => a.at - b.at || a.index - b.index);
        expect(trailOf(records, 'D')).toEqual(wanted.map(({ index }) => ({ name: `${index}` })));
      }),
    );
  });

  test.each([
    ['in order', (n: number) => n],
    ['backwards', (n: number) => 10_000 - n],
  ])('stores the latest 1,000 by time, received %s', (_, toInstant) => {
    const records = createRecords();
    for (let n = 0; n < 3500; n += 1) applyWrites(records, [point(toInstant(n))]);
    const instants = Array.from({ length: 3500 }, (_each, n) => toInstant(n)).toSorted((a, b) => a - b);
    expect(trailOf(records, 'D')).toEqual(instants.slice(-maxTrailPoints).map((at) => ({ name: `${at}` })));
    expect(records.trails.get('D')?.length).toBeLessThanOrEqual(2 * maxTrailPoints);
  });

  test('is empty for an unknown device', () => {
    expect(trailOf(createRecords(), 'D')).toEqual([]);
  });
});

test('a draft shows its writes on top of the stored records, and changes nothing until it is applied', () => {
  const records = createRecords();
  applyWrites(records, [{ into: 'jobs', id: 'A', put: { id: 'A', n: 1 } }]);
  const draft = createDraft(toRecordReader(records));
  draft.put('jobs', 'A', { id: 'A', n: 2 });
  draft.put('orders', 'A', { id: 'A', n: 3 });
  expect(draft.get('jobs', 'A')).toEqual({ id: 'A', n: 2 });
  expect(draft.get('routes', 'A')).toBeUndefined();
  expect(records.jobs.get('A')).toEqual({ id: 'A', n: 1 });
  applyWrites(records, draft.writes);
  expect([records.jobs.get('A'), records.orders.get('A')]).toEqual([
    { id: 'A', n: 2 },
    { id: 'A', n: 3 },
  ]);
});

test('a draft does not confuse ids of different collections', () => {
  const draft = createDraft(toRecordReader(createRecords()));
  draft.put('jobs', 'orders:1', { id: 'orders:1' });
  expect(draft.get('orders', '1')).toBeUndefined();
  expect(draft.get('jobs', '1')).toBeUndefined();
});
