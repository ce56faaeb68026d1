/** Merges the numbers of requests of several servers to one page. Numbers grow with the time of the real clock. */
import type { Order, OrderQuery, Position } from '../../../control-api/lists/order.ts';
import { addUp, type Counts } from '../../../control-api/lists/select.ts';
import { readPositions, toEventId } from '../../../journal/event-id.ts';

/** The numbers of requests of one server, in the order of the list. */
export interface Numbered {
  readonly origin: string;
  readonly numbers: readonly number[];
  /** In place of the numbers, if the list is sorted by a value. */
  readonly positions?: readonly Position[];
  readonly counts?: Counts;
}

export interface MergedPage {
  readonly items: readonly { readonly origin: string; readonly number: number }[];
  /** The positions after the page at each server; undefined at the end. */
  readonly next: string | undefined;
}

/** Merges by number, then by server. `cursor`: the positions before the page. */
export function mergeNumbers(
  all: readonly Numbered[],
  limit: number,
  cursor: Readonly<Record<string, number>>,
  order: OrderQuery['order'] = 'oldest',
): MergedPage {
  const sign = order === 'newest' ? -1 : 1;
  const merged = all
    .flatMap(({ origin, numbers }) => numbers.map((number) => ({ origin, number })))
    .sort((a, b) => sign * (a.number - b.number || (a.origin < b.origin ? -1 : 1)));
  const items = merged.slice(0, limit);
  if (merged.length <= limit) return { items, next: undefined };
  const positions = new Map(Object.entries(cursor));
  for (const { origin, number } of items) positions.set(origin, number);
  return { items, next: toEventId(positions) };
}

/** Merges by the value that sorts the list, then by number and server. */
export function mergeSorted(all: readonly Numbered[], limit: number, order: Order): MergedPage {
  const { items, next } = order.toPage(
    all.flatMap(({ positions = [] }) => positions),
    limit,
  );
  return { items, next };
}

/** Reads a cursor. Returns undefined if it has another form. */
export function readCursor(cursor: string | undefined): Readonly<Record<string, number>> | undefined {
  if (cursor === undefined) return {};
  const positions = readPositions(cursor);
  return positions.size === cursor.split('.').length ? Object.fromEntries(positions) : undefined;
}

/** Adds counts of several servers. */
export function addCounts(all: readonly Counts[]): Counts {
  const add = (name: string): Counts[string] => {
    const counted = all.map((counts) => counts[name] ?? {});
    if (counted.every((one) => typeof one === 'number')) return counted.reduce((sum, one) => sum + one, 0);
    return addUp(counted.flatMap((one) => Object.entries(one)));
  };
  return Object.fromEntries(Object.keys(all[0] ?? {}).map((name) => [name, add(name)]));
}
