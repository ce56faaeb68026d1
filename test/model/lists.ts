/** What the entries of a request do: those of a list, of a route, or a single one. */
import { type Fields, readEntry, readRoute } from './fields.ts';
import { type Endpoint, kindOf } from './operations.ts';
import {
  anyText,
  change,
  enqueue,
  type Failed,
  generated,
  listPending,
  type PendingRecord,
  processingMs,
  put,
  type State,
  toIso,
} from './rules.ts';

/** A response. */
export interface Expected {
  readonly status: number;
  readonly body: unknown;
}

/** An accepted entry with its position in the request, and the time after which a scenario lets it fail. */
export interface Accepted {
  readonly order: number;
  readonly id: string;
  readonly fields: Fields;
  readonly failsAfterMs?: number | undefined;
}

export interface Placed extends Failed {
  readonly order: number;
  readonly afterMs?: number | undefined;
}

interface AcceptedRoute extends Accepted {
  readonly jobs: readonly Accepted[];
  /** Whether it was sent without jobs. */
  readonly isEmpty: boolean;
}

interface Read<Entry> {
  readonly accepted: Entry[];
  readonly rejected: Placed[];
}

const idOf = (entry: unknown): string => {
  const id = (entry as Fields | null)?.['id'];
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
};

const toFailures = (failures: readonly Placed[]): readonly Fields[] =>
  failures.toSorted((a, b) => a.order - b.order).map(({ id, reason }) => ({ id, reason }));

const toScope = ({ sub }: Pick<Endpoint, 'sub'>): Fields => (sub === undefined ? {} : { subProjectId: sub });

/** Sorts the entries of a list into accepted and rejected ones; the first has the position `firstOrder`. */
export function readList(
  { faultOf }: State,
  { operation, id: named }: Endpoint,
  entries: readonly unknown[],
  firstOrder = 0,
): Read<Accepted> {
  const accepted: Accepted[] = [];
  const rejected: Placed[] = [];
  entries.forEach((entry, index) => {
    const [order, id, fields] = [firstOrder + index, named ?? idOf(entry), readEntry(operation, entry)];
    const fault = fields && faultOf(id);
    if (fields && fault !== 'refuse') accepted.push({ order, id, fields, failsAfterMs: fault?.failsAfterMs });
    else rejected.push({ order, id, reason: anyText, status: 400 });
  });
  return { accepted, rejected };
}

/** Imports or updates one record, unless a scenario lets it fail. */
export function applyEntry(
  state: State,
  endpoint: Endpoint,
  { order, id, fields, failsAfterMs }: Accepted,
  more: Fields = {},
): readonly Placed[] {
  if (failsAfterMs !== undefined) return [{ order, id, reason: anyText, status: 422, afterMs: failsAfterMs }];
  const kind = kindOf(endpoint.operation);
  const replaces = state.replaces && !/^syncCreateJob($|In)/.test(endpoint.operation);
  const failed =
    endpoint.method === 'PATCH'
      ? change(state, kind, id, fields)
      : put({ ...state, replaces }, kind, id, { ...toCreated(endpoint, { order, id, fields }), ...more });
  return failed ? [{ order, ...failed }] : [];
}

/** Imports or updates one record. A duplicate of an entry of the same request names both. */
function applyOnce(
  state: State,
  endpoint: Endpoint,
  one: Accepted,
  created: Map<string, number>,
  more?: Fields,
): readonly Placed[] {
  const failures = applyEntry(state, endpoint, one, more);
  const earlier = created.get(one.id);
  if (failures.length === 0 && endpoint.method === 'POST') created.set(one.id, one.order);
  if (earlier === undefined || failures[0]?.status !== 409) return failures;
  const [start, end] = [`entry ${one.order + 1}: `, `, from entry ${earlier + 1} of this request`];
  return failures.map((failure) => ({ ...failure, reason: `${start}${failure.reason}${end}` }));
}

/** Schedules a command. Its failures become callbacks: one for all that fail at the same time. */
export function schedule(
  state: State,
  endpoint: Endpoint,
  requestId: string,
  command: { readonly type: string; readonly creates: readonly PendingRecord[]; readonly run: () => readonly Placed[] },
): void {
  const { project: projectId, operation } = endpoint;
  const acceptedAt = state.now;
  const report = (dueAt: number, failures: readonly Placed[]): void => {
    const data = { projectId, ...toScope(endpoint), operation, requestId, failed: toFailures(failures) };
    state.callbacks.push({ type: command.type, timestamp: toIso(dueAt), data });
  };
  const run = (): void => {
    const failed = command.run().map((one) => ({ ...one, dueAt: acceptedAt + (one.afterMs ?? processingMs) }));
    for (const dueAt of new Set(failed.map((one) => one.dueAt))) {
      const due = failed.filter((one) => one.dueAt === dueAt);
      enqueue(state, { dueAt, creates: [], run: () => report(dueAt, due) });
    }
  };
  enqueue(state, { dueAt: acceptedAt + processingMs, creates: command.creates, run });
}

