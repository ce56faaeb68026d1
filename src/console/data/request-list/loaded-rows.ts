/** The loaded rows of a list: the first ones in the order in which the sandbox sends them, without a gap. */
import type { SandboxEvent } from '../events.ts';
import type { RequestRow } from '../request-row.ts';
import type { Arrived } from './arrivals.ts';
import type { Page } from './load-page.ts';
import { changesRows, maxRows, withCallbacks, withNew, withNewest, withOlder } from './rows.ts';
import { amongFirst } from './sorting.ts';

export interface LoadedRows {
  readonly rows: readonly RequestRow[];
  /** Where the next page begins; undefined if there is none. */
  readonly next: string | undefined;
  /** How the sandbox sorts the list; an empty text: the newest first. */
  readonly sort: string;
}

const pageSize = 100;

export const noRows: LoadedRows = { rows: [], next: undefined, sort: '' };

/** Whether all rows of the list are loaded, the newest first, so that they can be sorted here. */
export function isWhole({ rows, next, sort }: LoadedRows): boolean {
  return sort === '' && next === undefined && rows.length < maxRows;
}

/** Returns the size of the first page that has all rows that may have changed. */
export function firstPageSize({ rows, sort }: LoadedRows): number {
  // The values of a sorted list may have changed in any row.
  if (sort !== '') return Math.max(pageSize, Math.min(1000, rows.length));
  const pending = rows.findLastIndex(({ entries }) => entries.pending > 0) + 1;
  return Math.max(pageSize, Math.min(500, pending));
}

/** Whether an event may have changed the list in a way that only the sandbox knows. */
export function changesLoaded(
  event: SandboxEvent,
  { rows, sort }: LoadedRows,
  { outcome = '' }: Readonly<Record<string, string>>,
): boolean {
  return changesRows(event, rows, outcome !== '' || sort.endsWith('callbacks'));
}

/** Puts the first page in place of the rows that it covers. */
export function withFirstPage(loaded: LoadedRows, { items, next }: Page, arrived: Arrived): LoadedRows {
  const { rows: before, sort } = loaded;
  // Without a next page, older rows have left the selection. Values may have changed anywhere in a sorted list.
  const kept = next === undefined || sort !== '' ? [] : before;
  const added = amongFirst(arrived.rows, next === undefined ? undefined : items.at(-1), sort);
  const rows = withNewest(kept, items, added);
  // Without older rows below the page, the next page is the one after it.
  const isAll = rows.length <= items.length + added.length;
  return { sort, rows: withCallbacks(rows, arrived.callbacks), next: isAll ? next : loaded.next };
}

export function withNextPage(loaded: LoadedRows, { items, next }: Page): LoadedRows {
  return { ...loaded, rows: withOlder(loaded.rows, items), next };
}

/** Adds what has just arrived. New rows that belong below the loaded ones come with a later page. */
export function withArrived(loaded: LoadedRows, arrived: Arrived): LoadedRows {
  const { rows, next, sort } = loaded;
  const added = amongFirst(arrived.rows, next === undefined ? undefined : rows.at(-1), sort);
  return { ...loaded, rows: withCallbacks(withNew(rows, added, sort === ''), arrived.callbacks) };
}
