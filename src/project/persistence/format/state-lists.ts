/** Lists the long lists of a project, which its file and its log store as pairs and values, one after another. */
import type { Callback } from '../../../callbacks/callback.ts';
import type { ProjectState } from '../../state.ts';

export const recordLists = ['jobs', 'orders', 'routes', 'users', 'devices', 'trails'] as const;

export const stateLists = ['jobs', 'orders', 'routes', 'users', 'devices', 'trails', 'due', 'callbacks'] as const;
export type StateList = (typeof stateLists)[number];

/**
 * Captures all values of the long lists for later iteration, even if the project changes meanwhile. Records and due
 * items are never changed, but replaced; callbacks and trails are changed, so they are copied.
 */
export function captureLists({ records, due, callbacks }: ProjectState): Iterable<readonly [StateList, unknown]> {
  const { jobs, orders, routes, users, devices, trails } = records;
  const captured: Readonly<Record<StateList, Iterable<unknown>>> = {
    jobs: jobs.capture(),
    orders: orders.capture(),
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
