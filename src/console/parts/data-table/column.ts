/** A column of a table. */
export interface Column<Item> {
  readonly key: string;
  readonly title: string;
  /** Explains the title, as its tooltip. */
  readonly hint?: string;
  /** Track of the grid, such as `6rem` or `minmax(8rem, 1fr)`. */
  readonly width: string;
  /** Aligns numbers by their last digit. */
  readonly align?: 'end';
  /** Rendered again if the item or the list of columns is another object. A link of class `row-link` covers its row. */
  readonly cell: (item: Item) => unknown;
  /** Value by which the column sorts. Columns without it cannot be sorted. */
  readonly sortKey?: (item: Item) => string | number;
  /** Hides the column while the table is narrower, in pixels. */
  readonly hideBelow?: number;
}
