/** Finds the records that must have existed before the traffic. */
import type { Json } from '../../../lib/json.ts';
import { operations } from '../../../operations/index.ts';
import type { CollectionName } from '../../../records/records.ts';
import { failuresOf } from '../compare/entries.ts';
import { isObject } from '../exchange.ts';
import type { MappedExchange } from '../mapping/endpoint.ts';
import { isCreation } from '../mapping/skeleton.ts';

/** A record that must have existed before the traffic. */
export interface AssumedRecord {
  readonly project: string;
  readonly collection: CollectionName;
  readonly id: string;
  readonly record: Json;
}

/**
 * Returns a function that names the records whose existence explains a response: a change that succeeds, a creation
 * that does not. A record that the traffic creates did not exist before: something else explains the response.
 */
export function createAssumptions(all: readonly MappedExchange[]): (one: MappedExchange) => readonly AssumedRecord[] {
  const creations = all.filter(({ operation }) => isCreation(operation));
  const created = new Set(creations.flatMap((one) => toRecords(one, listAccepted(one)).map(toKey)));
  return (one) => {
    const ids = isCreation(one.operation) ? listExisting(one) : listAccepted(one);
    return toRecords(one, ids).filter((record) => !created.has(toKey(record)));
  };
}

function toRecords({ operation, identifiers }: MappedExchange, ids: readonly string[]): readonly AssumedRecord[] {
  const { projectId: project, subProjectId } = identifiers;
  const { collection } = operations[operation];
  if (project === undefined || collection === 'devices') return [];
  const others = { ...(subProjectId !== undefined && { subProjectId }), ...(collection === 'routes' && { jobs: [] }) };
  return ids.map((id) => {
    const record = collection === 'users' ? { username: id, type: 'driver' } : { id, ...others };
    return { project, collection, id, record };
  });
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
  const existing = (failuresOf(body?.value) ?? []).filter(({ reason }) => /exist|already|duplicate/i.test(reason));
  return namedIds(one).filter((id) => existing.some((failure) => failure.id === id));
}

/** Returns the ids of the records that a request creates or changes. */
function namedIds({ exchange, operation, identifiers }: MappedExchange): readonly string[] {
  const { list, idField, idParam } = operations[operation];
  const inPath = idParam && identifiers[idParam];
  if (inPath !== undefined) return [inPath];
  const value = exchange.body?.value;
  const listed = list !== undefined && isObject(value) ? value[list] : value;
  const ids = [listed].flat().map((entry) => (isObject(entry) ? entry[idField] : undefined));
  return ids.filter((id) => typeof id === 'string');
}
