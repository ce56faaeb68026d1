/** The loaded rows of a list, newest first: adds pages, new requests and the callbacks of requests. */
import type { CallbackEvent, SandboxEvent } from '../events.ts';
import { type RequestRow, rowKey } from '../request-row.ts';

/** Maximum number of rows in the page. Older ones are dropped. */
export const maxRows = 20_000;

/** Puts the newest page in place of the rows that it covers, below rows that arrived while it was loaded. */
export function withNewest(
  rows: readonly RequestRow[],
  page: readonly RequestRow[],
  arrived: readonly RequestRow[],
): readonly RequestRow[] {
  const last = page.at(-1);
  const lastKey = last && rowKey(last);
  const end = rows.findIndex((row) => rowKey(row) === lastKey);
  return withNew([...page, ...(end < 0 ? [] : rows.slice(end + 1))], arrived);
}

/** Adds rows that have just arrived, given in the order of their arrival. */
export function withNew(
  rows: readonly RequestRow[],
  arrived: readonly RequestRow[],
  isNewestFirst: boolean = true,
): readonly RequestRow[] {
  if (arrived.length === 0) return rows;
  // New rows can only be among the newest ones already.
  const known = new Set((isNewestFirst ? rows.slice(0, arrived.length + 1000) : rows).map(rowKey));
  const added = arrived.filter((row) => !known.has(rowKey(row))).toReversed();
  return added.length === 0 ? rows : [...added, ...rows].slice(0, maxRows);
}

/** Adds an older page. */
export function withOlder(rows: readonly RequestRow[], page: readonly RequestRow[]): readonly RequestRow[] {
  const known = new Set(rows.map(rowKey));
  return [...rows, ...page.filter((row) => !known.has(rowKey(row)))].slice(0, maxRows);
}

/** Shows the events of callbacks in the rows of their requests. */
export function withCallbacks(rows: readonly RequestRow[], events: readonly CallbackEvent[]): readonly RequestRow[] {
  if (events.length === 0) return rows;
  const byRequest = new Map<string, CallbackEvent[]>();
  for (const event of events) {
    const key = rowKey({ project: event.project, id: event.requestId });
    byRequest.set(key, [...(byRequest.get(key) ?? []), event]);
  }
  return rows.map((row) => byRequest.get(rowKey(row))?.reduce(withCallback, row) ?? row);
}

function withCallback(row: RequestRow, { id, state, failed }: CallbackEvent): RequestRow {
  if (row.callbacks.some((one) => one.id === id)) {
    return { ...row, callbacks: row.callbacks.map((one) => (one.id === id ? { id, state } : one)) };
  }
  // Further callbacks of the row are not loaded: the next page shows them.
  if (row.callbackCount > row.callbacks.length || row.callbacks.length === 10) return row;
  const { accepted, pending, ...entries } = row.entries;
  return {
    ...row,
    entries: {
      ...entries,
      accepted: Math.max(0, accepted - failed),
      failed: entries.failed + failed,
      pending: Math.max(0, pending - failed),
    },
    callbacks: [...row.callbacks, { id, state }],
    callbackCount: row.callbackCount + 1,
  };
}

/** Whether an event may have changed rows in a way that only the sandbox knows. */
export function changesRows(event: SandboxEvent, rows: readonly RequestRow[], dependsOnCallbacks: boolean): boolean {
  if (event.kind === 'callback') return dependsOnCallbacks;
  if (event.kind === 'change') return ['clock', 'snapshot'].includes(event.what);
  if (event.kind !== 'records') return false;
  return dependsOnCallbacks || rows.some(({ project, entries }) => project === event.project && entries.pending > 0);
}
