/** Counts requests and callback attempts since the start of the server. */
import type { Attempt } from '../callbacks/callback.ts';
import type { JournalEntry } from './entry.ts';

/** Upper bounds of the duration histogram's buckets, in milliseconds. */
export const durationBounds: readonly number[] = [0.5, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];

export interface OperationCounters {
  /** Number of requests by status; 0 if the connection was broken before a status was sent. */
  readonly byStatus: Map<number, number>;
  /** Number of requests in each histogram bucket, not cumulative; the last bucket has no upper bound. */
  readonly byDuration: number[];
  totalMs: number;
}

export interface ProcessCounters {
  /** Log lines that could not be written. */
  logLinesDropped: number;
  /** Errors that no other handler caught. */
  errorsEscaped: number;
}

type AttemptOutcome = 'delivered' | 'refused' | 'error' | 'inbox';

export class Counters {
  /** Counters by operationId; `none` for requests that match no operation. */
  readonly operations: Map<string, OperationCounters> = new Map();
  readonly attempts: Record<AttemptOutcome, number> = { delivered: 0, refused: 0, error: 0, inbox: 0 };

  request({ operation = 'none', status, durationMs }: Pick<JournalEntry, 'operation' | 'status' | 'durationMs'>): void {
    const counters = this.operations.get(operation) ?? createOperationCounters();
    this.operations.set(operation, counters);
    counters.byStatus.set(status, (counters.byStatus.get(status) ?? 0) + 1);
    counters.totalMs += durationMs;
    let bucket = 0;
    while (bucket < durationBounds.length && durationMs > (durationBounds[bucket] as number)) bucket += 1;
    (counters.byDuration[bucket] as number) += 1;
  }

  attempt(made: Attempt): void {
    this.attempts[outcomeOf(made)] += 1;
  }
}

function createOperationCounters(): OperationCounters {
  return { byStatus: new Map(), byDuration: new Array(durationBounds.length + 1).fill(0), totalMs: 0 };
}

function outcomeOf({ status, error }: Attempt): AttemptOutcome {
  if (error !== undefined) return 'error';
  if (status === undefined) return 'inbox';
  return status >= 200 && status <= 299 ? 'delivered' : 'refused';
}
