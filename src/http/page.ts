/** Lists as pages: filtered, oldest first, with a cursor to go on from. */

/** What a client asks of a list. */
export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

export interface Page<Item> {
  readonly items: Item[];
  readonly next?: string;
}

const usualLimit = 100;

/**
 * The page after the cursor. `positionOf` gives an item's place in the whole list, which never changes;
 * a cursor is the place of the last item that was shown.
 * @returns undefined where the cursor is none
 */
export function toPage<Item, Shown>(
  items: readonly Item[],
  { limit = usualLimit, cursor }: PageQuery,
  positionOf: (item: Item, index: number) => number,
  show: (item: Item) => Shown,
): Page<Shown> | undefined {
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) return undefined;
  const after = cursor === undefined ? -1 : Number(cursor);
  const left: { item: Item; position: number }[] = [];
  for (const [index, item] of items.entries()) {
    const position = positionOf(item, index);
    if (position <= after) continue;
    left.push({ item, position });
    if (left.length > limit) break;
  }
  const shown = left.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(({ item }) => show(item)),
    ...(left.length > limit && last && { next: String(last.position) }),
  };
}
