/** Decides when a command has run too long. What the sandbox makes it wait for does not count. */

import { dripMs } from '../../http/write-response.ts';
import type { JournalEntry } from '../../journal/entry.ts';
import { durationHelp, parseDuration } from '../../lib/duration.ts';

/** Time without a request after which a command at its limit counts as hung, in milliseconds. */
export const hungAfterMs = 5000;

/** Additional time for a command that still sends requests, in milliseconds. */
const retryMs = 60_000;

/** Longest wait that one response imposes, in milliseconds. */
const maxImposedMs = 60_000;

/** Minimum time limit of a run, in milliseconds, and how many times longer than without a failure it may take. */
const minLimitMs = 10_000;
const limitFactor = 5;

/** Returns the time limit of a run for a command that takes this long without a failure, in milliseconds. */
export function toLimitMs(durationMs: number): number {
  return Math.max(minLimitMs, limitFactor * durationMs);
}

/** Judges a command that is `overMs` beyond its limit, and has sent no request for `quietMs`. */
export function judgeTime({ overMs, quietMs }: Record<'overMs' | 'quietMs', number>): 'hung' | 'retrying' | undefined {
  if (overMs < 0) return undefined;
  if (quietMs >= hungAfterMs) return 'hung';
  return overMs >= retryMs ? 'retrying' : undefined;
}

/** Returns how long a response makes the client wait, in milliseconds: its delay, `retry-after`, and a slow body. */
export function imposedMs(entry: JournalEntry): number {
  return Math.min(maxImposedMs, entry.durationMs + retryAfterMs(entry) + slowMs(entry));
}

/** Returns how long the body of a response takes that is sent byte by byte, in milliseconds; 0 for others. */
export function slowMs({ fault, responseBody }: Pick<JournalEntry, 'fault' | 'responseBody'>): number {
  return fault === 'drip' ? (responseBody?.length ?? 0) * dripMs : 0;
}

/** Returns how long a response asks the client to wait before the next attempt, in milliseconds. */
export function retryAfterMs({ responseHeaders }: Pick<JournalEntry, 'responseHeaders'>): number {
  const seconds = Number(responseHeaders['retry-after'] ?? 0);
  return Number.isFinite(seconds) ? seconds * 1000 : 0;
}

/** Parses the text of a time option, and adds its mistake. @returns milliseconds; undefined without a valid text */
export function parseTime(option: string, text: string | undefined, mistakes: string[]): number | undefined {
  const ms = parseDuration(text ?? '') ?? 0;
  if (ms > 0) return ms;
  const got = JSON.stringify(text?.slice(0, 64));
  if (text !== undefined) mistakes.push(`${option}: expected a duration longer than 0: ${durationHelp}; got ${got}`);
  return undefined;
}
