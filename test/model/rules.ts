/** The rules of the API as its documents state them: what is stored, and which updates fail. Fields are in `fields.ts`. */
import type { Fields } from './fields.ts';

/** Matches any text, because the model does not state the reasons for rejected requests. */
export const anyText = '*';

/** Matches the tracking id that the sandbox generates for a record. It must stay the same. */
export const generated = (kind: 'jobs' | 'orders', id: string): string => `generated ${kind} ${id}`;

/** When an accepted request is applied. */
export const processingMs = 200;

/** What is stored of one project, as its snapshot contains it. */
export interface State {
  now: number;
  /** Whether an import replaces a record with the same id. */
  readonly replaces: boolean;
  readonly faultOf: FaultOf;
  readonly jobs: Map<string, Fields>;
  readonly orders: Map<string, Fields>;
  readonly routes: Map<string, Fields>;
  readonly users: Map<string, Fields>;
  readonly devices: Map<string, { readonly device: Fields; readonly trail: readonly Fields[] }>;
  /** Accepted commands that are not applied yet, in order. */
  readonly pending: Pending[];
  /** The bodies of all callbacks. */
  readonly callbacks: Fields[];
}

/** A record that accepted work would create; without fields if a scenario lets it fail. */
export interface PendingRecord {
  readonly kind: 'jobs' | 'orders' | 'routes';
  readonly id: string;
  readonly fields?: Fields | undefined;
}

interface Pending {
  readonly dueAt: number;
  readonly creates: readonly PendingRecord[];
  readonly run: () => void;
}

/** Why an entry fails, and the status of the response if it is the only one. */
export interface Failed {
  readonly id: string;
  readonly reason: string;
  readonly status: number;
}

/** What a scenario does to an entry: rejects it, or lets it fail so long after its acceptance. */
export type Fault = 'refuse' | { readonly failsAfterMs: number };

/** Returns what a scenario does to an entry, by its id. */
type FaultOf = (id: string) => Fault | undefined;

/** The faults of magic ids. */
export const magicFault: FaultOf = (id) => {
  if (id.startsWith('REFUSE-')) return 'refuse';
  if (id.startsWith('FAIL-')) return { failsAfterMs: id.startsWith('FAIL-LATE-') ? 30_000 : processingMs };
  return undefined;
};

export const createState = (now: number, replaces: boolean, faultOf: FaultOf = () => undefined): State => ({
  now,
  replaces,
  faultOf,
  jobs: new Map(),
  orders: new Map(),
  routes: new Map(),
  users: new Map(),
  devices: new Map(),
  pending: [],
  callbacks: [],
});

export const toIso = (ms: number): string => new Date(ms).toISOString();

/** Adds work that is due then, after all that is due by then. */
export function enqueue({ pending }: State, work: Pending): void {
  pending.push(work);
  pending.sort((a, b) => a.dueAt - b.dueAt);
}

/** Applies what is due by then, each at its own time. */
export function advance(state: State, to: number): void {
  for (let next = state.pending[0]; next && next.dueAt <= to; next = state.pending[0]) {
    state.pending.shift();
    state.now = next.dueAt;
    next.run();
  }
  state.now = to;
}

/** Imports a record. The first record of an id stays, unless imports replace records. */
export function put(
  state: State,
  kind: 'jobs' | 'orders' | 'routes' | 'users',
  id: string,
  fields: Fields,
): Failed | undefined {
  const records = state[kind];
  const stored = records.get(id);
  if (stored && !state.replaces) {
    const reason = kind === 'routes' ? anyText : `${kind.slice(0, -1)} ${id} exists already`;
    return { id, reason, status: 409 };
  }
  const route = stored?.['routeId'] === undefined ? {} : { routeId: stored['routeId'] };
  const createdAt = stored?.['createdAt'] ?? toIso(state.now);
  records.set(id, { ...route, ...fields, createdAt, updatedAt: toIso(state.now) });
  return undefined;
}

/** Updates a record: fields in the request replace the stored ones, the others stay. */
export function change(
  state: State,
  kind: 'jobs' | 'orders' | 'users',
  id: string,
  fields: Fields,
): Failed | undefined {
  const stored = state[kind].get(id);
  if (!stored) return { id, reason: toUnknownReason(state, kind, id), status: 404 };
  if (fields['proofOfDelivery'] !== undefined && fields['status'] === undefined) {
    const status = stored['status'];
    if (status !== 'DELIVERED' && status !== 'UNDELIVERED') return { id, reason: anyText, status: 422 };
  }
  state[kind].set(id, { ...stored, ...fields, updatedAt: toIso(state.now) });
  return undefined;
}

/** The records of an id that accepted work would create, in order. */
export function listPending(state: State, kind: PendingRecord['kind'], id: string): readonly PendingRecord[] {
  return state.pending.flatMap(({ creates }) => creates.filter((one) => one.kind === kind && one.id === id));
}

function toUnknownReason(state: State, kind: 'jobs' | 'orders' | 'users', id: string): string {
  const pending =
    kind !== 'users' && listPending(state, kind, id).length > 0
      ? '; an import of it was accepted and is still pending'
      : '';
  return `${kind.slice(0, -1)} ${id} is unknown${pending}`;
}

/** Stores a location. The device has the latest one; of two with the same time, the one received last. */
export function locate(state: State, point: Fields): void {
  const id = String(point['deviceId']);
  const known = state.devices.get(id);
  const toMs = (one: Fields): number => Date.parse(String(one['eventDateTime']));
  const trail = [...(known?.trail ?? [])];
  const after = trail.findIndex((one) => toMs(one) > toMs(point));
  trail.splice(after < 0 ? trail.length : after, 0, point);
  const isLatest = !known || toMs(point) >= toMs(known.device);
  const device = isLatest
    ? { ...point, createdAt: known?.device['createdAt'] ?? toIso(state.now), updatedAt: toIso(state.now) }
    : known.device;
  state.devices.set(id, { device, trail: trail.slice(-1000) });
}

/** Returns the state as `GET …/snapshot` does. */
export function toSnapshot(state: State): Fields {
  return {
    version: 1,
    jobs: [...state.jobs.values()],
    orders: [...state.orders.values()],
    routes: [...state.routes.values()],
    users: [...state.users.values()],
    locations: [...state.devices.values()].map(({ device, trail }) => ({ ...device, trail })),
  };
}
