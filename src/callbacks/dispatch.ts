/** Brings new callbacks on their way: due at once, later, with copies, or gathered with others. Sends nothing itself. */
import { createHash } from '../base/random.ts';
import { toTimestamp } from '../base/time.ts';
import type { Callback, Disturbance } from './callback.ts';

/** Something due that is about callbacks. */
export type CallbackDue =
  | { readonly kind: 'attempt'; readonly callbackId: string; readonly isCopy?: true }
  | { readonly kind: 'release'; readonly group: string };

/** Callbacks that wait for each other, by their ids, in the order in which they were raised. */
export interface Group {
  readonly order: NonNullable<Disturbance['order']>;
  /** What a shuffle is hashed from. */
  readonly hashed: readonly string[];
  /** In milliseconds of the project's clock. */
  readonly releaseAt: number;
  readonly callbackIds: string[];
}

/** The rule of a scenario that disturbs a callback. */
export interface Disturbing {
  readonly key: string;
  readonly hashed: readonly string[];
  readonly disturbance: Disturbance;
}

interface Parts {
  /** `groups` are those that were not released yet, by the key of their rule. */
  readonly data: () => { readonly callbacks: ReadonlyMap<string, Callback>; readonly groups: Map<string, Group> };
  add(dueAt: number, what: CallbackDue): void;
}

export interface Dispatch {
  /** Plans what is to happen to a new callback, which was raised at `atMs`. */
  take(callback: Callback, by: Disturbing | undefined, atMs: number): void;
  /** Ends a group: its callbacks are due now, in its order. */
  release(group: string, now: number): void;
}

export function createDispatch({ data, add }: Parts): Dispatch {
  function post({ id, copiesLeft }: Callback, dueAt: number): void {
    add(dueAt, { kind: 'attempt', callbackId: id });
    for (let copy = 0; copy < copiesLeft; copy += 1) add(dueAt, { kind: 'attempt', callbackId: id, isCopy: true });
  }

  function join(
    callback: Callback,
    order: Group['order'],
    { key, hashed, disturbance }: Disturbing,
    atMs: number,
  ): void {
    const { groups } = data();
    let group = groups.get(key);
    if (!group) {
      group = { order, hashed, releaseAt: atMs + disturbance.delayMs, callbackIds: [] };
      groups.set(key, group);
      add(group.releaseAt, { kind: 'release', group: key });
    }
    group.callbackIds.push(callback.id);
    callback.dueAt = toTimestamp(group.releaseAt);
  }

  return {
    take: (callback, by, atMs) => {
      if (callback.state !== 'scheduled') return;
      const order = by?.disturbance.order;
      if (by && order) join(callback, order, by, atMs);
      else post(callback, atMs + (by?.disturbance.delayMs ?? 0));
    },
    release: (key, now) => {
      const { callbacks, groups } = data();
      const group = groups.get(key);
      if (!group) return;
      groups.delete(key);
      const gathered = group.callbackIds.map((id) => callbacks.get(id)).filter((callback) => callback !== undefined);
      for (const callback of reorder(gathered, group)) post(callback, now);
    },
  };
}

/** Turns callbacks round, or shuffles them; of two or more a shuffle never leaves the order as it was. */
export function reorder(
  callbacks: readonly Callback[],
  { order, hashed }: Pick<Group, 'order' | 'hashed'>,
): readonly Callback[] {
  if (order === 'reverse') return callbacks.toReversed();
  const random = createHash(...hashed);
  // By what they tell, not by their ids: those differ from run to run, and with the order of parallel requests.
  const placeOf = ({ operation, body }: Callback): number =>
    random.fraction(`shuffle:${JSON.stringify([operation, body.data.failed])}`);
  const shuffled = callbacks
    .map((callback) => ({ callback, place: placeOf(callback) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ callback }) => callback);
  const isAsItWas = shuffled.every((callback, index) => callback === callbacks[index]);
  return isAsItWas ? [...shuffled.slice(1), ...shuffled.slice(0, 1)] : shuffled;
}
