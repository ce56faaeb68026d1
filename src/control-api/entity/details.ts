/** Explains an id: its records with what belongs to them, or why it has none. */
import type { JournalEntry } from '../../journal/entry.ts';
import type { components } from '../../openapi/control.gen.ts';
import type { Records, StoredRecord } from '../../records/records.ts';
import { type ControlParts, type ControlRequest, slicesFor } from '../handler.ts';
import { type RecordCollection, toCollectionName } from '../named-records.ts';
import { columnsOf, showColumns, toRow, usedColumns } from '../records/rows.ts';
import { listEverywhere } from '../requests/journal-list.ts';
import { showIds, toHead } from '../requests/show.ts';
import type { EntityEvent } from './timeline.ts';

type Schemas = components['schemas'];

/** Maximum number of related records, and of requests that were not read. */
const maxListed = 50;

/** Returns a record with the texts of its columns, and its related records. */
export function showFound(
  records: Records,
  collection: RecordCollection,
  id: string,
): readonly Schemas['FoundRecord'][] {
  const record = records[toCollectionName(collection)].get(id);
  if (!record) return [];
  const all = columnsOf(collection, records);
  const related = collection === 'routes' ? { related: toJobs(records, record) } : {};
  return [{ collection, record, columns: showColumns(all), ...toRow(all, record), ...related }];
}

/** Returns the first jobs of a route, in its order. */
function toJobs(records: Records, { jobs }: StoredRecord): Schemas['RelatedRecords'] {
  const ids = Array.isArray(jobs) ? jobs.map(String) : [];
  const found = ids.slice(0, maxListed).map((id) => records.jobs.get(id) ?? { id });
  const columns = columnsOf('jobs', records).filter(({ key }) =>
    ['id', 'status', 'address', 'deliveryDate'].includes(key),
  );
  const used = usedColumns(columns, found);
  const items = found.map((job) => toRow(used, job));
  return { collection: 'jobs', count: ids.length, columns: showColumns(used), items };
}

/** Returns the last event that decided that there is no record; undefined if there is none. */
export function findMissing(events: readonly EntityEvent[]): EntityEvent | undefined {
  return events.findLast(({ kind }) => kind === 'rejected' || kind === 'failed' || kind === 'pending');
}

/**
 * Returns the rejected requests whose bodies name no id, and that may have had this one: their body has its text, or was
 * not read. Those with the text come first, then the newest.
 */
export async function findUnread(
  parts: ControlParts,
  request: ControlRequest,
  id: string,
): Promise<readonly Schemas['UnreadRequest'][]> {
  const slices = slicesFor(parts, request);
  const found: Schemas['UnreadRequest'][] = [];
  for (const entry of await listEverywhere(parts, request.params['projectId'])) {
    if (slices.isOver()) await slices.next();
    if (isRejected(entry) && showIds(entry).idCount === 0) found.push(...toUnread(entry, id));
  }
  return found
    .reverse()
    .sort((one, other) => Number(other.hasId) - Number(one.hasId))
    .slice(0, maxListed);
}

function isRejected({ status, method }: JournalEntry): boolean {
  return status >= 400 && method !== 'GET';
}

function toUnread(entry: JournalEntry, id: string): readonly Schemas['UnreadRequest'][] {
  const body = entry.requestBody?.read().shown;
  const hasId = body?.includes(id) === true || entry.url.includes(encodeURIComponent(id));
  if (body !== undefined && !hasId) return [];
  const { id: requestId, at, operation, method, path, status } = toHead(entry);
  return [{ requestId, at, operation, method, path, status, hasId }];
}
