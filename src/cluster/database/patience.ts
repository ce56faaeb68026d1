/** Waits while the database is away: it restarts, or the network to it is broken. */
import { setMaxListeners } from 'node:events';
import { pause, type WallClock } from '../../lib/time.ts';
import { StoreUnavailable } from '../../project/persistence/store-errors.ts';

/** What a connection reports, and when to wait less. */
export interface DatabaseNotices {
  /** Reports when the database is away, and when it is back. */
  warn?(text: string): void;
  /** Aborted when this replica ends: nothing waits long from then on. */
  readonly ending?: AbortSignal;
}

/** How long a request waits for the database or another server, in milliseconds, and its pause between two attempts. */
export const patienceMs = 12_000;
export const pauseMs = 100;
/** Patience of a replica that ends. */
const endingMs = 2000;
/** Minimum time for an operation, however long the database has been away. */
export const minMs = 1000;
/** The same of a replica that ends: it asks several times, and has ten seconds in all. */
const endingMinMs = 250;
/** Shorter interruptions are not reported. */
const unreportedMs = 2000;

/** SQLSTATE codes of a server that starts, stops or is full, and of statements that it ended to resolve a conflict. */
const passing = /^(08|57P0|53300|40001|40P01|25006)/;

/**
 * Creates a function that runs an operation again while the database is away, as long as a request may wait. The wait counts
 * from the first failure of any operation since the last success, so that a request of several operations waits once.
 */
export function createPatience(
  wall: WallClock,
  { warn, ending }: DatabaseNotices = {},
): <Value>(operation: () => Promise<Value>) => Promise<Value> {
  let failingSinceMs: number | undefined;
  let succeededMs = 0;
  let isReported = false;
  // Each operation that is under way listens.
  if (ending) setMaxListeners(0, ending);

  function succeeded(): void {
    if (isReported)
      warn?.(`the database is back after ${Math.round((wall.elapsed() - (failingSinceMs ?? 0)) / 1000)} s`);
    failingSinceMs = undefined;
    succeededMs = wall.elapsed();
    isReported = false;
  }

  function failed(error: unknown, startedMs: number): void {
    failingSinceMs ??= Math.max(startedMs, succeededMs);
    if (isReported || wall.elapsed() - failingSinceMs < unreportedMs) return;
    isReported = true;
    warn?.(`${toReason(error)}; requests wait for it for ${patienceMs / 1000} s at most`);
  }

  /** Returns how long an operation may still take that began at this time. */
  function remainingMs(startedMs: number): number {
    const maxMs = ending?.aborted ? endingMs : patienceMs;
    return Math.min(startedMs, failingSinceMs ?? startedMs) + maxMs - wall.elapsed();
  }

  /** Rejects when the operation has taken this long, or when it takes too long for the end of the process. */
  function timed<Value>(running: Promise<Value>, ms: number): Promise<Value> {
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new StoreUnavailable('the database does not answer'));
      const cancels = [wall.after(ms, fail)];
      const hurry = (): void => void cancels.push(wall.after(endingMs, fail));
      ending?.addEventListener('abort', hurry);
      running.then(resolve, reject).finally(() => {
        ending?.removeEventListener('abort', hurry);
        for (const cancel of cancels) cancel();
      });
    });
  }

  /** Returns the error of a caller that must not wait any longer. */
  function toFinal(error: unknown, startedMs: number): unknown {
    if (!isPassing(error)) return error;
    failed(error, startedMs);
    if (error instanceof StoreUnavailable) return error;
    return remainingMs(startedMs) > 0 ? undefined : new StoreUnavailable(toReason(error), { cause: error });
  }

  return async (operation) => {
    const startedMs = wall.elapsed();
    for (;;) {
      try {
        const value = await timed(operation(), Math.max(ending?.aborted ? endingMinMs : minMs, remainingMs(startedMs)));
        succeeded();
        return value;
      } catch (error) {
        const final = toFinal(error, startedMs);
        if (final) throw final;
      }
      await pause(wall, pauseMs);
    }
  };
}

function isPassing(error: unknown): boolean {
  const { code } = error as { readonly code?: string };
  // Errors of the connection have no code, or one of the system such as ECONNRESET.
  return code === undefined || passing.test(code) || /^E[A-Z]+$/.test(code);
}

function toReason(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  return `the database cannot be reached (${code ?? message})`;
}
