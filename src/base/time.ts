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

const isoPattern = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:[Zz]|([+-])(\d\d):?(\d\d)?)$/;

/** An ISO 8601 timestamp with offset in milliseconds since 1970, or undefined where the text is none. */
export function parseTimestamp(text: string): number | undefined {
  const match = isoPattern.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHour, offsetMinute] = match;
  const time = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  const utc = dayAt(Number(year), Number(month) - 1, Number(day)) + time;
  const offset = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * (sign === '-' ? -1 : 1);
  const ms = utc + Math.trunc(Number(`0.${fraction ?? 0}`) * 1000) - offset * 60_000;
  return Number.isNaN(ms) ? undefined : ms;
}

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
