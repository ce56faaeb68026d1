/** Reads the system time, and parses and formats timestamps; no other code in this repository reads the time. */
import { isDate, parseAnyForm } from './iso-8601.ts';
import { timers } from './timers.ts';

/** The system clock, as an interface that tests can replace. */
export interface WallClock {
  /** Returns milliseconds since 1970. */
  now(): number;
  /** Returns monotonic milliseconds, to measure durations. */
  elapsed(): number;
  /** Calls `run` once after `ms`. Returns a function that cancels the call. Never keeps the process alive. */
  after(ms: number, run: () => void): () => void;
}

/** The last instant that a timestamp with a four-digit year can represent. */
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The latest instant that a project's clock can be set to, one year before the last timestamp: a real clock runs on.
 */
export const maxClockMs: number = Date.UTC(9999, 0, 1);

let latest = { ms: Number.NaN, text: '' };

/**
 * Formats an instant as the API does: ISO 8601 in UTC, with milliseconds. Instants after the year 9999 become its end.
 * Caches the latest result, because requests within one millisecond need the same text.
 */
export function toTimestamp(ms: number): string {
  if (ms !== latest.ms) latest = { ms, text: new Date(Math.min(ms, lastMs)).toISOString() };
  return latest.text;
}

/** The form that nearly all clients send, which JavaScript's own parser reads. It accepts days up to the 31st. */
const commonForm =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Returns whether a text is an ISO 8601 timestamp with offset, of a day that exists. */
export function isTimestamp(text: string): boolean {
  if (!commonForm.test(text)) return parseAnyForm(text) !== undefined;
  const day = Number(text.slice(8, 10));
  return day < 29 || day === new Date(text.slice(0, 10)).getUTCDate();
}

/** Returns whether a text is a timestamp with offset, or only a date. */
export function isTimestampOrDate(text: string): boolean {
  return isTimestamp(text) || isDate(text);
}

/** Returns whether a text is only a date, or a timestamp with a space in place of `T`. */
export function isUnusualTimestamp(text: string): boolean {
  return !text.includes('T') && !text.includes('t') && isTimestampOrDate(text);
}

/**
 * Parses an ISO 8601 timestamp with offset. Returns milliseconds since 1970, or undefined if the text is not a
 * timestamp.
 */
export function parseTimestamp(text: string): number | undefined {
  return commonForm.test(text) ? Date.parse(text) : parseAnyForm(text);
}

/** Maximum duration of a timer of Node. */
export const maxTimerMs: number = 2 ** 31 - 1;

// As when this module loads: a test may replace them by a time that stands still.
const { now } = Date;
const elapsed = performance.now.bind(performance);

/** Creates the clock that reads the system time. */
export function createWallClock(): WallClock {
  return {
    now: () => now(),
    elapsed: () => elapsed(),
    after: (ms, run) => {
      const timer = timers.setTimeout(run, Math.min(Math.max(0, ms), maxTimerMs));
      timer.unref();
      return () => timers.clearTimeout(timer);
    },
  };
}

/** Resolves after `ms`. */
export function pause(wall: Pick<WallClock, 'after'>, ms: number): Promise<void> {
  return new Promise((resolve) => wall.after(ms, resolve));
}

/** Start of this process, in milliseconds since 1970; distinguishes it from an earlier process with the same id. */
export const processStartedAt: number = performance.timeOrigin;
