/** Rejects large bodies with too many values or levels before they are parsed, which would take many times as long. */
import { tooDeep } from '../lib/depth.ts';
import type { Problem } from '../lib/problem.ts';

export interface ShapeLimits {
  /** Maximum number of values: each field, entry, object and list counts. */
  readonly values: number;
  /** Maximum levels of nested objects and lists. */
  readonly depth: number;
}

/** Minimum length of a body to check, in characters; smaller ones are parsed quickly, whatever they contain. */
const minChecked = 200_000;

const quote = 34;
const comma = 44;
const openList = 91;
const backslash = 92;
const closeList = 93;
const openObject = 123;
const closeObject = 125;

/**
 * Counts values and levels in 1 to 5 ms per megabyte. Counts invalid JSON as well: the parser rejects it later.
 * Returns the first limit that is exceeded, if any.
 */
export function checkShape(text: string, limits: ShapeLimits): Problem | undefined {
  return text.length < minChecked ? undefined : count(text, limits);
}

function count(text: string, limits: ShapeLimits): Problem | undefined {
  let values = 0;
  let levels = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfText(text, at);
    else if (code === closeList || code === closeObject) levels -= 1;
    else if (code === comma) values += 1;
    else if (code === openList || code === openObject) {
      values += 1;
      levels += 1;
    }
    if (levels > limits.depth) return { kind: 'invalid', message: tooDeep(limits.depth) };
    if (values > limits.values) return tooManyValues(limits.values);
  }
  return undefined;
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

function tooManyValues(limit: number): Problem {
  const max = limit.toLocaleString('en');
  const message = `the body must have at most ${max} values, got more. Send fewer, or raise limits.values in the profile`;
  return { kind: 'tooLarge', message };
}
