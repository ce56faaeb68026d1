/** Collects callbacks that a scenario delivers in a different order, until their group is released. */
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
  readonly fault: DeliveryFault;
}

/** The state that groups are part of: the groups that were not released yet, by the key of their rule. */
interface GroupState {
  readonly callbacks: ReadonlyMap<string, Callback>;
  readonly groups: Map<string, CallbackGroup>;
}

/** Adds a callback, raised at `atMs`, to the group of its rule. Returns the group if it is new; schedule its release. */
export function addToGroup(
  { groups }: GroupState,
  callback: Callback,
  order: CallbackGroup['order'],
  { key, hashed, fault }: CallbackFaultRule,
  atMs: number,
): CallbackGroup | undefined {
  const existing = groups.get(key);
  const group = existing ?? { order, hashed, releaseAt: atMs + fault.delayMs, callbackIds: [] };
  groups.set(key, group);
  group.callbackIds.push(callback.id);
  callback.dueAt = toTimestamp(group.releaseAt);
  return existing ? undefined : group;
}

/** Removes a group. Returns its callbacks in the order in which to send them. */
export function releaseGroup({ callbacks, groups }: GroupState, key: string): readonly Callback[] {
  const group = groups.get(key);
  if (!group) return [];
  groups.delete(key);
  const grouped = group.callbackIds.map((id) => callbacks.get(id)).filter((callback) => callback !== undefined);
  return reorder(grouped, group);
}

/** Reverses or shuffles callbacks. A shuffle of two or more always changes the order. */
function reorder(
  callbacks: readonly Callback[],
  { order, hashed }: Pick<CallbackGroup, 'order' | 'hashed'>,
): readonly Callback[] {
  if (order === 'reverse') return callbacks.toReversed();
  const random = createHash(...hashed);
  // Sort by content, not by id: ids differ from run to run, and with the order of parallel requests.
  const positionOf = ({ operation, body }: Callback): number =>
    random.fraction(`shuffle:${JSON.stringify([operation, body.data.succeeded ?? body.data.failed])}`);
  const shuffled = callbacks
    .map((callback) => ({ callback, position: positionOf(callback) }))
    .toSorted((a, b) => a.position - b.position)
    .map(({ callback }) => callback);
  const isUnchanged = shuffled.every((callback, index) => callback === callbacks[index]);
  return isUnchanged ? [...shuffled.slice(1), ...shuffled.slice(0, 1)] : shuffled;
}
