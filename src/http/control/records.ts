/** The control API's view of what a project stores: lists, single records, snapshot and restore. */
import type { Json } from '../../base/json.ts';
import { toTimestamp } from '../../base/time.ts';
import { type CollectionName, createRecords, type Records, trailOf } from '../../store/records.ts';
import { fromSnapshot, type Snapshot, toSnapshot, withoutPasswords } from '../../store/snapshot.ts';
import { toPage } from '../page.ts';
import {
  badCursor,
  type ControlHandlers,
  type ControlParts,
  type ControlRequest,
  noteSetting,
  ok,
  projectOf,
  refuse,
} from './handler.ts';

type RecordIds =
  | 'listJobs'
  | 'getJob'
  | 'listOrders'
  | 'getOrder'
  | 'listRoutes'
  | 'getRoute'
  | 'listUsers'
  | 'getUser'
  | 'listLocations'
  | 'getTrail'
  | 'getSnapshot'
  | 'putSnapshot';

/** What is read of a project that nobody has written to. */
const noRecords = createRecords();

function recordsOf(parts: ControlParts, request: ControlRequest): Records {
  return parts.worlds.find(projectOf(request))?.data.records ?? noRecords;
}

/** A list, or one record: any record of the store is one of the document's by how it came in. */
function list<Shown>(collection: CollectionName) {
  return (parts: ControlParts, request: ControlRequest) => {
    const { status, subProjectId } = request.query;
    const all = [...recordsOf(parts, request)[collection].values()].map((record, index) => ({ record, index }));
    const fitting = all.filter(
      ({ record }) =>
        (status === undefined || record['status'] === status) &&
        (subProjectId === undefined || record['subProjectId'] === subProjectId),
    );
    const page = toPage(
      fitting,
      request.query,
      ({ index }) => index,
      ({ record }) => record as Shown,
    );
    return page ? ok(page) : badCursor;
  };
}

function one<Shown>(collection: CollectionName, noun: string) {
  return (parts: ControlParts, request: ControlRequest) => {
    const id = request.params['id'] ?? '';
    const record = recordsOf(parts, request)[collection].get(id);
    return record ? ok(record as Shown) : refuse('notFound', `there is no ${noun} ${id} in this project`);
  };
}

type Dated = Json & { createdAt: string; updatedAt: string };
type Named = Dated & { id: string };
type User = Dated & { username: string };
type Device = Dated & { deviceId: string };

export const recordHandlers: ControlHandlers<RecordIds> = {
  listJobs: list<Named>('jobs'),
  getJob: one<Named>('jobs', 'job'),
  listOrders: list<Named>('orders'),
  getOrder: one<Named>('orders', 'order'),
  listRoutes: list<Named>('routes'),
  getRoute: one<Named>('routes', 'route'),
  listUsers: list<User>('users'),
  getUser: one<User>('users', 'user'),
  listLocations: list<Device>('devices'),

  getTrail: (parts, request) => {
    const records = recordsOf(parts, request);
    const id = request.params['id'] ?? '';
    const device = records.devices.get(id) as Device | undefined;
    if (!device) return refuse('notFound', `there is no device ${id} in this project`);
    const trail = trailOf(records, id);
    const page = toPage(
      trail,
      request.query,
      (_point, index) => index,
      (point) => point,
    );
    return page ? ok({ ...device, ...page }) : badCursor;
  },

  getSnapshot: (parts, request) => ok(toSnapshot(recordsOf(parts, request)) as never),

  putSnapshot: (parts, request) => {
    const world = parts.worlds.open(projectOf(request));
    const snapshot = withoutPasswords(request.body as Snapshot);
    const atMs = noteSetting(parts, world, { kind: 'snapshot', snapshot });
    const records = fromSnapshot(snapshot, toTimestamp(atMs));
    const cancelled = world.cancelPending();
    world.data.records = records;
    const { jobs, orders, routes, users, devices } = records;
    const restored = {
      jobs: jobs.size,
      orders: orders.size,
      routes: routes.size,
      users: users.size,
      locations: devices.size,
    };
    return ok({ restored, cancelled });
  },
};
