/** Filters a list by a text: the best matches first, and the order of the list among equals. */

/** Each word of `text` must be part of the item's title or of its further words. */
export function ranked<Item extends { readonly title: string; readonly words?: string }>(
  items: readonly Item[],
  text: string,
): readonly Item[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return items;
  return items
    .map((item) => ({ item, rank: Math.max(...words.map((word) => rankOf(item, word))) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}

/**
 * Returns 0 for the whole title, 1 for its start, 2 for the start of a word or a whole further word, 3 inside, 4 inside
 * the further words.
 */
function rankOf({ title, words = '' }: { readonly title: string; readonly words?: string }, word: string): number {
  const at = title.toLowerCase().indexOf(word);
  if (at === 0) return title.length === word.length ? 0 : 1;
  if (at > 0 && /\W/.test(title.charAt(at - 1))) return 2;
  if (words.toLowerCase().split(' ').includes(word)) return 2;
  if (at > 0) return 3;
  return words.toLowerCase().includes(word) ? 4 : Number.POSITIVE_INFINITY;
}
