/** Calculates when a callback is retried, as a pure function of the last attempt. */
import { fromRetryAfter } from '../lib/clock.ts';
import type { DeliveryResult } from './send.ts';

const maxRetryAfterMs = 24 * 3_600_000;

/** The three date formats of HTTP (RFC 9110, 5.6.7). The last one has no time zone and means GMT. */
const httpDates: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [\d ]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

export interface CompletedAttempt {
  /** Number of attempts made, including this one. */
  readonly attempt: number;
  /** When this attempt was made, on the project's clock. */
  readonly atMs: number;
  /** How many times faster than real time the project's clock runs; 0 if it is frozen. */
  readonly clockRate: number;
  /** Delay after each attempt before the next one. */
  readonly retriesMs: readonly number[];
  readonly outcome: DeliveryResult;
  /** The wall clock when the response arrived, to parse a `retry-after` date. */
  readonly wallMs: number;
}

/**
 * Returns when the next attempt is due on the project's clock, or undefined if the callback was delivered, the receiver
 * responded with 410, or no attempts are left.
 */
export function nextAttempt(completed: CompletedAttempt): number | undefined {
  const { attempt, atMs, clockRate, retriesMs, outcome, wallMs } = completed;
  const delayMs = retriesMs[attempt - 1];
  if (delayMs === undefined || isDelivered(outcome) || isEndpointGone(outcome)) return undefined;
  const retryAfter = 'status' in outcome ? outcome.retryAfter : undefined;
  return atMs + Math.max(delayMs, fromRetryAfter(parseRetryAfter(retryAfter, wallMs) ?? 0, clockRate));
}

/** Whether the receiver accepted the callback: 2xx. */
export function isDelivered(outcome: DeliveryResult): boolean {
  return 'status' in outcome && outcome.status >= 200 && outcome.status <= 299;
}

/** Whether the receiver rejects all further callbacks: 410. */
export function isEndpointGone(outcome: DeliveryResult): boolean {
  return 'status' in outcome && outcome.status === 410;
}

/** Returns `retry-after` in milliseconds, at most 24 h, or undefined if it is neither seconds nor a date. */
function parseRetryAfter(value: string | undefined, wallMs: number): number | undefined {
  const text = value?.trim() ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : parseHttpDate(text) - wallMs;
  return Number.isNaN(waitMs) ? undefined : Math.min(waitMs, maxRetryAfterMs);
}

function parseHttpDate(text: string): number {
  if (!httpDates.some((pattern) => pattern.test(text))) return Number.NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}
