/** Finds the records that must have existed before the traffic. */
import type { Json } from '../../lib/json.ts';
import { operations } from '../../operations/index.ts';
import type { CollectionName } from '../../records/records.ts';
import type { Snapshot } from '../../records/snapshot.ts';
import { compareEntries } from './compare/entries.ts';
import { isObject } from './exchange.ts';
import { isCreation } from './mapping/skeleton.ts';
import { type Case, namedIds } from './play/play.ts';

/** A record that must have existed before the traffic. */
export interface AssumedRecord {
  readonly project: string;
  readonly collection: CollectionName;
  readonly id: string;
  readonly subProjectId?: string | undefined;
}

const isUnknown = /unknown|not found|does not exist/i;
const isExisting = /exist|already|duplicate/i;

/** Returns the records whose existence explains a response: a change that succeeds, a creation that does not. */
export function findAssumed(cases: readonly Case[]): readonly AssumedRecord[] {
  const created = new Set(cases.flatMap(createdBy).map(toKey));
  const found = new Map<string, AssumedRecord>();
  for (const one of cases)
    for (const record of assumedBy(one)) {
      const key = toKey(record);
      // The traffic creates it, so it did not exist: something else explains the response.
      if (!created.has(key)) found.set(key, record);
    }
  return [...found.values()];
}

/** Returns the records that the real API accepted as new ones. */
function createdBy({ mapped: { exchange, operation, identifiers } }: Case): readonly AssumedRecord[] {
  const { status, body } = exchange.response;
  const { collection } = operations[operation];
  if (status >= 300 || !isCreation(operation)) return [];
  const failed = isObject(body?.value) && Array.isArray(body.value['failed']) ? body.value['failed'] : [];
  const failedIds = failed.map((one: unknown) => (isObject(one) ? one['id'] : undefined));
  return namedIds(exchange, operation)
    .filter((id) => !failedIds.includes(id))
    .map((id) => ({ project: identifiers.projectId ?? '', collection, id }));
}

export function toKey({ project, collection, id }: AssumedRecord): string {
  return JSON.stringify([project, collection, id]);
}

function assumedBy(one: Case): readonly AssumedRecord[] {
  const { mapped, ours } = one;
  const { exchange, operation, identifiers } = mapped;
  const { status, body } = exchange.response;
  const { collection } = operations[operation];
  if (collection === 'devices') return [];
  const { projectId: project, subProjectId } = identifiers;
  if (project === undefined) return [];
  const toRecord = (id: string): AssumedRecord => ({ project, collection, id, subProjectId });
  const inPath = identifiers.jobId ?? identifiers.orderId ?? identifiers.username;
  if (ours.kind === 'notFound' && status < 300) return namedIds(exchange, operation, inPath).map(toRecord);
  if (status === 409 && ours.kind === undefined && ours.status < 300)
    return namedIds(exchange, operation, inPath)
      .filter((id) => !one.before.has(id))
      .map(toRecord);
  return compareEntries(ours.value, body?.value).flatMap(({ id, ours: reason, real }) => {
    const mustExist =
      (reason !== undefined && isUnknown.test(reason) && !/expected/.test(reason)) ||
      (real !== undefined && isExisting.test(real) && !one.before.has(id));
    return mustExist && id !== '' ? [toRecord(id)] : [];
  });
}

/** Converts assumed records to a snapshot for each project. */
export function toSnapshots(records: readonly AssumedRecord[]): ReadonlyMap<string, Snapshot> {
  const snapshots = new Map<string, { -readonly [Key in keyof Snapshot]: Snapshot[Key] }>();
  for (const { project, collection, id, subProjectId } of records) {
    const snapshot = snapshots.get(project) ?? emptySnapshot();
    snapshots.set(project, snapshot);
    const scope = subProjectId === undefined ? {} : { subProjectId };
    const record: Json = collection === 'users' ? { username: id, type: 'driver' } : { id, ...scope };
    if (collection === 'routes') record['jobs'] = [];
    if (collection !== 'devices') snapshot[collection] = [...snapshot[collection], record];
  }
  return snapshots;
}

function emptySnapshot() {
  return { version: 1 as const, jobs: [], orders: [], routes: [], users: [], locations: [] };
}
