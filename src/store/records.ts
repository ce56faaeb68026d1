/** The records of one project, in collections by id, oldest first; knows nothing of what the fields mean. */
import type { Json } from '../base/json.ts';
import { type Batch, Collection } from './collection.ts';

/** Five name spaces: an id of one says nothing about the others. */
export const collections = ['jobs', 'orders', 'routes', 'users', 'devices'] as const;
export type CollectionName = (typeof collections)[number];

/** A record: the API's own fields, and beside them what the sandbox adds (`createdAt`, `updatedAt`, …). */
export type StoredRecord = Json;

/** A device's location as it was sent. */
export type Point = Json;

/** What the rules may see of the records. */
export interface Reads {
  get(collection: CollectionName, id: string): StoredRecord | undefined;
}

/** What the rules want changed: a record put in whole, or a point added to a device's trail. */
export type Write =
  | { readonly put: StoredRecord; readonly into: CollectionName; readonly id: string }
  | {
      readonly unread: Batch;
      readonly index: number;
      readonly added: Json;
      readonly into: 'jobs' | 'orders';
      readonly id: string;
    }
  | { readonly point: Point; readonly device: string; readonly at: number };

/** A point of a trail, with its instant in milliseconds, by which trails are ordered. */
export interface TrailPoint {
  readonly point: Point;
  readonly at: number;
}

/** All records of a project. Serialisable: see `toSnapshot`. */
export interface Records {
  readonly jobs: Collection;
  readonly orders: Collection;
  readonly routes: Map<string, StoredRecord>;
  readonly users: Map<string, StoredRecord>;
  readonly devices: Map<string, StoredRecord>;
  readonly trails: Map<string, TrailPoint[]>;
}

/** How many points of a device's trail are kept. */
export const longestTrail = 1000;

export function createRecords(): Records {
  return {
    jobs: new Collection(),
    orders: new Collection(),
    routes: new Map(),
    users: new Map(),
    devices: new Map(),
    trails: new Map(),
  };
}

/** The records as the rules see them. */
export function readsOf(records: Records): Reads {
  return { get: (collection, id) => records[collection].get(id) };
}

/** Carries all writes out, in order. */
export function applyWrites(records: Records, writes: readonly Write[]): void {
  for (const write of writes) {
    if ('put' in write) records[write.into].set(write.id, write.put);
    else if ('unread' in write) records[write.into].setUnread(write.id, write.unread, write.index, write.added);
    else addPoint(records, write.device, write);
  }
}

/** Keeps the trail in the order of its instants; equal ones in the order of arrival. */
function addPoint(records: Records, device: string, { point, at }: TrailPoint): void {
  const trail = records.trails.get(device) ?? [];
  records.trails.set(device, trail);
  let place = trail.length;
  while (place > 0 && (trail[place - 1] as TrailPoint).at > at) place -= 1;
  if (place === trail.length) trail.push({ point, at });
  else trail.splice(place, 0, { point, at });
  if (trail.length > 2 * longestTrail) trail.splice(0, trail.length - longestTrail);
}

/** A device's trail, oldest first. */
export function trailOf(records: Records, device: string): readonly Point[] {
  return (records.trails.get(device) ?? []).slice(-longestTrail).map(({ point }) => point);
}

/** Records as the rules see them while they run: what they have written already lies on top. */
export interface Draft extends Reads {
  readonly writes: Write[];
  put(into: CollectionName, id: string, record: StoredRecord): void;
}

/** A draft over what is stored; nothing is changed until its writes are applied. */
export function createDraft(reads: Reads): Draft {
  const writes: Write[] = [];
  const written: Partial<Record<CollectionName, Map<string, StoredRecord>>> = {};
  return {
    writes,
    get: (collection, id) => written[collection]?.get(id) ?? reads.get(collection, id),
    put: (into, id, put) => {
      written[into] ??= new Map();
      written[into].set(id, put);
      writes.push({ put, into, id });
    },
  };
}
