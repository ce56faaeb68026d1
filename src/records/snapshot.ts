/** Converts a project's records to one JSON value and back. */
import type { Json } from '../lib/json.ts';
import type { Violation } from '../lib/problem.ts';
import type { Steps } from '../lib/slices.ts';
import { createRecords, type Records, type StoredRecord, timeOf, trailOf } from './records.ts';

/** All records. The sandbox's own fields are next to the API's; a device contains its trail. */
export interface Snapshot {
  readonly version: 1;
  readonly jobs: readonly Json[];
  readonly orders: readonly Json[];
  readonly routes: readonly Json[];
  readonly users: readonly Json[];
  readonly locations: readonly Json[];
}

/** A snapshot whose lists can be iterated once, at any later time. Records are never changed, but replaced. */
export type CapturedSnapshot = {
  readonly [Name in keyof Snapshot]: Name extends 'version' ? Snapshot[Name] : Iterable<Json>;
};

/** Captures the current records. */
export function toSnapshot(records: Records): CapturedSnapshot {
  return {
    version: 1,
    jobs: [...records.jobs.values()],
    orders: [...records.orders.values()],
    routes: [...records.routes.values()],
    users: [...records.users.values()],
    locations: [...records.devices].map(([id, device]) => ({ ...device, trail: trailOf(records, id) })),
  };
}

/** Removes passwords, which a stored user never contains. */
export function withoutPasswords(snapshot: Snapshot): Snapshot {
  return { ...snapshot, users: snapshot.users.map(({ password: _never, ...user }) => user) };
}

/** The field with the id of a record, by list. */
const idFields = { jobs: 'id', orders: 'id', routes: 'id', users: 'username', locations: 'deviceId' } as const;

/** Finds a record with the id of an earlier one of its list: only one of both could be restored. */
export function* findRepeated(snapshot: Snapshot): Steps<Violation | undefined> {
  for (const list of ['jobs', 'orders', 'routes', 'users', 'locations'] as const) {
    const places = new Map<unknown, string>();
    for (const [index, { [idFields[list]]: id }] of snapshot[list].entries()) {
      const place = `/${list}/${index}`;
      const earlier = places.get(id);
      if (earlier) {
        const both = `${JSON.stringify(id)} at ${earlier} and at ${place}`;
        return {
          path: `${place}/${idFields[list]}`,
          message: `expected an id of its own for each record, got ${both}`,
        };
      }
      places.set(id, place);
      yield;
    }
  }
  return undefined;
}

/**
 * Creates records from a snapshot, which may contain half a million. A snapshot written by hand may lack `createdAt`
 * and `updatedAt`: they become the time that the returned function gets, when the records are restored.
 */
export function* fromSnapshot(snapshot: Snapshot): Steps<(now: string) => Records> {
  const records = createRecords();
  const undated: StoredRecord[] = [];
  const withDates = (record: Json): StoredRecord => {
    const dated = { ...record, createdAt: record['createdAt'], updatedAt: record['updatedAt'] };
    if (dated.createdAt === undefined || dated.updatedAt === undefined) undated.push(dated);
    return dated;
  };
  for (const name of ['jobs', 'orders', 'routes'] as const) {
    for (const record of snapshot[name]) {
      records[name].set(String(record['id']), withDates(record));
      yield;
    }
  }
  for (const user of withoutPasswords(snapshot).users) {
    records.users.set(String(user['username']), withDates(user));
    yield;
  }
  for (const { trail, ...device } of snapshot.locations) {
    const id = String(device['deviceId']);
    const points = Array.isArray(trail) ? (trail as Json[]) : [device];
    records.devices.set(id, withDates(device));
    records.trails.set(
      id,
      points.map((point) => ({ point, at: timeOf(point) })).toSorted((a, b) => a.at - b.at),
    );
    yield;
  }
  return (now) => {
    for (const record of undated) {
      record['createdAt'] ??= now;
      record['updatedAt'] ??= now;
    }
    return records;
  };
}
