/** Rejects large bodies with too many values or names before they are parsed, which would take many times as long. */
import type { Problem } from '../lib/problem.ts';

export interface ShapeLimits {
  /** Maximum number of values: each field, entry, object and list counts. */
  readonly values: number;
  /** Maximum number of different field names. The parser creates a new string, and often a new shape, for each. */
  readonly names: number;
}

/** Minimum length of a body to check, in characters; smaller ones are parsed quickly, whatever they contain. */
const minChecked = 200_000;

const quote = 34;
const backslash = 92;
const space = 32;

/** What begins a value: each takes at least two characters. */
const valueMarks = [',', '[', '{'] as const;

/** Returns the first limit that is exceeded, if any. Counts invalid JSON as well: the parser rejects it later. */
export function checkShape(text: string, { values, names }: ShapeLimits): Problem | undefined {
  if (text.length < minChecked) return undefined;
  // Most bodies have fewer marks than the limits, even with those inside of texts.
  if (text.length > 2 * values && hasMore(text, valueMarks, values) && countValues(text, values) > values)
    return tooMany('values', 'values', values);
  if (hasMore(text, [':'], names) && countNames(text, names) > names)
    return tooMany('different field names', 'names', names);
  return undefined;
}

/** Whether a text has more than `max` of some characters. Searching for one takes a tenth of reading the text. */
function hasMore(text: string, marks: readonly string[], max: number): boolean {
  let count = 0;
  for (const mark of marks) {
    for (let at = text.indexOf(mark); at >= 0 && count <= max; at = text.indexOf(mark, at + 1)) count += 1;
  }
  return count > max;
}

/** Counts values, up to `max`. */
function countValues(text: string, max: number): number {
  // Bytes are read faster than characters.
  const body = Buffer.from(text);
  const { length } = body;
  const codes = new Set(valueMarks.map((mark) => mark.charCodeAt(0)));
  let count = 0;
  for (let at = 0; at < length && count <= max; at += 1) {
    if (body[at] === quote) at = endOfText(body, at + 1);
    else if (codes.has(body[at] as number)) count += 1;
  }
  return count;
}

/** Returns the index of the closing quote of the text that begins at `from`, or the end of the body. */
function endOfText(body: Buffer, from: number): number {
  const { length } = body;
  let at = from;
  while (at < length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
}

/** Number of the latest names that are kept by the last bits of their hashes, so that a frequent name costs no look-up. */
const latestNames = 4096;

/**
 * Counts different names, up to `max`: what is in quotes in front of a colon. Two that are the same except for an escape
 * count twice.
 */
function countNames(text: string, max: number): number {
  const hashes = new Set<number>();
  const latest = new Int32Array(latestNames);
  for (let at = text.indexOf(':'); at >= 0 && hashes.size <= max; at = text.indexOf(':', at + 1)) {
    let end = at - 1;
    while (text.charCodeAt(end) <= space) end -= 1;
    // A quote after a backslash is inside of a text.
    if (text.charCodeAt(end) !== quote || isEscaped(text, end)) continue;
    let hash = 0;
    for (let from = end - 1; from >= 0; from -= 1) {
      const code = text.charCodeAt(from);
      if (code === quote && !isEscaped(text, from)) break;
      hash = (Math.imul(hash, 31) + code) | 0;
    }
    const place = hash & (latestNames - 1);
    if (latest[place] !== hash) hashes.add(hash);
    latest[place] = hash;
  }
  return hashes.size;
}

/** Whether an odd number of backslashes is in front of a character. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === backslash) from -= 1;
  return (at - from) % 2 === 1;
}

function tooMany(what: string, key: keyof ShapeLimits, limit: number): Problem {
  const max = limit.toLocaleString('en');
  const message = `the body must have at most ${max} ${what}, got more. Send fewer, or raise limits.${key} in the profile`;
  return { kind: 'tooLarge', message };
}
