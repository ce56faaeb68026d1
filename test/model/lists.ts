/** What the entries of a request do: those of a list, of a route, or a single one. */
import { type Fields, readEntry, readRoute } from './fields.ts';
import { type Endpoint, kindOf } from './operations.ts';
import { anyText, change, enqueue, type Failed, generated, processingMs, put, type State, toIso } from './rules.ts';

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
    const fault = fields && faultOf(operation, index + 1, id);
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
  const tracking = { [kind === 'orders' ? 'trackId' : 'trackingId']: generated(kind, id) };
  const replaces = state.replaces && !/^syncCreateJob($|In)/.test(endpoint.operation);
  const failed =
    endpoint.method === 'PATCH'
      ? change(state, kind, id, fields)
      : put({ ...state, replaces }, kind, id, { ...toScope(endpoint), ...tracking, ...fields, ...more });
  return failed ? [{ order, ...failed }] : [];
}

/** Schedules a command. Its failures become callbacks: one for all that fail at the same time. */
export function schedule(
  state: State,
  endpoint: Endpoint,
  requestId: string,
  command: { readonly type: string; readonly creates: readonly string[]; readonly run: () => readonly Placed[] },
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

/** Returns the response of an operation that lists its accepted and failed entries. */
export function toResult(
  state: State,
  endpoint: Endpoint,
  accepted: readonly Accepted[],
  failed: readonly Placed[],
): Expected {
  const kind = kindOf(endpoint.operation);
  const field = kind === 'orders' ? 'trackId' : 'trackingId';
  const items = accepted.map(({ id, fields }) => {
    const stored = endpoint.method === 'PATCH' ? state[kind].get(id) : undefined;
    const subProjectId = fields['subProjectId'] ?? stored?.['subProjectId'] ?? endpoint.sub;
    const scope = subProjectId === undefined ? {} : { subProjectId };
    return { orderNumber: id, ...scope, trackingId: fields[field] ?? stored?.[field] ?? generated(kind, id) };
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
  const run = (): readonly Placed[] => accepted.flatMap((one) => applyEntry(state, endpoint, one));
  if (!endpoint.isLater) {
    const failed = run();
    const orders = new Set(failed.map(({ order }) => order));
    const applied = accepted.filter(({ order }) => !orders.has(order));
    return toResult(state, endpoint, applied, [...rejected, ...failed]);
  }
  const kind = kindOf(endpoint.operation);
  const isUpdate = endpoint.method === 'PATCH';
  const creates = isUpdate ? [] : accepted.map(({ id }) => `${kind} ${id}`);
  const type = `${kind}.${isUpdate ? 'update' : 'import'}.failed`;
  if (accepted.length > 0) schedule(state, endpoint, requestId, { type, creates, run });
  return toResult(state, endpoint, accepted, rejected);
}

/** Imports routes in order. A route whose id exists fails under its id, with all its jobs; else its accepted jobs are imported. */
export function importRoutes(state: State, endpoint: Endpoint, routes: readonly Fields[], requestId: string): Expected {
  const { accepted, rejected } = readRoutes(state, endpoint, routes);
  const applied: Accepted[] = [];
  const run = (): readonly Placed[] => accepted.flatMap((route) => importRoute(state, endpoint, route, applied));
  if (!endpoint.isLater) {
    const failed = run();
    return toResult(state, endpoint, applied, [...rejected, ...failed]);
  }
  const creates = accepted.flatMap(({ id, jobs }) => [`routes ${id}`, ...jobs.map((job) => `jobs ${job.id}`)]);
  if (accepted.length > 0) schedule(state, endpoint, requestId, { type: 'routes.import.failed', creates, run });
  const jobs = accepted.flatMap((route) => route.jobs);
  return toResult(state, endpoint, jobs, rejected);
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
    accepted.push({ order, id, fields, jobs: list.accepted });
  });
  return { accepted, rejected };
}

function importRoute(
  state: State,
  endpoint: Endpoint,
  { order, id, fields, jobs }: AcceptedRoute,
  applied: Accepted[],
): readonly Placed[] {
  const jobIds: string[] = [];
  const replaced = state.routes.get(id);
  const failed = put(state, 'routes', id, { ...fields, ...toScope(endpoint), jobs: jobIds });
  if (failed) {
    const failing = jobs.flatMap((job): readonly Placed[] => {
      if (job.failsAfterMs !== undefined) return applyEntry(state, endpoint, job);
      return [{ order: job.order, id: job.id, reason: `its route ${id} failed`, status: failed.status }];
    });
    return [{ order, ...failed }, ...failing];
  }
  const failures = jobs.flatMap((job) => {
    const failures = applyEntry(state, endpoint, job, { routeId: id });
    if (failures.length > 0) return failures;
    jobIds.push(job.id);
    applied.push(job);
    return [];
  });
  for (const left of (replaced?.['jobs'] ?? []) as readonly string[]) {
    const { routeId, ...job } = state.jobs.get(left) ?? {};
    if (routeId !== id || jobIds.includes(left)) continue;
    state.jobs.set(left, { ...job, updatedAt: toIso(state.now) });
  }
  return failures;
}