/** The fields that an import stores. */
function toCreated(endpoint: Endpoint, { id, fields }: Accepted): Fields {
  const kind = kindOf(endpoint.operation);
  const tracking = { [kind === 'orders' ? 'trackId' : 'trackingId']: generated(kind, id) };
  return { ...toScope(endpoint), ...tracking, ...fields };
}

/** The record that an update names, or what a pending import will create: the first one, or the last if imports replace. */
function findChanged(state: State, kind: 'jobs' | 'orders', id: string, isLater: boolean): Fields | undefined {
  const pending = listPending(state, kind, id).filter(({ fields }) => fields);
  const record = state[kind].get(id);
  if (state.replaces) return (isLater ? pending.at(-1)?.fields : undefined) ?? record;
  return record ?? pending[0]?.fields;
}

const toPending = (endpoint: Endpoint, one: Accepted): PendingRecord => ({
  kind: kindOf(endpoint.operation),
  id: one.id,
  fields: one.failsAfterMs === undefined ? toCreated(endpoint, one) : undefined,
});

/** Returns the response of an operation that lists its accepted and failed entries. */
export function toResult(
  state: State,
  endpoint: Endpoint,
  accepted: readonly Accepted[],
  failed: readonly Placed[],
): Expected {
  const kind = kindOf(endpoint.operation);
  const field = kind === 'orders' ? 'trackId' : 'trackingId';
  const items = accepted.map((one) => {
    const isRoute = endpoint.operation.includes('Routes') && !state.replaces;
    const record =
      endpoint.method === 'PATCH' || isRoute ? findChanged(state, kind, one.id, endpoint.isLater) : undefined;
    const changed = endpoint.method === 'PATCH' ? record : (record ?? toCreated(endpoint, one));
    const subProjectId = one.fields['subProjectId'] ?? changed?.['subProjectId'];
    const scope = subProjectId === undefined ? {} : { subProjectId };
    const tracking = record && endpoint.method === 'PATCH' ? (one.fields[field] ?? record[field]) : changed?.[field];
    return { orderNumber: one.id, ...scope, ...(tracking !== undefined && { trackingId: tracking }) };
  });
  const body = { failed: toFailures(failed), [kind]: items, [`${kind}Received`]: items.length };
  return { status: endpoint.isLater ? 202 : 200, body };
}

/** Imports or updates the entries of a list in order. */
export function processList(
  state: State,
  endpoint: Endpoint,
  entries: readonly unknown[],
  requestId: string,
): Expected {
  const { accepted, rejected } = readList(state, endpoint, entries);
  const run = (): readonly Placed[] => {
    const created = new Map<string, number>();
    return accepted.flatMap((one) => applyOnce(state, endpoint, one, created));
  };
  if (!endpoint.isLater) {
    const failed = run();
    const orders = new Set(failed.map(({ order }) => order));
    const applied = accepted.filter(({ order }) => !orders.has(order));
    return toResult(state, endpoint, applied, [...rejected, ...failed]);
  }
  const kind = kindOf(endpoint.operation);
  const isUpdate = endpoint.method === 'PATCH';
  const creates = isUpdate ? [] : accepted.map((one) => toPending(endpoint, one));
  const type = `${kind}.${isUpdate ? 'update' : 'import'}.failed`;
  if (accepted.length > 0) schedule(state, endpoint, requestId, { type, creates, run });
  return toResult(state, endpoint, accepted, rejected);
}

/** Imports routes in order. A route whose id exists fails under its id, with all its jobs; else its accepted jobs are imported. */
export function importRoutes(state: State, endpoint: Endpoint, routes: readonly Fields[], requestId: string): Expected {
  const { accepted, rejected } = readRoutes(state, endpoint, routes);
  const applied: Accepted[] = [];
  const run = (): readonly Placed[] => {
    const created = new Set<string>();
    return accepted.flatMap((route) => importRoute(state, endpoint, route, applied, created));
  };
  if (!endpoint.isLater) {
    const failed = run();
    return toResult(state, endpoint, applied, [...rejected, ...failed]);
  }
  const creates = accepted.flatMap(({ id, jobs }): readonly PendingRecord[] => [
    { kind: 'routes', id },
    ...jobs.map((job) => toPending(endpoint, job)),
  ]);
  const jobs = accepted.flatMap((route) => route.jobs);
  // Before it is scheduled: the entries of one request do not know of each other.
  const result = toResult(state, endpoint, jobs, rejected);
  if (accepted.length > 0) schedule(state, endpoint, requestId, { type: 'routes.import.failed', creates, run });
  return result;
}

