/** Filters the journal by the query of a list: operation, status, record, text, and requests after another one. */
import type { JournalEntry } from '../journal/journal.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { Problem } from '../lib/problem.ts';
import { quote } from '../openapi/explain.ts';
import { operationIds } from '../operations/index.ts';
import { type ControlParts, type ControlRequest, reject } from './handler.ts';
import { recordsNamedBy } from './named-records.ts';

type RequestFilter = (entry: JournalEntry) => boolean;

/** Returns the number of the request in the query's `since`; 0 without it; undefined if the journal does not have it. */
export function findSince(
  { journal }: ControlParts,
  { query: { since }, caller }: ControlRequest,
  project: string | undefined,
): number | undefined {
  if (since === undefined) return 0;
  return journal.list(project).find((one) => one.id === since && caller.mayUse(one.project))?.number;
}

export const unknownSince: { readonly problem: Problem } = reject(
  'invalid',
  'expected the id of a request in the journal',
  'query:since',
);

/** Returns the filter of a list of requests after a number, or the problem of its query. */
export function toRequestFilter(
  parts: ControlParts,
  { query, caller }: ControlRequest,
  after: number | undefined,
): RequestFilter | { readonly problem: Problem } {
  const { operation, status, record, contains } = query;
  if (operation !== undefined && !operationIds.some((id) => id === operation)) return toUnknown(String(operation));
  if (after === undefined) return unknownSince;
  const hasStatus = toStatusFilter(status);
  return (entry) =>
    entry.number > after &&
    caller.mayUse(entry.project) &&
    (operation === undefined || entry.operation === operation) &&
    hasStatus(entry.status) &&
    (contains === undefined || isFound(entry, String(contains))) &&
    (record === undefined || isNamed(entry, String(record), parts));
}

function toUnknown(operation: string) {
  const suggestion = didYouMean(operation, operationIds);
  return reject('invalid', `expected an operationId, got ${quote(operation)}${suggestion}`, 'query:operation');
}

/** Returns whether a status is one of those in the query, such as `202,4xx`. The document has checked their form. */
function toStatusFilter(query: unknown): (status: number) => boolean {
  if (query === undefined) return () => true;
  const accepted = String(query).split(',');
  return (status) => accepted.includes(String(status)) || accepted.includes(`${Math.floor(status / 100)}xx`);
}

function isFound({ id, url, requestBody, responseBody = '' }: JournalEntry, text: string): boolean {
  return [id, url, requestBody?.read().shown ?? '', responseBody].some((one) => one.includes(text));
}

function isNamed(entry: JournalEntry, record: string, { contract }: ControlParts): boolean {
  return recordsNamedBy(entry, contract).some(({ collection, id }) => `${collection}/${id}` === record);
}
