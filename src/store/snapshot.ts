/** A project's records as one JSON value, and back. */
import type { Json } from '../base/json.ts';
import { parseTimestamp } from '../base/time.ts';
import { createRecords, type Records, trailOf } from './records.ts';

/** All records: fields at the top level, the sandbox's own beside them; a device brings its trail along. */
export interface Snapshot {
  readonly version: 1;
  readonly jobs: readonly Json[];
  readonly orders: readonly Json[];
  readonly routes: readonly Json[];
  readonly users: readonly Json[];
  readonly locations: readonly Json[];
}

export function toSnapshot(records: Records): Snapshot {
  const all = (name: 'jobs' | 'orders' | 'routes' | 'users'): Json[] => [...records[name].values()];
  return {
    version: 1,
    jobs: all('jobs'),
    orders: all('orders'),
    routes: all('routes'),
    users: all('users'),
    locations: [...records.devices].map(([id, device]) => ({ ...device, trail: trailOf(records, id) })),
  };
}

/** A snapshot without what a user's record never holds. */
export function withoutPasswords(snapshot: Snapshot): Snapshot {
  return { ...snapshot, users: snapshot.users.map(({ password: _never, ...user }) => user) };
}

/** The records of a snapshot. One written by hand may lack `createdAt` and `updatedAt`: they become `now`. */
export function fromSnapshot(snapshot: Snapshot, now: string): Records {
  const records = createRecords();
  const dated = (record: Json): Json => ({
    ...record,
    createdAt: record['createdAt'] ?? now,
    updatedAt: record['updatedAt'] ?? now,
  });
  for (const name of ['jobs', 'orders', 'routes'] as const) {
    for (const record of snapshot[name]) records[name].set(String(record['id']), dated(record));
  }
  for (const user of withoutPasswords(snapshot).users) records.users.set(String(user['username']), dated(user));
  for (const { trail, ...device } of snapshot.locations) {
    const id = String(device['deviceId']);
    const points = Array.isArray(trail) ? (trail as Json[]) : [device];
    const instantOf = (point: Json): number => parseTimestamp(String(point['eventDateTime'])) ?? 0;
    records.devices.set(id, dated(device));
    records.trails.set(
      id,
      points.map((point) => ({ point, at: instantOf(point) })).toSorted((a, b) => a.at - b.at),
    );
  }
  return records;
}
