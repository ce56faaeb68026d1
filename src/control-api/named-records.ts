/** Determines which records a request names, and which it has changed, from what was applied. */
import type { JournalEntry } from '../journal/entry.ts';
import type { Json } from '../lib/json.ts';
import { type OperationId, operations } from '../operations/index.ts';
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

export function toCollectionName(collection: RecordCollection): CollectionName {
  return collection === 'locations' ? 'devices' : collection;
}

function fromCollectionName(collection: CollectionName): RecordCollection {
  return collection === 'devices' ? 'locations' : collection;
}

/** Lists the entries of a request that name a record, routes first, whether or not it succeeded. */
export function* recordsNamedBy({ operation, named }: JournalEntry): Generator<NamingEntry> {
  if (!named || operation === undefined) return;
  const { list, collection: of } = operations[operation as OperationId];
  const collection = fromCollectionName(of);
  const { ids, jobs = [] } = named;
  const ownCount = jobs.length || ids.length;
  for (const [index, id] of ids.slice(0, ownCount).entries())
    if (id !== '') yield { collection, id, place: list === undefined ? '' : `/${list}/${index}` };
  let next = ownCount;
  for (const [route, count] of jobs.entries())
    for (let job = 0; job < count; job += 1, next += 1)
      if (ids[next]) yield { collection: 'jobs', id: ids[next] as string, place: `/routes/${route}/jobs/${job}` };
}

/** Returns the entries of a request that name an id. */
export function entriesNaming(entry: JournalEntry, id: string): readonly NamingEntry[] {
  return entry.named?.ids.includes(id) ? [...recordsNamedBy(entry)].filter((one) => one.id === id) : [];
}

/** Returns the value of a JSON text, other texts as they are, and undefined for an empty one. */
export function readJson(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text === '' ? undefined : text;
  }
}

/** Reads a JSON object. Returns an empty one for everything else. */
export function parseBody(text: string | undefined): Json {
  const value = readJson(text);
  return typeof value === 'object' && value !== null ? (value as Json) : {};
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
  return [...all.filter(isRoute), ...all.filter((one) => !isRoute(one))];
}
