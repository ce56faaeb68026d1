/** Parses durations: a number and a unit (`200ms`, `2s`, `1.5m`, `24h`, `1d`), and guesses what others were meant to be. */

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Syntax of a duration, for schemas. */
export const durationPattern: RegExp = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** Description of the expected syntax, for error messages. */
export const durationHelp = 'a number and ms, s, m, h or d, such as 200ms, 2s or 10m';

/** Maximum duration, a hundred years: longer than any test needs, and a date can still represent the result. */
export const maxDuration = '36500d';
const maxMs = 36_500 * unitMs.d;

/** Parses a duration. Returns milliseconds, or undefined if the text is not a duration or exceeds the maximum. */
export function parseDuration(text: string): number | undefined {
  const match = durationPattern.exec(text);
  if (!match) return undefined;
  const ms = Math.round(Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]);
  return ms <= maxMs ? ms : undefined;
}

/** Returns the message about an invalid duration. The text after a line break is appended after the actual value. */
export function invalidDuration(input: unknown): string {
  if (typeof input === 'string' && durationPattern.test(input)) return `expected at most ${maxDuration}`;
  const suggestion = suggestDuration(input);
  return `expected ${durationHelp}${suggestion && `\n${suggestion}`}`;
}

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
