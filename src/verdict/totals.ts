/** Counts requests by operation and status, refusals by their first mistake, and callbacks by what became of them. */
import type { Callback } from '../callbacks/callback.ts';
import type { NewEntry } from '../journal/journal.ts';

/** Numbers by two names. */
export type Table = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface Totals {
  readonly requests: number;
  /** Requests by operation, or by method and path where there is none, and status. */
  readonly statuses: Table;
  /** Refusals by operation and status, and first mistake; of a batch that of its first failed entry. */
  readonly mistakes: Table;
  readonly callbacks: number;
  /** By type and state. */
  readonly states: Table;
}

export interface TotalsCounter {
  addRequest(request: NewEntry): void;
  addCallback(callback: Pick<Callback, 'type' | 'state'>): void;
  totals(): Totals;
}

/** How many names of each kind are told apart: a client may ask for any number of paths that there are not. */
const mostNames = 1000;
const otherName = 'others';

export function createTotals(): TotalsCounter {
  const statuses = new Map<string, Map<string, number>>();
  const mistakes = new Map<string, Map<string, number>>();
  const states = new Map<string, Map<string, number>>();
  let requests = 0;
  let callbacks = 0;
  return {
    addRequest: (request) => {
      requests += 1;
      const name = request.operation ?? `${request.method} ${request.url.split('?')[0]?.slice(0, 100)}`;
      const status = request.status === 0 ? `no answer (${request.fault})` : String(request.status);
      increment(statuses, name, status);
      const mistake = firstMistake(request);
      if (mistake !== undefined) increment(mistakes, `${name} ${status}`, mistake);
    },
    addCallback: ({ type, state }) => {
      callbacks += 1;
      increment(states, type, state);
    },
    totals: () => ({ requests, statuses, mistakes, callbacks, states }),
  };
}

function increment(table: Map<string, Map<string, number>>, row: string, column: string): void {
  const rowName = table.has(row) || table.size < mostNames ? row : otherName;
  const counts = table.get(rowName) ?? new Map<string, number>();
  table.set(rowName, counts);
  const columnName = counts.has(column) || counts.size < mostNames ? column : otherName;
  counts.set(columnName, (counts.get(columnName) ?? 0) + 1);
}

/** Longer answers are not looked into. */
const longestRead = 200_000;

interface Answer {
  readonly message?: unknown;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  readonly failed?: readonly { readonly reason: string }[];
}

/** What was wrong first, if the request or an entry of it was refused. */
function firstMistake({ status, responseBody = '' }: NewEntry): string | undefined {
  const isRefused = status >= 400;
  if (!isRefused && !responseBody.includes('"failed":[{')) return undefined;
  const { message, errors, failed } = readAnswer(responseBody);
  const error = Array.isArray(errors) ? errors[0] : undefined;
  if (isRefused) return error ? `${error.path}: ${error.message}` : String(message ?? 'without a message');
  return Array.isArray(failed) ? `an entry: ${failed[0]?.reason}` : undefined;
}

/** A scenario may answer with anything. */
function readAnswer(body: string): Answer {
  if (body.length > longestRead) return { message: 'a long answer' };
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
