/** Counts requests by operation and status, rejections by their first mistake, and callbacks by state. */
import type { Callback } from '../../callbacks/callback.ts';
import { readFailures } from '../../control-api/requests/show.ts';
import type { NewEntry } from '../../journal/entry.ts';
import { maskUrl } from '../../lib/mask-url.ts';
import type { Project } from '../../project/project.ts';

/** Counts by row name and column name. */
export type Table = Map<string, Map<string, number>>;

/** Maximum number of names in a row or column, because a client may request any number of unknown paths. */
const maxNames = 1000;
const otherName = 'others';

export class Totals {
  requests = 0;
  callbacks = 0;
  /** Whether a last attempt got no response because the command, and probably the receiver, had ended. */
  hasLateFailure = false;
  /** Requests by operation (or method and path for unknown operations) and status. */
  readonly statuses: Table = new Map();
  /** Rejections by operation with status, and first mistake. A batch counts with its first failed entry. */
  readonly mistakes: Table = new Map();
  /** Callbacks by type and state. */
  readonly states: Table = new Map();
  /** Failed callbacks by type, and why the last attempt failed. */
  readonly failures: Table = new Map();
  /** Number of attempts of each callback when the command ended. */
  #attemptsAtEnd: WeakMap<Callback, number> | undefined;

  addRequest(request: NewEntry): void {
    this.requests += 1;
    const name = request.operation ?? `${request.method} ${request.url.split('?')[0]?.slice(0, 100)}`;
    const status = request.status === 0 ? `no response (${request.fault})` : String(request.status);
    increment(this.statuses, name, status);
    const mistake = firstMistake(request);
    if (mistake !== undefined) increment(this.mistakes, `${name} ${status}`, mistake);
  }

  /** Counts attempts from now on as late. */
  commandEnded(projects: readonly Project[]): void {
    const callbacks = projects.flatMap(({ state }) => [...state.callbacks.values()]);
    this.#attemptsAtEnd = new WeakMap(callbacks.map((callback) => [callback, callback.attempts.length]));
  }

  addCallbacks({ state: { callbacks, endpoint } }: Project): void {
    const url = endpoint ? maskUrl(endpoint.url) : 'the receiver';
    for (const callback of callbacks.values()) {
      this.callbacks += 1;
      increment(this.states, callback.type, callback.state);
      if (callback.state === 'failed') increment(this.failures, callback.type, this.#explainFailure(callback, url));
    }
  }

  /** Explains the last attempt. One that got no response after the command had ended is late. */
  #explainFailure(callback: Callback, url: string): string {
    const index = callback.attempts.findLastIndex(({ cause }) => cause === 'schedule');
    const { status, error, listener } = callback.attempts[index] ?? {};
    const receiver = listener ? 'the listener' : url;
    if (error === undefined) return `${receiver} responded with ${status}`;
    const isLate = this.#attemptsAtEnd !== undefined && index >= (this.#attemptsAtEnd.get(callback) ?? 0);
    this.hasLateFailure ||= isLate;
    const reason = error.startsWith('connection ') ? `${error} by ${receiver}` : `${receiver}: ${error}`;
    return isLate ? `${reason}; the command had ended` : reason;
  }
}

function increment(table: Table, row: string, column: string): void {
  const rowName = table.has(row) || table.size < maxNames ? row : otherName;
  const counts = table.get(rowName) ?? new Map<string, number>();
  table.set(rowName, counts);
  const columnName = counts.has(column) || counts.size < maxNames ? column : otherName;
  counts.set(columnName, (counts.get(columnName) ?? 0) + 1);
}

/** Returns the first mistake, or undefined if neither the request nor an entry was rejected. */
function firstMistake(request: NewEntry): string | undefined {
  const { message, errors, failed } = readFailures(request);
  const [error] = errors;
  if (request.status >= 400)
    return error?.path ? `${error.path}: ${error.message}` : (error?.message ?? message) || 'no message';
  return failed[0] && `failed entry: ${failed[0].reason}`;
}
