/** Checks how long and for how many items a test waits. */
import { durationHelp, guessDurations, parseDuration } from '../../lib/duration.ts';
import { nearest } from '../../lib/nearest.ts';
import { mistakeAt, show } from '../methods.ts';
import type { Duration } from '../types.ts';

/** How many items to wait for, and for how long. */
export interface Wait {
  /** Number of items that must match. Default: 1, maximum: 1000. Existing items count. */
  readonly count?: number;
  /** Maximum time to wait, in real time. Default: 5 s. */
  readonly timeout?: Duration;
}

const defaultTimeout = '5s';
/** Maximum number of items in a page. */
export const maxCount = 1000;

/** Checks a `Wait` and adds its defaults. @throws SandboxError if the count or the timeout is not valid */
export function checkWait({ count = 1, timeout = defaultTimeout }: Wait): { count: number; timeoutMs: number } {
  if (!Number.isInteger(count) || count < 1 || count > maxCount) {
    throw mistakeAt('count', `expected an integer from 1 to ${maxCount}, got ${show(count)}`);
  }
  const text = checkDuration('timeout', timeout, `milliseconds or ${durationHelp}`);
  return { count, timeoutMs: parseDuration(text) ?? 0 };
}

/**
 * Returns a duration as the control API expects it. `expected` describes it in the error, and `others` are words that are
 * expected too.
 * @throws SandboxError
 */
export function checkDuration(
  name: string,
  duration: Duration,
  expected: string,
  others: readonly string[] = [],
): string {
  const text = typeof duration === 'number' ? `${duration}ms` : typeof duration === 'string' ? duration : '';
  if (parseDuration(text) !== undefined) return text;
  const [guess = nearest(text, others)] = guessDurations(text);
  const suggestion = guess === undefined ? '' : `. Did you mean "${guess}"?`;
  throw mistakeAt(name, `expected ${expected}, got ${show(duration)}${suggestion}`);
}

/** Formats a duration for messages: `5 s`, `250 ms`. */
export function toWords(ms: number): string {
  return ms >= 1000 ? `${Number((ms / 1000).toFixed(1))} s` : `${ms} ms`;
}
