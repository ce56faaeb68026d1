/** Guesses which duration an invalid text or number was meant to be. */
import { parseDuration } from '../lib/duration.ts';

/** Other spellings of the units, by unit. */
const spellings: readonly (readonly [unit: string, pattern: RegExp])[] = [
  ['ms', /^(msecs?|millis|milliseconds?)$/],
  ['s', /^(s|secs?|seconds?)$/],
  ['m', /^(m|mins?|minutes?)$/],
  ['h', /^(h|hrs?|hours?)$/],
  ['d', /^(d|days?)$/],
];

/** Returns the suggestion to append to the message about an invalid duration; empty if there is no guess. */
export function suggestDuration(value: unknown): string {
  const guesses = guessDurations(value);
  return guesses.length > 0 ? `, did you mean ${guesses.join(' or ')}?` : '';
}

/** Returns the likely durations, such as `2s` and `2ms` for 2; empty if there is no guess. */
export function guessDurations(value: unknown): readonly string[] {
  const [, amount, name = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/.exec(String(value).trim().toLowerCase()) ?? [];
  if (amount === undefined) return [];
  const units = name === '' ? ['s', 'ms'] : spellings.filter(([, pattern]) => pattern.test(name)).map(([unit]) => unit);
  return units.map((unit) => `${Number(amount)}${unit}`).filter((guess) => parseDuration(guess) !== undefined);
}
