/** The rules of the API once more, as its documents tell them and nothing else: what is stored, answered and told later. */

export type Fields = Readonly<Record<string, unknown>>;

/** Stands where any text may: the words of a refusal by the contract are held elsewhere. */
export const anyText = '*';

/** Stands for the tracking id that is made for a record: which one is not told, but it stays the same. */
export const generated = (kind: 'jobs' | 'orders', id: string): string => `generated ${kind} ${id}`;

/** What is stored of one project, as its snapshot shows it. */
export interface State {
  now: number;
  /** Whether an import of an id that is there replaces the record. */
  readonly replaces: boolean;
  readonly jobs: Map<string, Fields>;
  readonly orders: Map<string, Fields>;
  readonly routes: Map<string, Fields>;
  readonly users: Map<string, Fields>;
  readonly devices: Map<string, { readonly device: Fields; readonly trail: readonly Fields[] }>;
  /** What was accepted and is still to be carried out, in that order. */
  readonly pending: Pending[];
  /** What was told by callback: all bodies, without the ids of requests. */
  readonly told: Fields[];
}

interface Pending {
  readonly dueAt: number;
  /** The ids that it would create. */
  readonly creates: readonly string[];
  readonly run: () => void;
}

export interface Failed {
  readonly id: string;
  readonly reason: string;
}

export const createState = (now: number, replaces: boolean): State => ({
  now,
  replaces,
  jobs: new Map(),
  orders: new Map(),
  routes: new Map(),
  users: new Map(),
  devices: new Map(),
  pending: [],
  told: [],
});

export const iso = (ms: number): string => new Date(ms).toISOString();

/** Carries out what is due by then, each at its instant. */
export function advance(state: State, to: number): void {
  for (let next = state.pending[0]; next && next.dueAt <= to; next = state.pending[0]) {
    state.pending.shift();
    state.now = next.dueAt;
    next.run();
  }
  state.now = to;
}

/** An import: the first of an id wins, unless duplicates replace. Fields of the body go before what the URL and the route say. */
export function put(
  state: State,
  kind: 'jobs' | 'orders' | 'routes' | 'users',
  id: string,
  fields: Fields,
): Failed | undefined {
  const records = state[kind];
  const stored = records.get(id);
  if (stored && !state.replaces) return { id, reason: `${kind.slice(0, -1)} ${id} exists already` };
  records.set(id, { ...fields, createdAt: stored?.['createdAt'] ?? iso(state.now), updatedAt: iso(state.now) });
  return undefined;
}

/** An update: named fields are replaced whole, the others stay. */
export function change(
  state: State,
  kind: 'jobs' | 'orders' | 'users',
  id: string,
  fields: Fields,
): Failed | undefined {
  const stored = state[kind].get(id);
  const noun = kind.slice(0, -1);
  if (!stored) {
    const isPending = kind !== 'users' && state.pending.some(({ creates }) => creates.includes(`${kind} ${id}`));
    return {
      id,
      reason: `${noun} ${id} is unknown${isPending ? '; an import of it was accepted and is still pending' : ''}`,
    };
  }
  if (fields['proofOfDelivery'] !== undefined && fields['status'] === undefined) {
    const status = stored['status'];
    if (status !== 'DELIVERED' && status !== 'UNDELIVERED') return { id, reason: anyText };
  }
  state[kind].set(id, { ...stored, ...fields, updatedAt: iso(state.now) });
  return undefined;
}

/** A location: the device is where it was at its latest instant; of equal ones, where it was last told to be. */
export function locate(state: State, point: Fields): void {
  const id = String(point['deviceId']);
  const known = state.devices.get(id);
  const instant = (one: Fields): number => Date.parse(String(one['eventDateTime']));
  const trail = [...(known?.trail ?? [])];
  const after = trail.findIndex((one) => instant(one) > instant(point));
  trail.splice(after < 0 ? trail.length : after, 0, point);
  const isLatest = !known || instant(point) >= instant(known.device);
  const device = isLatest
    ? { ...point, createdAt: known?.device['createdAt'] ?? iso(state.now), updatedAt: iso(state.now) }
    : known.device;
  state.devices.set(id, { device, trail: trail.slice(-1000) });
}

/** Everything as `GET …/snapshot` has it. */
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

