/** Real time behind one small interface, and how instants are written; nothing else in the project reads the time. */

/** The time of the world outside, given to whoever needs it. */
export interface WallClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds that only ever grow, to measure how long something took. */
  elapsed(): number;
  /** Calls back once after `ms`; gives back what cancels it. Never keeps the process alive. */
  after(ms: number, run: () => void): () => void;
}

/** An instant as the API writes it: ISO 8601 in UTC, with milliseconds. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** The same for whoever asks for one instant again and again, as the requests of one millisecond do. */
export function createStamp(): (ms: number) => string {
  let last = { ms: Number.NaN, text: '' };
  return (ms) => {
    if (ms !== last.ms) last = { ms, text: toTimestamp(ms) };
    return last.text;
  };
}

const timestampPattern =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):?[0-5]\d)$/;

/** Whether a text is an ISO 8601 timestamp with seconds and offset, of a day that there is. */
export function isTimestamp(text: string): boolean {
  if (!timestampPattern.test(text)) return false;
  const day = Number(text.slice(8, 10));
  return day < 29 || day <= new Date(dayAt(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
}

/** A day's begin in milliseconds, its month counted from 0. `Date.UTC` takes the year 50 for 1950. */
function dayAt(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}

const isoPattern = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:[Zz]|[+-]\d\d(?::?\d\d|:)?)$/;

/**
 * An ISO 8601 timestamp with offset in milliseconds since 1970, or undefined where the text is none. Reads the digits
 * where they stand: a device's every location comes by here, and groups of an expression would be a text each.
 */
export function parseTimestamp(text: string): number | undefined {
  if (!isoPattern.test(text)) return undefined;
  const day = dayAt(twoAt(text, 0) * 100 + twoAt(text, 2), twoAt(text, 5) - 1, twoAt(text, 8));
  const time = ((twoAt(text, 11) * 60 + twoAt(text, 14)) * 60 + twoAt(text, 17)) * 1000;
  const isUtc = text.endsWith('Z') || text.endsWith('z');
  const zone = isUtc ? text.length - 1 : Math.max(text.lastIndexOf('+'), text.lastIndexOf('-'));
  const fraction = zone > 20 ? Math.trunc(Number(`0.${text.slice(20, zone)}`) * 1000) : 0;
  return day + time + fraction - (isUtc ? 0 : offsetAt(text, zone));
}

/** The offset that begins here, in milliseconds; its minutes may be left out. */
function offsetAt(text: string, zone: number): number {
  const minutes = twoAt(text, zone + 1) * 60 + (text.length > zone + 4 ? twoAt(text, text.length - 2) : 0);
  return minutes * (text[zone] === '-' ? -60_000 : 60_000);
}

/** The number that two digits are. */
function twoAt(text: string, at: number): number {
  return text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 11 * zero;
}

const zero = '0'.charCodeAt(0);

const longestTimerMs = 2 ** 31 - 1;

/** The machine's own clock. */
export function createWallClock(): WallClock {
  return {
    now: () => Date.now(),
    elapsed: () => performance.now(),
    after: (ms, run) => {
      const timer = setTimeout(run, Math.min(Math.max(0, ms), longestTimerMs));
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

/** When this process began, which tells it from one before it that had the same number. */
export const processBeganAt: number = performance.timeOrigin;
