/** Rejects large bodies with too many values or levels before they are parsed, which would take many times as long. */
import { tooDeep } from '../lib/depth.ts';
import type { Problem } from '../lib/problem.ts';

export interface ShapeLimits {
  /** Maximum number of values: each field, entry, object and list counts. */
  readonly values: number;
  /** Maximum number of different field names. The parser creates a new string, and often a new shape, for each. */
  readonly names: number;
  /** Maximum levels of nested objects and lists. */
  readonly depth: number;
}

/** Minimum length of a body to check, in characters; smaller ones are parsed quickly, whatever they contain. */
const minChecked = 200_000;

const quote = 34;
const comma = 44;
const colon = 58;
const openList = 91;
const backslash = 92;
const closeList = 93;
const openObject = 123;
const closeObject = 125;

/**
 * Counts values, different names and levels in some milliseconds per megabyte. Counts invalid JSON as well: the parser
 * rejects it later. Returns the first limit that is exceeded, if any.
 */
export function checkShape(text: string, limits: ShapeLimits): Problem | undefined {
  return text.length < minChecked ? undefined : count(text, limits);
}

function count(text: string, { values: maxValues, names: maxNames, depth }: ShapeLimits): Problem | undefined {
  const names = new Set<number>();
  let values = 0;
  let levels = 0;
  // The last text, which is a name if a colon follows. It is read once, however many colons follow.
  let from = 0;
  let to = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      from = at + 1;
      at = endOfText(text, at);
      to = at;
    } else if (code === colon) {
      names.add(hashOf(text, from, to));
      from = to;
    } else {
      levels += levelsOf(code);
      if (code === comma || code === openList || code === openObject) values += 1;
    }
    if (levels > depth) return { kind: 'invalid', message: tooDeep(depth) };
    if (values > maxValues) return tooMany('values', 'values', maxValues);
    if (names.size > maxNames) return tooMany('different field names', 'names', maxNames);
  }
  return undefined;
}

function levelsOf(code: number): number {
  if (code === openList || code === openObject) return 1;
  return code === closeList || code === closeObject ? -1 : 0;
}

/** Hashes a text without creating a string. Two that are the same except for an escape may differ. */
function hashOf(body: string, from: number, to: number): number {
  let hash = 0;
  for (let at = from; at < to; at += 1) hash = (Math.imul(hash, 31) + body.charCodeAt(at)) | 0;
  return hash;
}

/** Returns the index of the closing quote of a text, or the end of the body. */
function endOfText(body: string, start: number): number {
  let end = start;
  do {
    end = body.indexOf('"', end + 1);
    if (end < 0) return body.length;
  } while (isEscaped(body, end));
  return end;
}

function isEscaped(body: string, at: number): boolean {
  let from = at;
  while (body.charCodeAt(from - 1) === backslash) from -= 1;
  return (at - from) % 2 === 1;
}

function tooMany(what: string, key: keyof ShapeLimits, limit: number): Problem {
  const max = limit.toLocaleString('en');
  const message = `the body must have at most ${max} ${what}, got more. Send fewer, or raise limits.${key} in the profile`;
  return { kind: 'tooLarge', message };
}
