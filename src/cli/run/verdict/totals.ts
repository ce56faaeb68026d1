/** Counts requests by operation and status, rejections by their first mistake, and callbacks by state. */
import type { Callback } from '../../../callbacks/callback.ts';
import { parseJson } from '../../../client/send.ts';
import type { NewEntry } from '../../../journal/entry.ts';
import type { DeliveryFailure } from './delivery-failures.ts';

/** Counts by row name and column name. */
export type Table = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface Totals {
  readonly requests: number;
  /** Requests by operation (or method and path for unknown operations) and status. */
  readonly statuses: Table;
  /** Rejections by operation with status, and first mistake. A batch counts with its first failed entry. */
  readonly mistakes: Table;
  readonly callbacks: number;
  /** Callbacks by type and state. */
  readonly states: Table;
  /** Failed callbacks by type, and why the last attempt failed. */
  readonly failures: Table;
  /** Whether a last attempt got no response because the command, and probably the receiver, had ended. */
  readonly hasLateFailure: boolean;
}

export interface TotalsCounter {
  addRequest(request: NewEntry): void;
  addCallback(callback: Pick<Callback, 'type' | 'state'>, failure: DeliveryFailure | undefined): void;
  totals(): Totals;
}

/** Maximum number of names in a row or column, because a client may request any number of unknown paths. */
const maxNames = 1000;
const otherName = 'others';

export function createTotals(): TotalsCounter {
  const statuses = new Map<string, Map<string, number>>();
  const mistakes = new Map<string, Map<string, number>>();
  const states = new Map<string, Map<string, number>>();
  const failures = new Map<string, Map<string, number>>();
  let hasLateFailure = false;
  let requests = 0;
  let callbacks = 0;
  return {
    addRequest: (request) => {
      requests += 1;
      const name = request.operation ?? `${request.method} ${request.url.split('?')[0]?.slice(0, 100)}`;
      const status = request.status === 0 ? `no response (${request.fault})` : String(request.status);
      increment(statuses, name, status);
      const mistake = firstMistake(request);
      if (mistake !== undefined) increment(mistakes, `${name} ${status}`, mistake);
    },
    addCallback: ({ type, state }, failure) => {
      callbacks += 1;
      increment(states, type, state);
      if (!failure) return;
      increment(failures, type, failure.why);
      hasLateFailure ||= failure.isLate;
    },
    totals: () => ({ requests, statuses, mistakes, callbacks, states, failures, hasLateFailure }),
  };
}

function increment(table: Map<string, Map<string, number>>, row: string, column: string): void {
  const rowName = table.has(row) || table.size < maxNames ? row : otherName;
  const counts = table.get(rowName) ?? new Map<string, number>();
  table.set(rowName, counts);
  const columnName = counts.has(column) || counts.size < maxNames ? column : otherName;
  counts.set(columnName, (counts.get(columnName) ?? 0) + 1);
}

/** Longer responses are not parsed, in characters. */
const maxParsedLength = 200_000;

interface ResponseBody {
  readonly message?: unknown;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  readonly failed?: readonly { readonly reason: string }[];
}

/** Returns the first mistake, or undefined if neither the request nor an entry was rejected. */
function firstMistake({ status, responseBody = '', problem }: NewEntry): string | undefined {
  const isRejected = status >= 400;
  if (!isRejected && !responseBody.includes('"failed":[{')) return undefined;
  const { message, errors, failed }: ResponseBody = problem ?? readResponse(responseBody);
  const error = Array.isArray(errors) ? errors[0] : undefined;
  if (isRejected) return error ? `${error.path}: ${error.message}` : String(message ?? 'no message');
  return Array.isArray(failed) ? `failed entry: ${failed[0]?.reason}` : undefined;
}

/** Parses a response body. A scenario may respond with any text. */
function readResponse(body: string): ResponseBody {
  if (body.length > maxParsedLength) return { message: 'response too long to show' };
  return Object(parseJson(body)) as ResponseBody;
}
