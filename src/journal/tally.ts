/** Counts requests and callbacks' attempts since the server began, as cheaply as can be; knows of no format. */
import type { Callback } from '../callbacks/callback.ts';
import type { JournalEntry } from './journal.ts';

/** The upper bounds of the durations that are told apart, in milliseconds. */
export const durationBounds: readonly number[] = [0.5, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];

/** Requests of one operation. */
export interface OperationTally {
  /** How many were answered so, by status; 0 where the connection was broken before there was one. */
  readonly byStatus: Map<number, number>;
  /** How many took no longer than each bound, and longer than the one before; the last are those beyond all. */
  readonly byDuration: number[];
  totalMs: number;
}

/** How an attempt at a callback ended. */
export type AttemptOutcome = 'delivered' | 'refused' | 'error' | 'inbox';

export interface Tally {
  /** By operationId; `none` for requests that were no operation. */
  readonly operations: ReadonlyMap<string, OperationTally>;
  readonly attempts: Readonly<Record<AttemptOutcome, number>>;
  request(entry: Pick<JournalEntry, 'operation' | 'status' | 'durationMs'>): void;
  /** To be told at every change of a callback: each of its attempts is counted once. */
  callback(callback: Pick<Callback, 'attempts'>): void;
}

export function createTally(): Tally {
  const operations = new Map<string, OperationTally>();
  const attempts = { delivered: 0, refused: 0, error: 0, inbox: 0 };
  const counted = new WeakMap<object, number>();

  function tallyOf(operation: string): OperationTally {
    const known = operations.get(operation);
    if (known) return known;
    const fresh = { byStatus: new Map(), byDuration: new Array(durationBounds.length + 1).fill(0), totalMs: 0 };
    operations.set(operation, fresh);
    return fresh;
  }

  return {
    operations,
    attempts,
    request: ({ operation = 'none', status, durationMs }) => {
      const tally = tallyOf(operation);
      tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + 1);
      tally.totalMs += durationMs;
      let place = 0;
      while (place < durationBounds.length && durationMs > (durationBounds[place] as number)) place += 1;
      (tally.byDuration[place] as number) += 1;
    },
    callback: (callback) => {
      const before = counted.get(callback) ?? 0;
      for (const attempt of callback.attempts.slice(before)) attempts[outcomeOf(attempt)] += 1;
      counted.set(callback, callback.attempts.length);
    },
  };
}

function outcomeOf({ status, error }: Callback['attempts'][number]): AttemptOutcome {
  if (error !== undefined) return 'error';
  if (status === undefined) return 'inbox';
  return status >= 200 && status <= 299 ? 'delivered' : 'refused';
}
