/** Sorts rows as the sandbox sorts lists. `sort`: the name of a value, with `-` in front for descending order. */

export type SortKey<Row> = (row: Row) => string | number;

export function sortNameOf(sort: string): string {
  return sort.startsWith('-') ? sort.slice(1) : sort;
}

/** Sorts rows. Equal rows keep their order. Without a key, all do. */
export function sorted<Row>(rows: readonly Row[], key: SortKey<Row> | undefined, sort: string): readonly Row[] {
  if (key === undefined) return rows;
  return rows
    .map((row) => ({ row, value: key(row) }))
    .sort((one, other) => compare(one.value, other.value, sort))
    .map(({ row }) => row);
}

function compare(one: string | number, other: string | number, sort: string): number {
  const ascending = one < other ? -1 : one > other ? 1 : 0;
  return sort.startsWith('-') ? -ascending : ascending;
}