function readRoutes(state: State, endpoint: Endpoint, routes: readonly Fields[]): Read<AcceptedRoute> {
  const accepted: AcceptedRoute[] = [];
  const rejected: Placed[] = [];
  routes.forEach(({ jobs = [], ...own }, index) => {
    // A route has fewer than 100 jobs, so that its failures stay in order.
    const order = index * 100;
    const id = idOf(own);
    const fields = readRoute(endpoint.operation, own);
    if (!fields) {
      rejected.push({ order, id, reason: anyText, status: 400 });
      (jobs as readonly unknown[]).forEach((job, place) => {
        rejected.push({ order: order + 1 + place, id: idOf(job), reason: anyText, status: 400 });
      });
      return;
    }
    const list = readList(state, endpoint, jobs as readonly unknown[], order + 1);
    rejected.push(...list.rejected);
    accepted.push({ order, id, fields, jobs: list.accepted, isEmpty: (jobs as readonly unknown[]).length === 0 });
  });
  return { accepted, rejected };
}

function importRoute(
  state: State,
  endpoint: Endpoint,
  { order, id, fields, jobs, isEmpty }: AcceptedRoute,
  applied: Accepted[],
  created: Set<string>,
): readonly Placed[] {
  const before = state.routes.get(id);
  const had = (before?.['jobs'] ?? []) as readonly string[];
  if (before && !state.replaces && lacksNone(had, jobs, isEmpty)) return failRoute(state, endpoint, order, id, jobs);
  const jobIds: string[] = [];
  const failures = jobs.flatMap((job) => {
    const failures = addJob(state, endpoint, id, job, created);
    if (failures.length > 0) return failures;
    jobIds.push(job.id);
    applied.push(job);
    return [];
  });
  if (jobIds.length === 0 && !isEmpty) return failures;
  const isReplaced = before === undefined || state.replaces;
  const own = isReplaced ? { ...fields, id, ...toScope(endpoint) } : before;
  const kept = [...new Set(isReplaced ? jobIds : [...had, ...jobIds])];
  const times = { createdAt: before?.['createdAt'] ?? toIso(state.now), updatedAt: toIso(state.now) };
  state.routes.set(id, { ...own, jobs: kept, ...times });
  for (const left of had) {
    const { routeId, ...job } = state.jobs.get(left) ?? {};
    if (routeId !== id || kept.includes(left)) continue;
    state.jobs.set(left, { ...job, updatedAt: toIso(state.now) });
  }
  return failures;
}

/** Whether a route has all the jobs that can be imported. */
function lacksNone(had: readonly string[], jobs: readonly Accepted[], isEmpty: boolean): boolean {
  const named = jobs.filter((job) => job.failsAfterMs === undefined);
  return (named.length > 0 || isEmpty) && named.every((job) => had.includes(job.id));
}

/** A route that exists and lacks no job fails with all its jobs. */
function failRoute(
  state: State,
  endpoint: Endpoint,
  order: number,
  id: string,
  jobs: readonly Accepted[],
): readonly Placed[] {
  const failing = jobs.flatMap((job): readonly Placed[] => {
    if (job.failsAfterMs !== undefined) return applyEntry(state, endpoint, job);
    return [{ order: job.order, id: job.id, reason: `its route ${id} failed`, status: 409 }];
  });
  return [{ order, id, reason: anyText, status: 409 }, ...failing];
}

/** Imports a job of a route, or updates one that was stored before the request. */
function addJob(
  state: State,
  endpoint: Endpoint,
  routeId: string,
  job: Accepted,
  created: Set<string>,
): readonly Placed[] {
  const before = state.jobs.get(job.id);
  const isUpdate = before !== undefined && !state.replaces && !created.has(job.id) && job.failsAfterMs === undefined;
  const failures = isUpdate ? joinRoute(state, routeId, job) : applyEntry(state, endpoint, job, { routeId });
  // The number of an entry counts the jobs of all routes, also of invalid ones.
  const isRepeated = created.has(job.id) && failures[0]?.status === 409;
  if (failures.length > 0) return failures.map((one) => (isRepeated ? { ...one, reason: anyText } : one));
  created.add(job.id);
  const left = state.routes.get(String(before?.['routeId']));
  if (left && left['id'] !== routeId) {
    const jobs = (left['jobs'] as readonly string[]).filter((one) => one !== job.id);
    state.routes.set(String(left['id']), { ...left, jobs, updatedAt: toIso(state.now) });
  }
  return [];
}

function joinRoute(state: State, routeId: string, { id, fields }: Accepted): readonly Placed[] {
  const { trackingId: _given, ...given } = fields;
  change(state, 'jobs', id, { ...given, routeId });
  return [];
}
