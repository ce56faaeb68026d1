/** Durations as people write them, a number and a unit (`200ms`, `2s`, `1.5m`, `24h`, `1d`); knows of no clock. */

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** What a duration looks like, for messages and schemas. */
export const durationPattern: RegExp = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** What to tell someone whose duration could not be read. */
export const durationHelp = 'a number and ms, s, m, h or d, such as 200ms, 2s or 10m';

/** A hundred years: no story is longer, and no clock is moved beyond what a date can say. */
export const longestDuration = '36500d';
const longestMs = 36_500 * unitMs.d;

/** A duration's length in milliseconds, or undefined where the text is none, or is longer than the longest. */
export function parseDuration(text: string): number | undefined {
  const match = durationPattern.exec(text);
  if (!match) return undefined;
  const ms = Math.round(Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]);
  return ms <= longestMs ? ms : undefined;
}
