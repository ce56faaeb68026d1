/** Converts the project state to one JSON value and back. */
import type { Callback } from '../../../callbacks/callback.ts';
import type { Records } from '../../../records/records.ts';
import type { Due } from '../../schedule.ts';
import { createDueWork, type DueWork, type ProjectState } from '../../state.ts';

type Pairs<Mapped> = Mapped extends Map<infer Key, infer Value> ? readonly (readonly [Key, Value])[] : never;

/** The project state as JSON. Maps become lists of pairs, so that their order and ids such as `__proto__` survive. */
export interface StateValue
  extends Omit<
    ProjectState,
    'records' | 'due' | 'callbacks' | 'ruleCounts' | 'requestTallies' | 'activations' | 'groups'
  > {
  readonly records: { readonly [Name in keyof Records]: Pairs<Records[Name]> };
  readonly due: readonly Due<DueWork>[];
  readonly callbacks: Pairs<ProjectState['callbacks']>;
  readonly ruleCounts: Pairs<ProjectState['ruleCounts']>;
  readonly requestTallies: Pairs<ProjectState['requestTallies']>;
  readonly activations: Pairs<ProjectState['activations']>;
  readonly groups: Pairs<ProjectState['groups']>;
}

/** The parts of the project state that are in none of its long lists. */
export type ShortParts = Omit<StateValue, 'records' | 'callbacks' | 'due'>;

/** Returns the short parts. They share the project's own objects, so serialise them before the project changes. */
export function toShortParts(state: ProjectState): ShortParts {
  const { records: _records, callbacks: _callbacks, due: _due, ...short } = state;
  return {
    ...short,
    ruleCounts: [...state.ruleCounts],
    requestTallies: [...state.requestTallies],
    activations: [...state.activations],
    groups: [...state.groups],
  };
}

/** Creates a project state from its JSON value. It uses the objects of the value without copying them. */
export function fromValue(value: StateValue): ProjectState {
  const { records } = value;
  return {
    ...value,
    due: createDueWork(value.due),
    records: {
      jobs: new Map(records.jobs),
      orders: new Map(records.orders),
      routes: new Map(records.routes),
      users: new Map(records.users),
      devices: new Map(records.devices),
      trails: new Map(records.trails),
    },
    callbacks: new Map(value.callbacks),
    ruleCounts: new Map(value.ruleCounts),
    requestTallies: new Map(value.requestTallies),
    activations: new Map(value.activations),
    groups: new Map(value.groups),
  };
}

export const stateLists = ['jobs', 'orders', 'routes', 'users', 'devices', 'trails', 'due', 'callbacks'] as const;
export type StateList = (typeof stateLists)[number];

/**
 * Captures all values of the long lists for later iteration, even if the project changes meanwhile. Records and due
 * items are never changed, but replaced; callbacks and trails are changed, so they are copied.
 */
export function captureLists({ records, due, callbacks }: ProjectState): Iterable<readonly [StateList, unknown]> {
  const { jobs, orders, routes, users, devices, trails } = records;
  const captured: Readonly<Record<StateList, Iterable<unknown>>> = {
    jobs: [...jobs],
    orders: [...orders],
    routes: [...routes],
    users: [...users],
    devices: [...devices],
    trails: Array.from(trails, ([device, points]) => [device, [...points]]),
    due: [...due],
    callbacks: Array.from(callbacks, ([id, callback]) => [id, copyCallback(callback)]),
  };
  return listAll(captured);
}

function* listAll(captured: Readonly<Record<StateList, Iterable<unknown>>>): Generator<readonly [StateList, unknown]> {
  for (const list of stateLists) for (const value of captured[list]) yield [list, value];
}

export function copyCallback(callback: Callback): Callback {
  return { ...callback, attempts: [...callback.attempts] };
}
