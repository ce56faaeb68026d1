/** What comes of a list of entries and of single ones: the answer, and what takes effect at once or later. */
import { type Batch, idOf } from './draws.ts';
import {
  anyText,
  change,
  type Failed,
  type Fields,
  generated,
  iso,
  put,
  read,
  type Shape,
  type State,
} from './rules.ts';

/** One request, and what is to come of it. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Lets it take effect in the model, and gives back its answer; `requestId` is that of the real one. */
  readonly expect: (state: State, requestId: string) => { readonly status: number; readonly body: unknown };
}

const processingMs = 200;
export const refusal = (status: number): { readonly status: number; readonly body: unknown } => ({
  status,
  body: { message: anyText },
});

/** A failure, and where in the request it stands. */
export interface Placed extends Failed {
  readonly order: number;
}

export interface Taken {
  readonly order: number;
  readonly id: string;
  readonly fields: Fields;
}

const listed = (failures: readonly Placed[]): readonly Failed[] =>
  failures.toSorted((a, b) => a.order - b.order).map(({ id, reason }) => ({ id, reason }));

/** Runs it now, or 200 ms later and tells of what failed then. */
export function later(
  state: State,
  { project, sub, operation }: Batch,
  requestId: string,
  what: { readonly type: string; readonly creates: readonly string[]; readonly run: () => readonly Placed[] },
): void {
  const dueAt = state.now + processingMs;
  state.pending.push({
    dueAt,
    creates: what.creates,
    run: () => {
      const failed = listed(what.run());
      const scope = sub === undefined ? {} : { subProjectId: sub };
      if (failed.length > 0)
        state.told.push({
          type: what.type,
          timestamp: iso(dueAt),
          data: { projectId: project, ...scope, operation, requestId, failed },
        });
    },
  });
}

export function result(
  state: State,
  kind: 'jobs' | 'orders',
  { sub }: Batch,
  taken: readonly Taken[],
  failed: readonly Placed[],
  isUpdate: boolean,
): Fields {
  const accepted = taken.map(({ id, fields }) => {
    const stored = isUpdate ? state[kind].get(id) : undefined;
    const field = kind === 'orders' ? 'trackId' : 'trackingId';
    const subProjectId = fields['subProjectId'] ?? stored?.['subProjectId'] ?? sub;
    const scope = subProjectId === undefined ? {} : { subProjectId };
    return { orderNumber: id, ...scope, trackingId: fields[field] ?? stored?.[field] ?? generated(kind, id) };
  });
  return { failed: listed(failed), [kind]: accepted, [`${kind}Received`]: accepted.length };
}

export function importOne(
  state: State,
  kind: 'jobs' | 'orders',
  { sub }: Pick<Batch, 'sub'>,
  { order, id, fields }: Taken,
  more: Fields = {},
): readonly Placed[] {
  const field = kind === 'orders' ? 'trackId' : 'trackingId';
  const scope = sub === undefined ? {} : { subProjectId: sub };
  const failed = put(state, kind, id, { ...scope, [field]: generated(kind, id), ...fields, ...more });
  return failed ? [{ order, ...failed }] : [];
}

/** A list of entries, imported or changed one after another. */
export function batch(kind: 'jobs' | 'orders', shape: Shape, how: Batch, entries: readonly unknown[]): Step['expect'] {
  const isUpdate = shape === 'update';
  return (state, requestId) => {
    const taken: Taken[] = [];
    const refused: Placed[] = [];
    entries.forEach((entry, order) => {
      const fields = read(shape, entry);
      if (fields) taken.push({ order, id: idOf(entry), fields });
      else refused.push({ order, id: idOf(entry), reason: anyText });
    });
    const run = (): readonly Placed[] =>
      taken.flatMap((one) => {
        if (!isUpdate) return importOne(state, kind, how, one);
        const failed = change(state, kind, one.id, one.fields);
        return failed ? [{ order: one.order, ...failed }] : [];
      });
    if (!how.isLater) {
      const failed = run();
      const orders = new Set(failed.map(({ order }) => order));
      const done = taken.filter(({ order }) => !orders.has(order));
      return { status: 200, body: result(state, kind, how, done, [...refused, ...failed], isUpdate) };
    }
    const creates = isUpdate ? [] : taken.map(({ id }) => `${kind} ${id}`);
    const type = `${kind}.${isUpdate ? 'update' : 'import'}.failed`;
    if (taken.length > 0) later(state, how, requestId, { type, creates, run });
    return { status: 202, body: result(state, kind, how, taken, refused, isUpdate) };
  };
}

/** One record, changed by an operation that names it in its path or body. */
export function changeOne(
  kind: 'jobs' | 'orders',
  shape: Shape,
  how: Batch,
  id: string,
  body: unknown,
): Step['expect'] {
  return (state, requestId) => {
    const fields = read(shape, body);
    if (!fields || ('id' in fields && fields['id'] !== id)) return refusal(400);
    if (how.isLater) {
      const run = (): readonly Placed[] =>
        [change(state, kind, id, fields)].flatMap((failed) => (failed ? [{ order: 1, ...failed }] : []));
      later(state, how, requestId, { type: `${kind}.update.failed`, creates: [], run });
      return { status: 202, body: result(state, kind, how, [{ order: 1, id, fields }], [], true) };
    }
    const isThere = state[kind].has(id);
    const failed = change(state, kind, id, fields);
    if (failed) return isThere ? refusal(422) : { status: 404, body: { message: failed.reason } };
    return { status: 200, body: { message: `${kind.slice(0, -1)} ${id} updated` } };
  };
}

export function createOne(how: Batch, body: unknown): Step['expect'] {
  return (state) => {
    const fields = read('single', body);
    if (!fields) return refusal(400);
    const id = idOf(body);
    const [failed] = importOne(state, 'jobs', how, {
      order: 1,
      id,
      fields: { deliveryDate: iso(state.now), ...fields },
    });
    return failed
      ? { status: 409, body: { message: failed.reason } }
      : { status: 201, body: { message: `job ${id} created` } };
  };
}
