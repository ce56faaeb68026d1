/** Counts requests by operation and status, rejections by their first mistake, and callbacks by state; and formats them. */
import type { Callback } from '../../callbacks/callback.ts';
import { readFailures } from '../../control-api/requests/show.ts';
import type { NewEntry } from '../../journal/entry.ts';
import { formatCount } from '../../lib/format.ts';
import { maskUrl } from '../../lib/mask-url.ts';
import type { Project } from '../../project/project.ts';
import { cut } from '../output/text.ts';
import { compareTexts } from './scenarios.ts';

/** Counts by row name and column name. */
type Table = Map<string, Map<string, number>>;

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

/** Maximum numbers of lines. The report counts the omitted lines. */
const maxRows = 20;
const maxReasons = 10;

/** What to do if the receiver ended with the command, before its callbacks were sent. */
const lateFailureHint = [
  '  The receiver has to run until its callbacks are sent: in the test, freeze the clock and advance it, or wait until the',
  '  callbacks are `delivered`. Or set no endpoint: callbacks are then stored in the inbox.',
];

/** Returns the lines of the report about the totals. */
export function toTotalLines(totals: Totals): readonly string[] {
  const { requests, statuses, mistakes, callbacks, states, failures, hasLateFailure } = totals;
  return [
    formatCount(requests, 'request'),
    ...toTableLines(statuses),
    ...toReasonLines('rejected', mistakes, 'mistakes'),
    formatCount(callbacks, 'callback'),
    ...toTableLines(states),
    ...toReasonLines('not delivered', failures, 'reasons'),
    ...(hasLateFailure ? lateFailureHint : []),
  ];
}

/** Formats each reason on one line, the most frequent ones first. */
function toReasonLines(heading: string, table: Table, noun: string): readonly string[] {
  const rows = [...table].flatMap(([what, counts]) => [...counts].map(([why, number]) => ({ what, why, number })));
  const sorted = rows.toSorted(
    (a, b) => b.number - a.number || compareTexts(`${a.what} ${a.why}`, `${b.what} ${b.why}`),
  );
  const hidden = sorted.slice(maxReasons);
  return [
    ...(sorted.length > 0 ? [heading] : []),
    ...sorted.slice(0, maxReasons).map(({ what, why, number }) => cut(`  ${number} × ${what}: ${why}`)),
    ...(hidden.length > 0
      ? [`  and ${hidden.reduce((sum, { number }) => sum + number, 0)} more with other ${noun}`]
      : []),
  ];
}

function toTableLines(table: Table): readonly string[] {
  const rows = [...table].toSorted(([a, as], [b, bs]) => sum(bs) - sum(as) || compareTexts(a, b));
  const shown = rows.slice(0, maxRows).map(([name, counts]) => {
    const sorted = [...counts].toSorted(([a], [b]) => compareTexts(a, b));
    const parts = sorted.map(([column, number]) => `${column} × ${number}`);
    return cut(`  ${name}: ${parts.join(', ')}`);
  });
  return rows.length > maxRows ? [...shown, `  and ${rows.length - maxRows} more`] : shown;
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, number) => total + number, 0);
}
