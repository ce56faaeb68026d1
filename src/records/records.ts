/** Stores the records of one project in collections by id, oldest first, without interpreting their fields. */
import type { Json } from '../lib/json.ts';
import type { Cause } from '../lib/problem.ts';
import { parseTimestamp } from '../lib/time.ts';

/** Names of the collections. Ids are unique only within a collection. */
export const collections = ['jobs', 'orders', 'routes', 'users', 'devices'] as const;
export type CollectionName = (typeof collections)[number];

/** A record: the API's own fields, and fields that the sandbox adds (`createdAt`, `updatedAt`, …). */
export type StoredRecord = Json;

/** A device's location as it was sent. */
export type DevicePoint = Json;

export interface RecordReader {
  get(collection: CollectionName, id: string): StoredRecord | undefined;
}

/** A change of the records: a whole record, or a point for a device's trail. */
export type Write =
  | { readonly put: StoredRecord; readonly into: CollectionName; readonly id: string }
  | { readonly point: DevicePoint; readonly device: string; readonly at: number };

/** A point of a trail, with its time in milliseconds. Trails are ordered by time. */
export interface TrailPoint {
  readonly point: DevicePoint;
  readonly at: number;
}

/** All records of a project. `toSnapshot` converts them to JSON. */
export interface Records {
  readonly jobs: Map<string, StoredRecord>;
  readonly orders: Map<string, StoredRecord>;
  readonly routes: Map<string, StoredRecord>;
  readonly users: Map<string, StoredRecord>;
  readonly devices: Map<string, StoredRecord>;
  readonly trails: Map<string, TrailPoint[]>;
}

/** Returns the time of a point as it was sent, in milliseconds. */
export function timeOf(point: DevicePoint): number {
  return parseTimestamp(String(point['eventDateTime'])) ?? 0;
}

/** Maximum number of points in a device's trail. */
const maxTrailPoints = 1000;

export function createRecords(): Records {
  return {
    jobs: new Map(),
    orders: new Map(),
    routes: new Map(),
    users: new Map(),
    devices: new Map(),
    trails: new Map(),
  };
}

export function toRecordReader(records: Records): RecordReader {
  return { get: (collection, id) => records[collection].get(id) };
}

export function applyWrites(records: Records, writes: readonly Write[]): void {
  for (const write of writes) {
    if ('point' in write) addPoint(records, write.device, write);
    else records[write.into].set(write.id, write.put);
  }
}

/** Adds a point to a trail in order of time; points of the same time stay in the order of arrival. */
function addPoint(records: Records, device: string, { point, at }: TrailPoint): void {
  const trail = records.trails.get(device) ?? [];
  records.trails.set(device, trail);
  let index = trail.length;
  while (index > 0 && (trail[index - 1] as TrailPoint).at > at) index -= 1;
  if (index === trail.length) trail.push({ point, at });
  else trail.splice(index, 0, { point, at });
  if (trail.length > 2 * maxTrailPoints) trail.splice(0, trail.length - maxTrailPoints);
}

/** Returns a device's trail, oldest point first. */
export function trailOf(records: Records, device: string): readonly DevicePoint[] {
  return (records.trails.get(device) ?? []).slice(-maxTrailPoints).map(({ point }) => point);
}

/** The records as an action sees them while it runs: with its own writes on top. */
export interface Draft extends RecordReader {
  readonly writes: Write[];
  /** Numbers of the entries that created records. */
  readonly origins: Map<StoredRecord, number>;
  /** Number of fields of objects that were merged. */
  merged: number;
  put(into: CollectionName, id: string, record: StoredRecord): void;
}

/** Creates a draft on top of the stored records. Nothing changes until its writes are applied. */
export function createDraft(reads: RecordReader): Draft {
  const writes: Write[] = [];
  const written: Partial<Record<CollectionName, Map<string, StoredRecord>>> = {};
  return {
    writes,
    origins: new Map(),
    merged: 0,
    get: (collection, id) => written[collection]?.get(id) ?? reads.get(collection, id),
    put: (into, id, put) => {
      written[into] ??= new Map();
      written[into].set(id, put);
      writes.push({ put, into, id });
    },
  };
}

/** The ids of a request's entries. */
export interface NamedIds {
  /** In the order of the body, routes before all jobs; an empty text for an entry without an id. */
  readonly ids: readonly string[];
  /** For routes: the number of jobs of each. */
  readonly jobs?: readonly number[];
}

/** Returns the ids of the entries that rules count: those of the jobs of routes, not of the routes. */
export function toEntryIds({ ids, jobs = [] }: NamedIds): readonly string[] {
  return ids.slice(jobs.length);
}

/** The writes of one command, and what they replaced. */
export interface Replacement {
  readonly writes: readonly Write[];
  /** For each write: the record that was stored before, or null. Empty if there was none, and for locations. */
  readonly replaced: readonly (StoredRecord | null)[];
  /** Memory that only this keeps, in bytes: a record counts where it is stored, until another one replaces it. */
  readonly size: number;
}

export interface Applied extends Replacement {
  /** Time of the project's clock, in milliseconds. */
  readonly atMs: number;
  /** The entries that were not applied, in the order of the request. Those that a scenario lets fail have no cause. */
  readonly failed: readonly { readonly id: string; readonly reason: string; readonly cause?: Cause }[];
}

/** Of a command that writes nothing. */
export const nothingReplaced: Replacement = { writes: [], replaced: [], size: 0 };
