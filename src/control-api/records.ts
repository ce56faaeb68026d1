/** Control API handlers for records: lists, single records, snapshot and restore. */
import type { Json } from '../lib/json.ts';
import { didYouMean } from '../lib/nearest.ts';
import { runInSlices } from '../lib/slices.ts';
import { parseTimestamp, toTimestamp } from '../lib/time.ts';
import { quote } from '../openapi/explain.ts';
import type { Project } from '../project/project.ts';
import { type CollectionName, createRecords, type Records, type StoredRecord, trailOf } from '../records/records.ts';
import { findRepeated, fromSnapshot, type Snapshot, toSnapshot, withoutPasswords } from '../records/snapshot.ts';
import { entryBytes } from '../usage/size.ts';
import {
  type ControlParts,
  type ControlRequest,
  ok,
  okInPieces,
  projectOf,
  recordSetting,
  reject,
  type SomeHandlers,
  slicesFor,
  usedBy,
} from './handler.ts';
import { answerList } from './lists/answer.ts';
import { type List, listByTime } from './lists/list.ts';
import { toTextTest } from './lists/select.ts';
import { type RecordCollection, recordCollections, toCollectionName } from './named-records.ts';
import { columnsOf, showColumns, toRow, toSorts, usedColumns } from './records/rows.ts';

function countRecords(snapshot: Snapshot): number {
  return recordCollections.reduce((sum, name) => sum + snapshot[name].length, 0);
}

/** The records of a project that does not exist yet. */
const noRecords = createRecords();

const recordsOf = (project: Project | undefined): Records => project?.state.records ?? noRecords;

/** Creates the handler of a list. */
function list(collection: RecordCollection) {
  return (parts: ControlParts, request: ControlRequest, project: Project | undefined) => {
    const { query } = request;
    const records = recordsOf(project);
    const items = [...records[toCollectionName(collection)].values()];
    const all = columnsOf(collection, records);
    const keys = all.map(({ key }) => key);
    const isRows = query['view'] === 'rows';
    const sort = String(query['sort'] ?? keys[0]).replace(/^-/, '');
    if (query['sort'] !== undefined && !isRows)
      return reject('invalid', 'expected view=rows, whose columns sort the list', 'query:sort');
    if (!keys.includes(sort)) {
      const message = `expected a column of ${collection}: ${keys.join(', ')}; got ${quote(sort)}${didYouMean(sort, keys)}`;
      return reject('invalid', message, 'query:sort');
    }
    const columns = isRows ? usedColumns(all, items) : all;
    const defined: List<StoredRecord> = {
      items: () => items,
      filters: {
        subProjectId: (value) => (record) => record['subProjectId'] === value,
        contains: (value) => {
          const matches = toTextTest(value);
          return (record) => matches(JSON.stringify(record)) || columns.some((column) => matches(column.text(record)));
        },
      },
      facets: {
        status: {
          keyOf: ({ status }) => status,
          valuesOf: (status) => (typeof status === 'string' ? [status] : []),
        },
      },
      sorts: toSorts(all),
      show: isRows ? (record) => toRow(columns, record) : (record) => record,
    };
    return answerList(parts, request, defined, isRows ? { columns: showColumns(columns) } : {});
  };
}

/** Creates the handler of one record. Stored records have the document's type, because they were validated before. */
function one(collection: CollectionName, noun: string) {
  return (_parts: ControlParts, { params }: ControlRequest, project: Project | undefined) => {
    const id = params['id'] ?? '';
    const record = recordsOf(project)[collection].get(id);
    return record ? ok(record as never) : reject('notFound', `this project has no ${noun} ${id}`);
  };
}

/** Counts records by their names in the control API. */
export function countByKind(records: Records): Record<RecordCollection, number> {
  const counts = recordCollections.map((name) => [name, records[toCollectionName(name)].size] as const);
  return Object.fromEntries(counts) as Record<RecordCollection, number>;
}

export const recordHandlers: SomeHandlers = {
  listJobs: list('jobs'),
  getJob: one('jobs', 'job'),
  listOrders: list('orders'),
  getOrder: one('orders', 'order'),
  listRoutes: list('routes'),
  getRoute: one('routes', 'route'),
  listUsers: list('users'),
  getUser: one('users', 'user'),
  listLocations: list('locations'),

  getTrail: (parts, request, project) => {
    const records = recordsOf(project);
    const { id } = request.params;
    const device = records.devices.get(id);
    if (!device) return reject('notFound', `this project has no device ${id}`);
    const timeOf = ({ eventDateTime }: Json): number => parseTimestamp(String(eventDateTime)) ?? 0;
    return answerList(parts, request, listByTime(trailOf(records, id), timeOf), device);
  },

  getSnapshot: (_parts, _request, project) => okInPieces(toSnapshot(recordsOf(project))),

  putSnapshot: async (parts, request) => {
    const snapshot = withoutPasswords(request.body as Snapshot);
    const slices = slicesFor(parts, request);
    const repeated = await runInSlices(findRepeated(snapshot), slices);
    if (repeated) return reject('invalid', repeated.message, repeated.path);
    const count = countRecords(snapshot);
    const bytes = request.bodyBytes + entryBytes * count;
    const restored = { records: count, bytes };
    const tooMany = parts.admission.admitAll(usedBy(parts, request), restored, request.caller.key);
    if (tooMany) return { problem: tooMany };
    const toRecords = await runInSlices(fromSnapshot(snapshot), slices);
    const { key } = request.caller;
    // Others may have created projects meanwhile.
    const overQuota = key && parts.projectQuota(key, projectOf(request));
    if (overQuota) return { problem: overQuota };
    // Synchronous from here on, so that recording, counting and restoring affect the same project instance at one time.
    const project = parts.projects.open(projectOf(request));
    const atMs = project.runDue();
    const full = parts.admission.admitAll(project, restored, key);
    if (full) return { problem: full };
    // The journal keeps the records that the snapshot replaces: what requests wrote.
    const replaced = parts.journal.size(project.id) > 0 ? project.usage.recordBytes : 0;
    const kept = request.bodyBytes + replaced;
    recordSetting(parts, project, { kind: 'snapshot', snapshot }, { bytes: kept, atMs });
    const cancelled = project.restore(toRecords(toTimestamp(atMs)), bytes);
    return ok({ restored: countByKind(project.state.records), cancelled });
  },
};
