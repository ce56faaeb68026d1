/** Sorts the rows of a table by one column. */
import type { Column } from './column.ts';

/** `sort`: the key of a column, with `-` in front for descending order. Equal rows keep their order. */
export function sorted<Item>(items: readonly Item[], columns: readonly Column<Item>[], sort: string): readonly Item[] {
  const isDescending = sort.startsWith('-');
  const readValue = columns.find(({ key }) => key === sort.slice(isDescending ? 1 : 0))?.sortKey;
  if (readValue === undefined) return items;
  const direction = isDescending ? -1 : 1;
  return items
    .map((item) => ({ item, value: readValue(item) }))
    .sort((one, other) => direction * compare(one.value, other.value))
    .map(({ item }) => item);
}

function compare(one: string | number, other: string | number): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
