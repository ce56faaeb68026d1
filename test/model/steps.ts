/** The expected result of a request: its response, and what takes effect now or later. */
import type { Endpoint } from './endpoints.ts';
import { idOf } from './entries.ts';
import { type Fields, readEntry } from './fields.ts';
import { anyText, change, type Failed, generated, processingMs, put, type State, toIso } from './rules.ts';

/** One request, and its expected result. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Applies the request to the model and returns the expected response. `requestId` is the real one. */
  readonly expect: (state: State, requestId: string) => { readonly status: number; readonly body: unknown };
}

export const rejection = (status: number): { readonly status: number; readonly body: unknown } => ({
  status,
  body: { message: anyText },
});

/** A failure with its position in the request. */
export interface Placed extends Failed {
  readonly order: number;
}

export interface Accepted {
  readonly order: number;
  readonly id: string;
  readonly fields: Fields;
}

const toFailures = (failures: readonly Placed[]): readonly Failed[] =>
  failures.toSorted((a, b) => a.order - b.order).map(({ id, reason }) => ({ id, reason }));

const toScope = ({ sub }: Pick<Endpoint, 'sub'>): Fields => (sub === undefined ? {} : { subProjectId: sub });

/** Schedules a command. Its failures become a callback. */
export function schedule(
  state: State,
  endpoint: Endpoint,
  requestId: string,
  command: { readonly type: string; readonly creates: readonly string[]; readonly run: () => readonly Placed[] },
): void {
  const { project: projectId, operation } = endpoint;
  const dueAt = state.now + processingMs;
  const run = (): void => {
    const failed = toFailures(command.run());
    const data = { projectId, ...toScope(endpoint), operation, requestId, failed };
    if (failed.length > 0) state.callbacks.push({ type: command.type, timestamp: toIso(dueAt), data });
  };
  state.pending.push({ dueAt, creates: command.creates, run });
}

export function toResult(
  state: State,
  kind: 'jobs' | 'orders',
  endpoint: Endpoint,
  accepted: readonly Accepted[],
  failed: readonly Placed[],
): Fields {
  const isUpdate = endpoint.method === 'PATCH';
  const items = accepted.map(({ id, fields }) => {
    const stored = isUpdate ? state[kind].get(id) : undefined;
    const field = kind === 'orders' ? 'trackId' : 'trackingId';
    const subProjectId = fields['subProjectId'] ?? stored?.['subProjectId'] ?? endpoint.sub;
    const scope = subProjectId === undefined ? {} : { subProjectId };
    return { orderNumber: id, ...scope, trackingId: fields[field] ?? stored?.[field] ?? generated(kind, id) };
  });
  return { failed: toFailures(failed), [kind]: items, [`${kind}Received`]: items.length };
}

export function importOne(
  state: State,
  kind: 'jobs' | 'orders',
  endpoint: Pick<Endpoint, 'sub'>,
  { order, id, fields }: Accepted,
  more: Fields = {},
): readonly Placed[] {
  const field = kind === 'orders' ? 'trackId' : 'trackingId';
  const failed = put(state, kind, id, { ...toScope(endpoint), [field]: generated(kind, id), ...fields, ...more });
  return failed ? [{ order, ...failed }] : [];
}

/** Sorts the entries of a list into accepted and rejected ones; the first has the position `firstOrder`. */
export function readList(
  { operation }: Endpoint,
  entries: readonly unknown[],
  firstOrder = 0,
): { readonly accepted: Accepted[]; readonly rejected: Placed[] } {
  const accepted: Accepted[] = [];
  const rejected: Placed[] = [];
  entries.forEach((entry, index) => {
    const order = firstOrder + index;
    const fields = readEntry(operation, entry);
    if (fields) accepted.push({ order, id: idOf(entry), fields });
    else rejected.push({ order, id: idOf(entry), reason: anyText });
  });
  return { accepted, rejected };
}

/** Imports or updates the entries of a list in order. */
export function processList(kind: 'jobs' | 'orders', endpoint: Endpoint, entries: readonly unknown[]): Step['expect'] {
  const isUpdate = endpoint.method === 'PATCH';
  return (state, requestId) => {
    const { accepted, rejected } = readList(endpoint, entries);
    const run = (): readonly Placed[] =>
      accepted.flatMap((one) => {
        if (!isUpdate) return importOne(state, kind, endpoint, one);
        const failed = change(state, kind, one.id, one.fields);
        return failed ? [{ order: one.order, ...failed }] : [];
      });
    if (!endpoint.isLater) {
      const failed = run();
      const orders = new Set(failed.map(({ order }) => order));
      const applied = accepted.filter(({ order }) => !orders.has(order));
      return { status: 200, body: toResult(state, kind, endpoint, applied, [...rejected, ...failed]) };
    }
    const creates = isUpdate ? [] : accepted.map(({ id }) => `${kind} ${id}`);
    const type = `${kind}.${isUpdate ? 'update' : 'import'}.failed`;
    if (accepted.length > 0) schedule(state, endpoint, requestId, { type, creates, run });
    return { status: 202, body: toResult(state, kind, endpoint, accepted, rejected) };
  };
}

/** Updates the record that the path or the body names. */
export function updateOne(kind: 'jobs' | 'orders', endpoint: Endpoint, id: string, body: unknown): Step['expect'] {
  return (state, requestId) => {
    const fields = readEntry(endpoint.operation, body);
    if (!fields || ('id' in fields && fields['id'] !== id)) return rejection(400);
    if (endpoint.isLater) {
      const run = (): readonly Placed[] =>
        [change(state, kind, id, fields)].flatMap((failed) => (failed ? [{ order: 1, ...failed }] : []));
      schedule(state, endpoint, requestId, { type: `${kind}.update.failed`, creates: [], run });
      return { status: 202, body: toResult(state, kind, endpoint, [{ order: 1, id, fields }], []) };
    }
    const isStored = state[kind].has(id);
    const failed = change(state, kind, id, fields);
    if (failed) return isStored ? rejection(422) : { status: 404, body: { message: failed.reason } };
    return { status: 200, body: { message: `${kind.slice(0, -1)} ${id} updated` } };
  };
}

export function createOne(endpoint: Endpoint, body: unknown): Step['expect'] {
  return (state) => {
    const fields = readEntry(endpoint.operation, body);
    if (!fields) return rejection(400);
    const id = idOf(body);
    const job = { order: 1, id, fields: { deliveryDate: toIso(state.now), ...fields } };
    const [failed] = importOne(state, 'jobs', endpoint, job);
    return failed
      ? { status: 409, body: { message: failed.reason } }
      : { status: 201, body: { message: `job ${id} created` } };
  };
}
