/** Determines which records a request names, from its body, and which it has changed, from what was applied. */
import type { JournalEntry } from '../journal/entry.ts';
import type { Json } from '../lib/json.ts';
import type { Contract } from '../openapi/contract.ts';
import { addFromBody } from '../openapi/identify.ts';
import { type Operation, type OperationId, operations } from '../operations/index.ts';
import type { Project } from '../project/project.ts';
import type { CollectionName, Write } from '../records/records.ts';

/** Collections of the control API, which calls devices by what it shows of them. */
export const recordCollections = ['jobs', 'orders', 'routes', 'users', 'locations'] as const;
export type RecordCollection = (typeof recordCollections)[number];

/** A record, by its collection and id in the control API. */
export interface NamedRecord {
  readonly collection: RecordCollection;
  readonly id: string;
}

/** An entry of a body, with a JSON pointer to it: an empty one if it is the body as a whole. */
export interface NamingEntry extends NamedRecord {
  readonly place: string;
}

/** Maximum number of changed records listed per request. */
const maxChanged = 1000;

export function toCollectionName(collection: RecordCollection): CollectionName {
  return collection === 'locations' ? 'devices' : collection;
}

function fromCollectionName(collection: CollectionName): RecordCollection {
  return collection === 'devices' ? 'locations' : collection;
}

/** Returns the entries of a request that name a record, whether or not it succeeded. */
export function recordsNamedBy(entry: JournalEntry, contract: Pick<Contract, 'match'>): readonly NamingEntry[] {
  const { operation: id, method, url, requestHeaders } = entry;
  const match = contract.match(method, url, requestHeaders);
  if (id === undefined || !match.found) return [];
  const body = parseBody(entry.requestBody?.read().shown);
  addFromBody(match, body);
  return listEntries(operations[id as OperationId], match.params, body).filter((named) => named.id !== '');
}

/** Lists the entries of a body of any shape, routes first. */
function listEntries(
  { list, idParam, idField, collection: of }: Operation,
  params: Readonly<Record<string, string>>,
  body: Json,
): readonly NamingEntry[] {
  const collection = fromCollectionName(of);
  const own = idParam === undefined ? undefined : params[idParam];
  if (list === undefined) return [{ collection, id: own ?? idOf(body, idField), place: '' }];
  const entries = listOf(body, list).map((value, index) => ({ value, place: `/${list}/${index}` }));
  const named = entries.map(({ value, place }) => ({ collection, id: idOf(value, idField), place }));
  if (list !== 'routes') return named;
  const jobs = entries.flatMap(({ value: route, place }) =>
    listOf(route, 'jobs').map(
      (job, index): NamingEntry => ({ collection: 'jobs', id: idOf(job, 'id'), place: `${place}/jobs/${index}` }),
    ),
  );
  return [...named, ...jobs];
}

function listOf(value: unknown, field: string): readonly unknown[] {
  const list = (value as Json | null | undefined)?.[field];
  return Array.isArray(list) ? list : [];
}

function idOf(value: unknown, field: string): string {
  const id = (value as Json | null | undefined)?.[field];
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}

/** Reads a JSON object. Returns an empty one for everything else. */
export function parseBody(text: string | undefined): Json {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Json) : {};
  } catch {
    return {};
  }
}

/** Returns the record that a write changes: a point of a trail belongs to its device. */
export function writtenBy(write: Write): NamedRecord {
  return 'point' in write
    ? { collection: 'locations', id: write.device }
    : { collection: fromCollectionName(write.into), id: write.id };
}

/** Returns the records that a request created or changed so far, and that the project still has. */
export function recordsChangedBy({ applied }: JournalEntry, project: Project | undefined): readonly NamedRecord[] {
  if (!project) return [];
  const { records } = project.state;
  const changed = new Map<string, NamedRecord>();
  for (const record of applied.flatMap(({ writes }) => writes.map(writtenBy)))
    if (records[toCollectionName(record.collection)].has(record.id))
      changed.set(`${record.collection}/${record.id}`, record);
  const isRoute = ({ collection }: NamedRecord): boolean => collection === 'routes';
  const all = [...changed.values()];
  return [...all.filter(isRoute), ...all.filter((one) => !isRoute(one))].slice(0, maxChanged);
}
