/** Reads durations as people write them: `90s`, `10 minutes`, `1.5 h`. */

/** Units of the API, with the other names that are understood. */
const units = [
  ['ms', /^(ms|milliseconds?)$/],
  ['s', /^(s|secs?|seconds?)$/],
  ['m', /^(m|mins?|minutes?)$/],
  ['h', /^(h|hrs?|hours?)$/],
  ['d', /^(d|days?)$/],
] as const;

/** Returns the duration in the syntax of the API, or undefined if the text is none. */
export function toDuration(text: string): string | undefined {
  const [, number = '', name = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\.?\s*$/i.exec(text) ?? [];
  const unit = units.find(([, names]) => names.test(name.toLowerCase()));
  return unit && `${number}${unit[0]}`;
}
