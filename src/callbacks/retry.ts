/** When a callback is tried again, as a pure function of the last attempt; knows no clock and sends nothing. */
import type { Outcome } from './send.ts';

const longestRetryAfterMs = 24 * 3_600_000;

/** The three spellings of a date in HTTP (RFC 9110, 5.6.7); the last has no zone, and means GMT. */
const httpDates: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [\d ]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/** An attempt that has ended. */
export interface Attempt {
  /** How many attempts were made, this one included. */
  readonly attempt: number;
  /** When this one was made, on the project's clock. */
  readonly atMs: number;
  /** How long after each attempt the next is made. */
  readonly retriesMs: readonly number[];
  readonly outcome: Outcome;
  /** The wall clock when the answer came, to read a `retry-after` that is a date. */
  readonly wallMs: number;
}

/** When the next attempt is due on the project's clock, or undefined: delivered, gone, or no attempts left. */
export function nextAttempt({ attempt, atMs, retriesMs, outcome, wallMs }: Attempt): number | undefined {
  const delayMs = retriesMs[attempt - 1];
  if (delayMs === undefined || isDelivered(outcome) || isGone(outcome)) return undefined;
  const retryAfter = 'status' in outcome ? outcome.retryAfter : undefined;
  return atMs + Math.max(delayMs, parseRetryAfter(retryAfter, wallMs) ?? 0);
}

/** Whether the receiver took the callback: 2xx. */
export function isDelivered(outcome: Outcome): boolean {
  return 'status' in outcome && outcome.status >= 200 && outcome.status <= 299;
}

/** Whether the receiver wants no more callbacks: 410. */
export function isGone(outcome: Outcome): boolean {
  return 'status' in outcome && outcome.status === 410;
}

/** How long the receiver asks to be left alone, at most 24 h; undefined for what is neither seconds nor a date. */
function parseRetryAfter(value: string | undefined, wallMs: number): number | undefined {
  const text = value?.trim() ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : parseHttpDate(text) - wallMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(waitMs, longestRetryAfterMs);
}

function parseHttpDate(text: string): number {
  if (!httpDates.some((pattern) => pattern.test(text))) return Number.NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}
