/** Schedules new callbacks: due at once, delayed, with copies, or grouped with others. Sends nothing itself. */
import { createHash } from '../lib/random.ts';
import { toTimestamp } from '../lib/time.ts';
import type { Callback, DeliveryFault } from './callback.ts';

/** Due work for callbacks. */
export type CallbackDue =
  | { readonly kind: 'attempt'; readonly callbackId: string; readonly isCopy?: true }
  | { readonly kind: 'release'; readonly group: string };

/** Ids of callbacks that wait for each other, in the order in which they were raised. */
export interface CallbackGroup {
  readonly order: NonNullable<DeliveryFault['order']>;
  /** Input of the hash for a shuffle. */
  readonly hashed: readonly string[];
  /** When the group is released, in milliseconds of the project's clock. */
  readonly releaseAt: number;
  readonly callbackIds: string[];
}

/** The scenario rule that changes the delivery of a callback. */
export interface CallbackFaultRule {
  readonly key: string;
  readonly hashed: readonly string[];
  readonly disturbance: DeliveryFault;
}

interface Parts {
  /** `groups` contains the groups that were not released yet, by the key of their rule. */
  readonly data: () => {
    readonly callbacks: ReadonlyMap<string, Callback>;
    readonly groups: Map<string, CallbackGroup>;
  };
  add(dueAt: number, what: CallbackDue): void;
}

export interface Dispatch {
  /** Schedules a new callback, which was raised at `atMs`. */
  take(callback: Callback, rule: CallbackFaultRule | undefined, atMs: number): void;
  /** Releases a group: its callbacks are due now, in the order of the group. */
  release(group: string, now: number): void;
}

export function createDispatch({ data, add }: Parts): Dispatch {
  function schedule({ id, copiesLeft }: Callback, dueAt: number): void {
    add(dueAt, { kind: 'attempt', callbackId: id });
    for (let copy = 0; copy < copiesLeft; copy += 1) add(dueAt, { kind: 'attempt', callbackId: id, isCopy: true });
  }

  function addToGroup(
    callback: Callback,
    order: CallbackGroup['order'],
    { key, hashed, disturbance }: CallbackFaultRule,
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
    take: (callback, rule, atMs) => {
      if (callback.state !== 'scheduled') return;
      const order = rule?.disturbance.order;
      if (rule && order) addToGroup(callback, order, rule, atMs);
      else schedule(callback, atMs + (rule?.disturbance.delayMs ?? 0));
    },
    release: (key, now) => {
      const { callbacks, groups } = data();
      const group = groups.get(key);
      if (!group) return;
      groups.delete(key);
      const grouped = group.callbackIds.map((id) => callbacks.get(id)).filter((callback) => callback !== undefined);
      for (const callback of reorder(grouped, group)) schedule(callback, now);
    },
  };
}

/** Reverses or shuffles callbacks. A shuffle of two or more always changes the order. */
export function reorder(
  callbacks: readonly Callback[],
  { order, hashed }: Pick<CallbackGroup, 'order' | 'hashed'>,
): readonly Callback[] {
  if (order === 'reverse') return callbacks.toReversed();
  const random = createHash(...hashed);
  // Sort by content, not by id: ids differ from run to run, and with the order of parallel requests.
  const positionOf = ({ operation, body }: Callback): number =>
    random.fraction(`shuffle:${JSON.stringify([operation, body.data.failed])}`);
  const shuffled = callbacks
    .map((callback) => ({ callback, position: positionOf(callback) }))
    .toSorted((a, b) => a.position - b.position)
    .map(({ callback }) => callback);
  const isUnchanged = shuffled.every((callback, index) => callback === callbacks[index]);
  return isUnchanged ? [...shuffled.slice(1), ...shuffled.slice(0, 1)] : shuffled;
}
