/** Sorts lists by a value of their items. Items with the same value are in the list's own order, by number. */

export interface SortQuery {
  readonly cursor?: string;
  /** Which items come first. Default: the oldest, which are the first of the list. */
  readonly order?: 'oldest' | 'newest';
  /** The value that sorts the list, with `-` in front for descending order. */
  readonly sort?: string;
}

export type SortValue = string | number;

/** Where an item is in a sorted list. Values may change, so a page continues after a position, not after an item. */
export interface SortPosition {
  readonly value: SortValue;
  /** Position in the list that is not sorted, which never changes. */
  readonly number: number;
  /** The server that has the item, in lists over several servers; otherwise empty. */
  readonly origin: string;
}

export interface Sorting {
  /** Returns a negative number if the first position comes before the second. */
  compare(one: SortPosition, other: SortPosition): number;
  /** Returns the items of the next page that come first, at most `count`. */
  takeFirst<Item extends SortPosition>(items: Iterable<Item>, count: number): readonly Item[];
  toCursor(last: SortPosition): string;
}

/** Returns how a query sorts. @returns undefined if its cursor is not of a list sorted like this */
export function toSorting({ sort = '', order = 'oldest', cursor }: SortQuery): Sorting | undefined {
  const after = cursor === undefined ? undefined : readCursor(cursor, sort);
  if (cursor !== undefined && after === undefined) return undefined;
  const byValue = sort.startsWith('-') ? -1 : 1;
  const byNumber = order === 'newest' ? -1 : 1;
  const compare: Sorting['compare'] = (one, other) =>
    byValue * compareValues(one.value, other.value) ||
    byNumber * (one.number - other.number || compareValues(one.origin, other.origin));

  return {
    compare,
    takeFirst: <Item extends SortPosition>(items: Iterable<Item>, count: number) => {
      let first: Item[] = [];
      let worst: Item | undefined;
      for (const item of items) {
        if ((after && compare(item, after) <= 0) || (worst && compare(item, worst) >= 0)) continue;
        first.push(item);
        // Sorting all of a long list would take most of the time of a page.
        if (first.length < 2 * count) continue;
        first = first.sort(compare).slice(0, count);
        worst = first.at(-1);
      }
      return first.sort(compare).slice(0, count);
    },
    toCursor: ({ value, number, origin }) =>
      Buffer.from(JSON.stringify([sort, value, number, origin])).toString('base64url'),
  };
}

function compareValues(one: SortValue, other: SortValue): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function readCursor(cursor: string, sort: string): SortPosition | undefined {
  try {
    const [field, value, number, origin]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const isValue = typeof value === 'string' || typeof value === 'number';
    if (field !== sort || !isValue || typeof number !== 'number' || typeof origin !== 'string') return undefined;
    return { value, number, origin };
  } catch {
    return undefined;
  }
}
