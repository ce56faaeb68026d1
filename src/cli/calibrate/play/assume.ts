/** Finds the records that must have existed before the traffic. */
import type { Json } from '../../../lib/json.ts';
import { type OperationId, operations } from '../../../operations/index.ts';
import type { CollectionName } from '../../../records/records.ts';
import { failuresOf } from '../compare/entries.ts';
import { type Exchange, isObject } from '../exchange.ts';
import type { MappedExchange } from '../mapping/endpoint.ts';
import { isCreation } from '../mapping/skeleton.ts';

/** A record that must have existed before the traffic. */
export interface AssumedRecord {
  readonly project: string;
  readonly collection: CollectionName;
  readonly id: string;
  readonly subProjectId: string | undefined;
}

const isExisting = /exist|already|duplicate/i;

/**
 * Returns a function that names the records whose existence explains a response: a change that succeeds, a creation
 * that does not. A record that the traffic creates did not exist before: something else explains the response.
 */
export function createAssumptions(all: readonly MappedExchange[]): (one: MappedExchange) => readonly AssumedRecord[] {
  const created = new Set(
    all.flatMap((one) => (isCreation(one.operation) ? toRecords(one, listAccepted(one)).map(toKey) : [])),
  );
  return (one) => {
    if (operations[one.operation].collection === 'devices') return [];
    const ids = isCreation(one.operation) ? listExisting(one) : listAccepted(one);
    return toRecords(one, ids).filter((record) => !created.has(toKey(record)));
  };
}

function toRecords({ operation, identifiers }: MappedExchange, ids: readonly string[]): readonly AssumedRecord[] {
  const { projectId: project, subProjectId } = identifiers;
  const { collection } = operations[operation];
  return project === undefined ? [] : ids.map((id) => ({ project, collection, id, subProjectId }));
}

function toKey({ project, collection, id }: AssumedRecord): string {
  return JSON.stringify([project, collection, id]);
}

/** Returns the ids that the real API accepts. */
function listAccepted(one: MappedExchange): readonly string[] {
  const { status, body } = one.exchange.response;
  if (status >= 300) return [];
  const failed = new Set(failuresOf(body?.value)?.map(({ id }) => id));
  return namedIds(one).filter((id) => !failed.has(id));
}

/** Returns the ids that the real API rejects because they exist. */
function listExisting(one: MappedExchange): readonly string[] {
  const { status, body } = one.exchange.response;
  if (status === 409) return namedIds(one);
  const named = new Set(namedIds(one));
  const failures = failuresOf(body?.value) ?? [];
  return failures.flatMap(({ id, reason }) => (named.has(id) && isExisting.test(reason) ? [id] : []));
}

/** Returns the ids of the records that a request creates or changes. */
export function namedIds({ exchange, operation, identifiers }: MappedExchange): readonly string[] {
  const { list, idField, idParam } = operations[operation];
  const inPath = idParam && identifiers[idParam];
  if (inPath !== undefined) return [inPath];
  return entriesOf(exchange, list).flatMap((entry) => {
    const id = isObject(entry) ? entry[idField] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}

/** Returns the entries of a request's list, or its body as the only entry. */
export function entriesOf({ body }: Pick<Exchange, 'body'>, list: string | undefined): readonly unknown[] {
  const value = body?.value;
  if (list === undefined) return value === undefined ? [] : [value];
  const entries = isObject(value) ? value[list] : undefined;
  return Array.isArray(entries) ? entries : [];
}

export function toStored({ collection, id, subProjectId }: AssumedRecord): Json {
  if (collection === 'users') return { username: id, type: 'driver' };
  return {
    id,
    ...(subProjectId !== undefined && { subProjectId }),
    ...(collection === 'routes' && { jobs: [] }),
  };
}

/** Whether an operation looks at its records before it responds. */
export function isSync(operation: OperationId, mode: 'sync' | 'async' | undefined): boolean {
  return (mode ?? operations[operation].mode) === 'sync';
}