const jobStatuses = [
  'PENDING',
  'PENDING_PICKED',
  'PENDING_PACKED',
  'DISPATCH',
  'ARRIVING',
  'CANCELLED',
  'DELIVERED',
  'UNDELIVERED',
];
const orderStatuses = [
  'PENDING',
  'PENDING_PICKED',
  'PENDING_PACKED',
  'READY',
  'CANCELLED',
  'COMPLETE',
  'FAILEDCOMPLETE',
  'DISPATCH',
  'ARRIVING',
];

/** The shapes of entries; each knows other fields and asks for others. */
export type Shape =
  | 'create'
  | 'update'
  | 'createInSubproject'
  | 'inRoute'
  | 'single'
  | 'byPath'
  | 'byBody'
  | 'order'
  | 'orderUpdate';

const always = ['id', 'status', 'tags', 'attributes', 'subProjectId', 'customer', 'commsOptOut'];
const ofJobs = [...always, 'sequence', 'address'];
const known: Readonly<Record<Shape, readonly string[]>> = {
  create: [...ofJobs, 'driver', 'deliveryDate', 'trackingId'],
  single: [...ofJobs, 'driver', 'deliveryDate', 'trackingId'],
  inRoute: [...ofJobs, 'trackingId'],
  createInSubproject: [...ofJobs, 'driver', 'deliveryDate', 'proofOfDelivery'],
  update: [...ofJobs, 'driver', 'deliveryDate', 'proofOfDelivery'],
  byPath: [...ofJobs, 'driver', 'deliveryDate', 'proofOfDelivery'],
  byBody: [...ofJobs, 'driver', 'deliveryDate', 'proofOfDelivery'],
  order: [...always, 'trackId'],
  orderUpdate: [...always, 'trackId', 'address'],
};
const required: Readonly<Record<Shape, readonly string[]>> = {
  create: ['id'],
  single: ['address', 'id', 'status'],
  inRoute: ['id'],
  createInSubproject: ['id'],
  update: ['id'],
  byPath: ['status'],
  byBody: ['id', 'status'],
  order: ['id'],
  orderUpdate: ['status'],
};

/** The fields that are taken of an entry, those that nobody knows left out; undefined where it is refused. */
export function read(shape: Shape, entry: unknown): Fields | undefined {
  if (!isRecord(entry)) return undefined;
  const fields = Object.fromEntries(Object.entries(entry).filter(([name]) => known[shape].includes(name)));
  const { status, proofOfDelivery: proof, driver } = fields;
  const isOrder = shape.startsWith('order');
  const statuses = isOrder ? orderStatuses : [...jobStatuses, ...(shape === 'single' ? ['READY'] : [])];
  if (!required[shape].every((name) => name in fields)) return undefined;
  if (status !== undefined && !statuses.includes(status as string)) return undefined;
  for (const text of ['id', 'subProjectId', 'trackingId', 'trackId'])
    if (text in fields && typeof fields[text] !== 'string') return undefined;
  if ('sequence' in fields && !Number.isInteger(fields['sequence'])) return undefined;
  if (driver === null ? shape === 'inRoute' : driver !== undefined && !isRecord(driver)) return undefined;
  for (const object of ['address', 'attributes', 'customer'])
    if (object in fields && !isRecord(fields[object])) return undefined;
  const isDelivered = status === 'DELIVERED' || status === 'UNDELIVERED';
  if (proof !== undefined && !isDelivered && (status !== undefined || shape === 'createInSubproject')) return undefined;
  if (shape === 'orderUpdate' && 'commsOptOut' in fields && !('customer' in fields)) return undefined;
  return fields;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a user may be registered so. */
export function mayRegister(user: Fields): boolean {
  const { username, password, type, access, locationIds, visibleBy } = user;
  if (typeof username !== 'string' || !isPassword(password)) return false;
  if (type === 'attendant') return locationIds !== undefined && access !== undefined;
  return type === 'driver' && visibleBy !== undefined && ['"DRIVER"', '["DRIVER"]'].includes(JSON.stringify(access));
}

/** A password has a capital letter and a special character. */
export function isPassword(text: unknown): boolean {
  return typeof text === 'string' && /[A-Z]/.test(text) && /[!@#$%()&*\-^=+;<>?]/.test(text);
}
