/**
 * Rejects large bodies with too many values or field names before they are parsed, which would take many times as long.
 */
import { randomInt } from 'node:crypto';
import type { Problem } from '../lib/problem.ts';
import { createSlices } from '../lib/slices.ts';
import type { WallClock } from '../lib/time.ts';
import type { RawBody } from './body.ts';

export interface ShapeLimits {
  /** Maximum number of values: each field, entry, object and list counts. */
  readonly values: number;
  /** Maximum number of different field names. The parser creates a new string for each. */
  readonly names: number;
}

/** Minimum length of a body to check, in characters; smaller ones are parsed quickly, whatever they contain. */
const minChecked = 200_000;

/** Samples are fast to read: only a body with unusual samples is counted exactly. */
const sampleCount = 32;
const sampleLength = 512;

/** Typical bodies have 40 values per thousand characters, and a few dozen names in all samples. */
const maxTypicalDensity = 0.06;
const maxTypicalNames = 200;

/** Maximum share of the limit that a body may reach by estimate; above it, the values are counted exactly. */
const maxTypicalShare = 0.8;

/**
 * Random offset of the samples in each process, so that no body can be crafted to pass. Responses do not depend on it,
 * because only the exact count rejects a body.
 */
const salt = randomInt(2 ** 31);

/** Number of characters to read before the clock is read. */
const stepLength = 65_536;

const fieldName = /"([^"\\]{0,64})"\s*:/g;

/** Checks the shape of a body. Resolves with the body or a problem; returns undefined if the samples are typical. */
export function checkShape(
  raw: RawBody,
  limits: ShapeLimits,
  wall: Pick<WallClock, 'elapsed'>,
): Promise<RawBody> | undefined {
  if ('problem' in raw || raw.text.length < minChecked || isTypical(raw.text, limits)) return undefined;
  return countExactly(raw.text, limits, wall).then((problem) => (problem ? { problem } : raw));
}

function isTypical(text: string, { values, names: maxNames }: ShapeLimits): boolean {
  // With such a low limit, the samples may miss all names beyond it.
  if (maxNames < maxTypicalNames) return false;
  const names = new Set<string>();
  let count = 0;
  const gap = Math.floor(text.length / sampleCount);
  let shift = salt % (gap - sampleLength);
  for (let n = 0; n < sampleCount; n += 1) {
    const from = n * gap + shift;
    const sample = text.slice(from, from + sampleLength);
    for (const [, name = ''] of sample.matchAll(fieldName)) names.add(name);
    for (let at = 0; at < sample.length; at += 1) if (beginsValue(sample.charCodeAt(at))) count += 1;
    shift = (shift * 31 + salt) % (gap - sampleLength);
  }
  const density = count / (sampleCount * sampleLength);
  return (
    density <= maxTypicalDensity && density * text.length <= maxTypicalShare * values && names.size <= maxTypicalNames
  );
}

const quote = 34;
const comma = 44;
const colon = 58;
const openList = 91;
const backslash = 92;
const openObject = 123;

function beginsValue(code: number): boolean {
  return code === comma || code === openList || code === openObject;
}

/** Counts values and names exactly, in slices. Counts invalid JSON as well: the parser rejects it later. */
async function countExactly(
  text: string,
  limits: ShapeLimits,
  wall: Pick<WallClock, 'elapsed'>,
): Promise<Problem | undefined> {
  const slices = createSlices(wall);
  const names = new Set<number>();
  let values = 0;
  let nextCheck = stepLength;
  // The last text, which is a field name if a colon follows. It is added once, however many colons follow.
  let from = 0;
  let to = 0;
  let isAdded = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      // A text may be as long as the body; the clock is read after it.
      from = at + 1;
      to = endOfText(text, from);
      at = to;
      isAdded = false;
    } else if (code === colon && !isAdded) {
      names.add(hashOf(text, from, to));
      isAdded = true;
    } else if (beginsValue(code)) values += 1;
    const problem = checkCounts(values, names.size, limits);
    if (problem) return problem;
    if (at < nextCheck) continue;
    nextCheck = at + stepLength;
    if (slices.isOver()) await slices.next();
  }
  return undefined;
}

/** Returns the position of the closing quote of a text that begins at `from`, or the end of the body. */
function endOfText(body: string, from: number): number {
  for (let at = from; at < body.length; at += 1) {
    const code = body.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at += 1;
  }
  return body.length;
}

/** Hashes a text without creating a string. All escaped characters are equal. */
function hashOf(body: string, from: number, to: number): number {
  let hash = 0;
  for (let at = from; at < to; at += 1) {
    const code = body.charCodeAt(at);
    if (code === backslash) at += 1;
    hash = (Math.imul(hash, 31) + code) | 0;
  }
  return hash;
}

function checkCounts(values: number, names: number, limits: ShapeLimits): Problem | undefined {
  if (values > limits.values) return tooMany('values', 'values', limits.values);
  return names > limits.names ? tooMany('different field names', 'names', limits.names) : undefined;
}

function tooMany(what: string, key: keyof ShapeLimits, limit: number): Problem {
  const max = limit.toLocaleString('en');
  const message = `the body must have at most ${max} ${what}, got more. Send fewer, or raise limits.${key} in the profile`;
  return { kind: 'tooLarge', message };
}
