/** Sorts rows as the sandbox sorts lists. `sort`: the name of a value, with `-` in front for descending order. */

export type SortKey<Row> = (row: Row) => string | number;

/** The values by which rows are sorted, by name. */
export type SortKeys<Row> = Readonly<Record<string, SortKey<Row>>>;

export function sortNameOf(sort: string): string {
  return sort.startsWith('-') ? sort.slice(1) : sort;
}

/** Returns the order that the URL names, or an empty text without a known one. */
export function sortOf<Row>({ sort = '' }: Readonly<Record<string, string>>, keys: SortKeys<Row>): string {
  return Object.hasOwn(keys, sortNameOf(sort)) ? sort : '';
}

/** Sorts rows. Equal rows keep their order. Without a key, all do. */
export function sorted<Row>(rows: readonly Row[], key: SortKey<Row> | undefined, sort: string): readonly Row[] {
  if (key === undefined) return rows;
  return rows
    .map((row) => ({ row, value: key(row) }))
    .sort((one, other) => compare(one.value, other.value, sort))
    .map(({ row }) => row);
}

/** Whether a new row belongs among the first rows of a sorted list, of which `last` is the last one. */
export function isAmongFirst<Row>(row: Row, last: Row | undefined, key: SortKey<Row>, sort: string): boolean {
  // The newest of equal rows comes first.
  return last === undefined || compare(key(row), key(last), sort) <= 0;
}

function compare(one: string | number, other: string | number, sort: string): number {
  const ascending = one < other ? -1 : one > other ? 1 : 0;
  return sort.startsWith('-') ? -ascending : ascending;
}
