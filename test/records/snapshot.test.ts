/** A snapshot holds all records, and putting it back gives the same records again. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toJsonPieces } from '../../src/http/json-pieces.ts';
import { runAll } from '../../src/lib/slices.ts';
import { applyWrites, createRecords, type Records, trailOf, type Write } from '../../src/records/records.ts';
import { toSnapshot as capture, fromSnapshot, type Snapshot } from '../../src/records/snapshot.ts';

const now = '2026-03-02T09:30:00.000Z';
const later = '2027-01-01T00:00:00.000Z';
const empty: Snapshot = { version: 1, jobs: [], orders: [], routes: [], users: [], locations: [] };

const id = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('__proto__', 'constructor', 'A', 'B'));
const fields = fc.dictionary(
  fc.string().filter((key) => !['id', 'username', 'deviceId', 'password', 'trail'].includes(key)),
  fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown),
);
const dated = { createdAt: now, updatedAt: later };
const instant = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

const record = fc
  .tuple(fc.constantFrom('jobs', 'orders', 'routes'), id, fields)
  .map(([into, key, more]): Write[] => [{ into, id: key, put: { ...more, id: key, ...dated } }]);
const user = fc
  .tuple(id, fields)
  .map(([key, more]): Write[] => [{ into: 'users', id: key, put: { ...more, username: key, ...dated } }]);
const location = fc.tuple(id, instant, fields).map(([key, eventDateTime, more]): Write[] => {
  const point = { ...more, deviceId: key, eventDateTime };
  return [
    { into: 'devices', id: key, put: { ...point, ...dated } },
    { point, device: key, at: Date.parse(eventDateTime) },
  ];
});

/** What comes over the wire. */
function toSnapshot(records: Records): Snapshot {
  return JSON.parse([...toJsonPieces(capture(records))].join('')) as Snapshot;
}

function toRecords(writes: readonly Write[][]): Records {
  const records = createRecords();
  applyWrites(records, writes.flat());
  return records;
}

test('a restored snapshot equals the original, also after serialisation', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(record, user, location), { maxLength: 30 }), (writes) => {
      const records = toRecords(writes);
      const restored = runAll(fromSnapshot(toSnapshot(records), later));
      expect(restored).toEqual(records);
      expect(toSnapshot(restored)).toEqual(toSnapshot(records));
      expect([...restored.jobs.keys()]).toEqual([...records.jobs.keys()]);
    }),
  );
});

test('later changes do not affect a captured snapshot', () => {
  const records = toRecords([[{ into: 'jobs', id: 'A', put: { id: 'A', n: 1, ...dated } }]]);
  const snapshot = capture(records);
  applyWrites(records, [{ into: 'jobs', id: 'A', put: { id: 'A', n: 2, ...dated } }]);
  expect([...snapshot.jobs]).toEqual([{ id: 'A', n: 1, ...dated }]);
});

test('a hand-written snapshot can omit the times', () => {
  const { jobs } = runAll(fromSnapshot({ ...empty, jobs: [{ id: 'A' }, { id: 'B', createdAt: later }] }, now));
  expect([...jobs.values()]).toEqual([
    { id: 'A', createdAt: now, updatedAt: now },
    { id: 'B', createdAt: later, updatedAt: now },
  ]);
});

test('a password in a snapshot is never restored', () => {
  const { users } = runAll(fromSnapshot({ ...empty, users: [{ username: 'ana', password: 'Secret!1' }] }, now));
  expect(JSON.stringify([...users])).not.toContain('Secret');
});

test('a device without a trail has its own point as the trail', () => {
  const device = { deviceId: 'D', eventDateTime: now };
  expect(trailOf(runAll(fromSnapshot({ ...empty, locations: [device] }, now)), 'D')).toEqual([device]);
});

test('a hand-written trail is sorted by time', () => {
  const at = (eventDateTime: string) => ({ deviceId: 'D', eventDateTime });
  const device = { ...at(later), trail: [at(later), at(now)] };
  const restored = runAll(fromSnapshot({ ...empty, locations: [device] }, now));
  expect(trailOf(restored, 'D')).toEqual([at(now), at(later)]);
});
