/** The order of a list and its pages. A cursor is the position of the last item of a page. */
import type { Positions } from '../caller.ts';

export interface OrderQuery {
  readonly limit?: number;
  readonly cursor?: string;
  /** Which items come first. Default: the oldest, which are the first of the list. */
  readonly order?: 'oldest' | 'newest';
  /** The value that sorts the list, with `-` in front for descending order. */
  readonly sort?: string;
}

export type SortValue = string | number;

/** Where an item is in a list. Values may change, so a page continues after a position, not after an item. */
export interface Position {
  /** The value that sorts the list, or the time of the item; 0 in a list without either. */
  readonly value: SortValue;
  /** Position among the items of the same value, which never changes. */
  readonly number: number;
  /** The server that has the item, in lists over several servers; otherwise empty. */
  readonly origin: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | undefined;
}

export interface Order {
  /** Returns the items of the next page that come first, at most `count`. */
  takeFirst<Item extends Position>(items: readonly Item[], count: number): readonly Item[];
  toPage<Item extends Position>(items: readonly Item[], limit: number): Page<Item>;
}

export const defaultLimit = 100;

/** How positions are written as cursors. `read` returns undefined for a cursor of another form. */
interface CursorForm {
  read(cursor: string): Position | undefined;
  write(position: Position): string;
}

/** Numbers; in lists by time with the time in front, in lists over several servers with the server behind. */
const toNumbered = (isTimed: boolean): CursorForm => ({
  read: (cursor) => {
    const [, value = '', number, origin = ''] =
      /^(?:(-?\d{1,16})-)?(\d{1,15})(?:\.([0-9a-z]{8,}))?$/.exec(cursor) ?? [];
    const isValid = number !== undefined && isTimed === (value !== '');
    return isValid ? { value: Number(value), number: Number(number), origin } : undefined;
  },
  write: ({ value, number, origin }) => `${isTimed ? `${value}-` : ''}${number}${origin && `.${origin}`}`,
});

const toSorted = (sort: string): CursorForm => ({
  read: (cursor) => {
    try {
      const [field, value, number, origin]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
      const isValue = typeof value === 'string' || typeof value === 'number';
      if (field !== sort || !isValue || typeof number !== 'number' || typeof origin !== 'string') return undefined;
      return { value, number, origin };
    } catch {
      return undefined;
    }
  },
  write: ({ value, number, origin }) =>
    Buffer.from(JSON.stringify([sort, value, number, origin])).toString('base64url'),
});

/**
 * Returns the order of a list, for a caller. `isTimed`: its items have times.
 * @returns undefined if the cursor is of another list
 */
export function toOrder(
  { sort, order = 'oldest', cursor }: OrderQuery,
  positions: Positions,
  isTimed = false,
): Order | undefined {
  const form = sort === undefined ? toNumbered(isTimed) : toSorted(sort);
  const after = cursor === undefined ? undefined : form.read(positions.unseal(cursor) ?? '');
  if (cursor !== undefined && after === undefined) return undefined;
  const byNumber = order === 'newest' ? -1 : 1;
  const byValue = sort === undefined ? byNumber : sort.startsWith('-') ? -1 : 1;
  const compare = (one: Position, other: Position): number =>
    byValue * compareValues(one.value, other.value) ||
    byNumber * (one.number - other.number || compareValues(one.origin, other.origin));

  function takeFirst<Item extends Position>(items: readonly Item[], count: number): readonly Item[] {
    let first: Item[] = [];
    let worst: Item | undefined;
    // Lists begin with the oldest: most of the others are then worse than those found first.
    for (const item of order === 'newest' ? items.toReversed() : items) {
      if ((after && compare(item, after) <= 0) || (worst && compare(item, worst) >= 0)) continue;
      first.push(item);
      // Sorting all of a long list would take most of the time of a page.
      if (first.length < 2 * count) continue;
      first = first.sort(compare).slice(0, count);
      worst = first.at(-1);
    }
    return first.sort(compare).slice(0, count);
  }

  return {
    takeFirst,
    toPage: (items, limit) => {
      const first = takeFirst(items, limit + 1);
      const page = first.slice(0, limit);
      const last = page.at(-1);
      return { items: page, next: first.length > limit && last ? positions.seal(form.write(last)) : undefined };
    },
  };
}

function compareValues(one: SortValue, other: SortValue): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
