/** Guesses which duration an invalid text or number was meant to be. */
import { parseDuration } from '../lib/duration.ts';

/** Unit spellings from other tools, each with the equivalent duration. */
const unitSpellings: readonly (readonly [RegExp, (amount: number) => string])[] = [
  [/^(ms|msecs?|millis|milliseconds?)$/i, (amount) => `${amount}ms`],
  [/^(s|secs?|seconds?)$/i, (amount) => `${amount}s`],
  [/^(m|mins?|minutes?)$/i, (amount) => `${amount}m`],
  [/^(h|hrs?|hours?)$/i, (amount) => `${amount}h`],
  [/^(d|days?)$/i, (amount) => `${amount}d`],
  [/^(w|wks?|weeks?)$/i, (amount) => `${amount * 7}d`],
];

const maxGuessLength = 40;

/** Returns the likely durations, such as `2s` and `2ms` for 2; empty if there is no guess. */
export function guessDurations(value: unknown): readonly string[] {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.length > maxGuessLength) return [];
  const bare = text.trim().replace(',', '.');
  if (/^\d+(\.\d+)?$/.test(bare)) return [`${Number(bare)}s`, `${Number(bare)}ms`].filter(isDuration);
  const iso = /^PT?(\d+)([DHMS])$/i.exec(bare);
  const parts = /^(\d+(?:\.\d+)?)[ _]*([a-z]+)\.?$/i.exec(bare) ?? iso;
  const spelling = parts && unitSpellings.find(([names]) => names.test(parts[2] ?? ''));
  if (spelling) return [spelling[1](Number(parts[1]))].filter(isDuration);
  const sum = toSingleUnit(bare);
  return sum === undefined ? [] : [sum];
}

function isDuration(text: string): boolean {
  return parseDuration(text) !== undefined;
}

/** Converts a sum such as `1h30m` to one number and one unit. */
function toSingleUnit(text: string): string | undefined {
  const parts = text.match(/\d+(\.\d+)?(ms|s|m|h|d)/g) ?? [];
  if (parts.length < 2 || parts.join('') !== text.replaceAll(' ', '')) return undefined;
  const ms = parts.reduce((sum, part) => sum + (parseDuration(part) ?? Number.NaN), 0);
  if (!Number.isSafeInteger(ms)) return undefined;
  const [unit, length] =
    (
      [
        ['d', 86_400_000],
        ['h', 3_600_000],
        ['m', 60_000],
        ['s', 1000],
      ] as const
    ).find(([, size]) => ms % size === 0) ?? (['ms', 1] as const);
  return `${ms / length}${unit}`;
}
