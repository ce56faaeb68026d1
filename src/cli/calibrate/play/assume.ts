/** Finds the records that must have existed before the traffic. */
import type { Json } from '../../../lib/json.ts';
import type { Profile } from '../../../openapi/profile/profile.ts';
import { operations } from '../../../operations/index.ts';
import type { CollectionName } from '../../../records/records.ts';
import { entriesOf, failuresOf } from '../compare/entries.ts';
import type { MappedExchange } from '../mapping/endpoint.ts';
import { isCreation } from '../mapping/shipped.ts';

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
export function createAssumptions(
  all: readonly MappedExchange[],
  { operations: overrides }: Pick<Profile, 'operations'>,
): (one: MappedExchange) => readonly AssumedRecord[] {
  const creations = all.filter(({ operation }) => isCreation(operation));
  const created = new Set(creations.flatMap((one) => listRecords(one, isAccepted).map(toKey)));
  return (one) => {
    // An asynchronous operation does not look at its records before it responds.
    if ((overrides[one.operation]?.mode ?? operations[one.operation].mode) === 'async') return [];
    const records = listRecords(one, isCreation(one.operation) ? isExisting : isAccepted);
    return records.filter((record) => !created.has(toKey(record)));
  };
}

/** Whether the real API accepts an entry; `reason`: why it fails. */
function isAccepted(status: number, reason: string | undefined): boolean {
  return status < 300 && reason === undefined;
}

/** Whether the real API rejects an entry because there is one of its id. */
function isExisting(status: number, reason = ''): boolean {
  return status === 409 || /exist|already|duplicate/i.test(reason);
}

/** Returns the records that a request creates or changes, as they may have been before. */
function listRecords(one: MappedExchange, isWanted: typeof isAccepted): readonly AssumedRecord[] {
  const { projectId: project, subProjectId } = one.identifiers;
  const { collection, idField, idParam } = operations[one.operation];
  if (project === undefined || collection === 'devices') return [];
  const { status, body } = one.exchange.response;
  const reasons = new Map(failuresOf(body?.value)?.map(({ id, reason }) => [id, reason]));
  const inPath = idParam && one.identifiers[idParam];
  const ids = inPath === undefined ? entriesOf(one).map((entry) => entry[idField]) : [inPath];
  const wanted = ids.filter((id) => typeof id === 'string').filter((id) => isWanted(status, reasons.get(id)));
  const others = { ...(subProjectId !== undefined && { subProjectId }), ...(collection === 'routes' && { jobs: [] }) };
  return wanted.map((id) => {
    const record = collection === 'users' ? { username: id, type: 'driver' } : { id, ...others };
    return { project, collection, id, record };
  });
}

function toKey({ project, collection, id }: AssumedRecord): string {
  return JSON.stringify([project, collection, id]);
}
