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
const backslash = 92;

/** What a byte outside of a text is, by its code: looking it up is the fastest way to pass over the others. */
const kinds = new Uint8Array(256);
const [startOfText, endOfName, endOfEntry, opening, closing] = [1, 2, 3, 4, 5];
for (const [characters, kind] of [
  ['"', startOfText],
  [':', endOfName],
  [',', endOfEntry],
  ['[{', opening],
  [']}', closing],
] as const) {
  for (const character of characters) kinds[character.charCodeAt(0)] = kind;
}

/**
 * Counts values, different names and levels, in two milliseconds per megabyte. Counts invalid JSON as well: the parser
 * rejects it later. Returns the first limit that is exceeded, if any.
 */
export function checkShape(text: string, limits: ShapeLimits): Problem | undefined {
  // Bytes are read faster than characters.
  return text.length < minChecked ? undefined : count(Buffer.from(text), limits);
}

function count(body: Buffer, limits: ShapeLimits): Problem | undefined {
  const names = new Names();
  const { length } = body;
  let values = 0;
  let levels = 0;
  // The last text, which is a name if a colon follows. It is read once, however many colons follow.
  let from = 0;
  let to = 0;
  for (let at = 0; at < length; at += 1) {
    switch (kinds[body[at] as number]) {
      case startOfText:
        from = at + 1;
        at = endOfText(body, from);
        to = at;
        break;
      case endOfName:
        names.add(body, from, to);
        from = to;
        if (names.size > limits.names) return tooMany('different field names', 'names', limits.names);
        break;
      case endOfEntry:
        values += 1;
        break;
      case opening:
        values += 1;
        levels += 1;
        if (levels > limits.depth) return { kind: 'invalid', message: tooDeep(limits.depth) };
        break;
      case closing:
        levels -= 1;
    }
    if (values > limits.values) return tooMany('values', 'values', limits.values);
  }
  return undefined;
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

/** Different names, by their hashes. Two that are the same except for an escape may count twice. */
class Names {
  size = 0;
  readonly #hashes = new Set<number>();
  readonly #latest = new Int32Array(latestNames);

  add(body: Buffer, from: number, to: number): void {
    let hash = 0;
    for (let at = from; at < to; at += 1) hash = (Math.imul(hash, 31) + (body[at] as number)) | 0;
    const place = hash & (latestNames - 1);
    if (this.#latest[place] === hash) return;
    this.#latest[place] = hash;
    this.size = this.#hashes.add(hash).size;
  }
}

function tooMany(what: string, key: keyof ShapeLimits, limit: number): Problem {
  const max = limit.toLocaleString('en');
  const message = `the body must have at most ${max} ${what}, got more. Send fewer, or raise limits.${key} in the profile`;
  return { kind: 'tooLarge', message };
}
