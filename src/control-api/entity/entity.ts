/** Control API handler for the events of one id: of a job, order, route, user or device. */
import type { JournalEntry } from '../../journal/entry.ts';
import type { Records, StoredRecord } from '../../records/records.ts';
import { type ControlHandlers, type ControlParts, type OperationRequest, type Schema, slicesFor } from '../handler.ts';
import { answerList } from '../lists/answer.ts';
import { listByTime } from '../lists/list.ts';
import { type RecordCollection, recordCollections, toCollectionName } from '../named-records.ts';
import { columnsOf, showColumns, toRow, usedColumns } from '../records/rows.ts';
import { listEverywhere } from '../requests/list.ts';
import { showIds, toHead } from '../requests/show.ts';
import { buildTimeline, type EntityEvent, type Timeline } from './timeline.ts';

export const entityHandlers: ControlHandlers<'getEntity'> = {
  getEntity: async (parts, request, project) => {
    const { id } = request.params;
    const { events, named }: Timeline = project
      ? await buildTimeline(parts, project, id, slicesFor(parts, request))
      : none;
    const all = project?.state.records;
    const records = recordCollections
      .map((collection) => ({ collection, isPresent: all?.[toCollectionName(collection)].has(id) ?? false }))
      .filter(({ collection, isPresent }) => isPresent || named.has(collection));
    const isExplained = request.query.view === 'record';
    const found = isExplained && all ? recordCollections.flatMap((name) => showFound(all, name, id)) : [];
    const why = isExplained && found.length === 0 ? await explainMissing(parts, request, events) : {};
    return answerList(
      parts,
      request,
      listByTime(events, ({ at }) => Date.parse(at)),
      { id, records, ...(isExplained && { found }), ...why },
    );
  },
};

/** Returns the last event that decided that there is no record, and what may have been about it. */
async function explainMissing(
  parts: ControlParts,
  request: OperationRequest<'getEntity'>,
  events: readonly EntityEvent[],
): Promise<object> {
  const missing = events.findLast(({ kind }) => kind === 'rejected' || kind === 'failed' || kind === 'pending');
  return { missing, unread: await findUnread(parts, request) };
}

const none: Timeline = { events: [], named: new Set() };

/** Maximum number of related records, and of requests that were not read. */
const maxListed = 50;

/** Returns a record with the texts of its columns, and its related records. */
function showFound(records: Records, collection: RecordCollection, id: string): readonly Schema<'FoundRecord'>[] {
  const record = records[toCollectionName(collection)].get(id);
  if (!record) return [];
  const all = columnsOf(collection, records);
  const related = collection === 'routes' ? { related: toJobs(records, record) } : {};
  return [{ collection, record, columns: showColumns(all), ...toRow(all, record), ...related }];
}

/** Returns the first jobs of a route, in its order. */
function toJobs(records: Records, { jobs }: StoredRecord): Schema<'RelatedRecords'> {
  const ids = Array.isArray(jobs) ? jobs.map(String) : [];
  const found = ids.slice(0, maxListed).map((id) => records.jobs.get(id) ?? { id });
  const columns = columnsOf('jobs', records).filter(({ key }) =>
    ['id', 'status', 'address', 'deliveryDate'].includes(key),
  );
  const used = usedColumns(columns, found);
  const items = found.map((job) => toRow(used, job));
  return { collection: 'jobs', count: ids.length, columns: showColumns(used), items };
}

/**
 * Returns the rejected requests whose bodies name no id, and that may have had this one: their body has its text, or was
 * not read. Those with the text come first, then the newest.
 */
async function findUnread(
  parts: ControlParts,
  request: OperationRequest<'getEntity'>,
): Promise<readonly Schema<'UnreadRequest'>[]> {
  const { projectId, id } = request.params;
  const slices = slicesFor(parts, request);
  const found: Schema<'UnreadRequest'>[] = [];
  for (const entry of await listEverywhere(parts, projectId)) {
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

function toUnread(entry: JournalEntry, id: string): readonly Schema<'UnreadRequest'>[] {
  const body = entry.requestBody?.read().shown;
  const hasId = body?.includes(id) === true || entry.url.includes(encodeURIComponent(id));
  if (body !== undefined && !hasId) return [];
  const { id: requestId, at, operation, method, path, status } = toHead(entry);
  return [{ requestId, at, operation, method, path, status, hasId }];
}
