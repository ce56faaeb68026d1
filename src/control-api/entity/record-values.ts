/** Derives the versions of a record from the requests that named it, with the actions of the operations. */
import type { Json } from '../../lib/json.ts';
import type { Command } from '../../operations/command.ts';
import type { Project } from '../../project/project.ts';
import type { CollectionName } from '../../records/records.ts';
import type { Naming, RecordCollection } from './naming.ts';
import type { Results } from './results.ts';

/** The next version of a record, or the reason why there is none. */
export type NextVersion = { readonly record: Json | undefined } | { readonly reason: string };

export function toCollectionName(collection: RecordCollection): CollectionName {
  return collection === 'locations' ? 'devices' : collection;
}

/**
 * Applies the entries with the id to the last known version of a record. The journal may have dropped the request that
 * created it: then its other fields are unknown.
 */
export function applyNaming(
  project: Project,
  { operation, parse, entry }: Naming,
  { appliedMs, failedIds, isDeferred }: Results,
  {
    collection,
    id,
    before,
  }: { readonly collection: RecordCollection; readonly id: string; readonly before: Json | undefined },
): NextVersion {
  const command = parse()?.command;
  if (!command) return { record: before };
  const isStored = (one: { readonly id: string }): boolean => one.id === id || !failedIds.has(one.id);
  const applied = { ...command, entries: command.entries.filter(isStored) };
  const into = toCollectionName(collection);
  const run = (existing: Json | undefined) => {
    const reads = {
      get: (name: CollectionName, other: string) => (name === into && other === id ? existing : undefined),
    };
    return operation.action(reads, applied, project.actionContext(appliedMs));
  };
  const { writes, failures } = run(before);
  const put = findPut(writes, into, id);
  if (put) return { record: put };
  const failure = failures.find((one) => one.id === id);
  if (!failure) return { record: before };
  const isReported = !isDeferred || operation.callbackType !== undefined;
  if (!isReported && before) return { reason: failure.reason };
  // The request succeeded, so the record was another than the known one.
  return { record: findPut(run(undefined).writes, into, id) ?? merge(before, applied, id, entry.at) };
}

function findPut(
  writes: ReturnType<Naming['operation']['action']>['writes'],
  into: CollectionName,
  id: string,
): Json | undefined {
  const last = writes.findLast((write) => 'put' in write && write.into === into && write.id === id);
  return last && 'put' in last ? last.put : undefined;
}

function merge(before: Json | undefined, { entries }: Command, id: string, updatedAt: string): Json {
  return { ...before, ...entries.findLast((entry) => entry.id === id)?.value, updatedAt };
}
