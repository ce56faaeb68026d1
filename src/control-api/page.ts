/** Divides lists into pages with a cursor. */
import { type SortPosition, type SortQuery, type SortValue, toSorting } from './sorting.ts';

export interface PageQuery extends SortQuery {
  readonly limit?: number;
}

export interface Page<Item> {
  readonly items: Item[];
  readonly next?: string;
}

export const defaultLimit = 100;

/** The position of an item in a list that is not filtered. */
export const byIndex = (_item: unknown, index: number): number => index;

/** Shows an item as it is. */
export const asIs = <Item>(item: Item): Item => item;

/**
 * Returns the page after the cursor. `positionOf` returns an item's position in the unfiltered list, which must never
 * change; a cursor is the position of the last item of a page. `sortValueOf` returns the value by which the query sorts.
 * @returns undefined if the cursor is invalid
 */
export function toPage<Item, Shown>(
  items: readonly Item[],
  query: PageQuery,
  positionOf: (item: Item, index: number) => number,
  show: (item: Item) => Shown,
  sortValueOf?: (item: Item) => SortValue,
): Page<Shown> | undefined {
  const { limit = defaultLimit, cursor, order = 'oldest' } = query;
  if (sortValueOf) {
    const toPosition = (item: Item, index: number) => {
      return { item, value: sortValueOf(item), number: positionOf(item, index), origin: '' };
    };
    return toSortedPage(items.map(toPosition), query, ({ item }) => show(item));
  }
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) return undefined;
  const isNewest = order === 'newest';
  const isAfter = (position: number): boolean =>
    cursor === undefined || (isNewest ? position < Number(cursor) : position > Number(cursor));
  const remaining: { item: Item; position: number }[] = [];
  for (let step = 0; step < items.length && remaining.length <= limit; step += 1) {
    const index = isNewest ? items.length - 1 - step : step;
    const item = items[index] as Item;
    const position = positionOf(item, index);
    if (isAfter(position)) remaining.push({ item, position });
  }
  const shown = remaining.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(({ item }) => show(item)),
    ...(remaining.length > limit && last && { next: String(last.position) }),
  };
}

/** Returns the page after the cursor of a sorted list. @returns undefined if the cursor is invalid */
function toSortedPage<Item extends SortPosition, Shown>(
  items: readonly Item[],
  query: PageQuery,
  show: (item: Item) => Shown,
): Page<Shown> | undefined {
  const { limit = defaultLimit } = query;
  const sorting = toSorting(query);
  if (!sorting) return undefined;
  const first = sorting.takeFirst(items, limit + 1);
  const shown = first.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(show), ...(first.length > limit && last && { next: sorting.toCursor(last) }) };
}
