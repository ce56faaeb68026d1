/** Finds requests that were sent again before the time that `retry-after` had asked for. */
import type { JournalEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { WallClock } from '../../lib/time.ts';
import { retryAfterMs } from './time-limit.ts';

export interface EarlyRetry {
  /** The request whose response asked to wait. */
  readonly entry: JournalEntry;
  readonly askedMs: number;
  /** How long the client waited. */
  readonly waitedMs: number;
}

/** By how much a retry may be early, in milliseconds: clocks of clients may be coarse. */
const toleranceMs = 100;

/** Returns a list to which the early retries are added. Only the same request again is one: others may be in parallel. */
export function watchRetries(journal: Pick<Journal, 'subscribe'>, wall: WallClock): readonly EarlyRetry[] {
  const early: EarlyRetry[] = [];
  const asked: { readonly entry: JournalEntry; readonly text: string; readonly sentMs: number }[] = [];
  journal.subscribe((entry) => {
    const askedMs = retryAfterMs(entry);
    if (asked.length === 0 && askedMs === 0) return;
    const now = wall.elapsed();
    const text = toText(entry);
    for (const { entry: first, text: other, sentMs } of asked) {
      const waitedMs = now - entry.durationMs - sentMs;
      const isEarly = waitedMs >= 0 && waitedMs + toleranceMs < retryAfterMs(first);
      if (isEarly && text === other) early.push({ entry: first, askedMs: retryAfterMs(first), waitedMs });
    }
    // A client that gave up a slow response has not read when it may come back.
    if (askedMs > 0 && entry.fault === undefined) asked.push({ entry, text, sentMs: now });
  });
  return early;
}

function toText({ method, url, requestBody }: JournalEntry): string {
  return `${method} ${url}\n${requestBody?.read().shown ?? ''}`;
}
