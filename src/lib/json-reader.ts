/** Parses a long JSON text piece by piece, so that other work can run in between. */
import type { Steps } from './slices.ts';

/** Adjacent entries of a list: their text without the list's brackets, and the index of the first. */
export interface ListPiece {
  readonly first: number;
  readonly text: string;
}

/** A parsed value, and the text of its top-level lists in pieces, by field name. */
export interface PiecedJson {
  readonly value: unknown;
  readonly lists: ReadonlyMap<string, readonly ListPiece[]>;
}

/**
 * Approximate length of a piece, in characters: parsing one takes some 4 ms, and shorter pieces take longer in total.
 */
const pieceLength = 512 * 1024;

/** Maximum length of a piece found by its separator; after that, the reader counts brackets instead. */
const maxGuessed = 2 * pieceLength;

/** Maximum length of a separator: searching for longer ones saves no time. */
const maxSeparator = 200;

const quote = 34;
const comma = 44;
const colon = 58;
const openList = 91;
const backslash = 92;
const closeList = 93;
const openObject = 123;
const closeObject = 125;

/**
 * Parses a text as JSON.parse does. Reads a list, or the lists of an object, in pieces, and yields after each piece.
 * @throws SyntaxError if JSON.parse would throw; its message does not describe the mistake
 */
export function* readJsonInPieces(text: string): Steps<PiecedJson> {
  const start = skipSpace(text, 0);
  const first = text.charCodeAt(start);
  if (first !== openList && first !== openObject) return { value: JSON.parse(text), lists: new Map() };
  const lists = new Map<string, readonly ListPiece[]>();
  const { value, end } = first === openList ? yield* readList(text, start) : yield* readObject(text, start, lists);
  if (skipSpace(text, end) < text.length) throw notJson();
  return { value, lists };
}

interface Found<Value> {
  readonly value: Value;
  /** Index after its last character. */
  readonly end: number;
}

function* readObject(text: string, start: number, lists: Map<string, readonly ListPiece[]>): Steps<Found<object>> {
  const members: [string, unknown][] = [];
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === closeObject) return { value: {}, end: at + 1 };
  for (;;) {
    if (text.charCodeAt(at) !== quote) throw notJson();
    const nameEnd = endOfText(text, at);
    const name = JSON.parse(text.slice(at, nameEnd)) as string;
    at = skipSpace(text, nameEnd);
    if (text.charCodeAt(at) !== colon) throw notJson();
    at = skipSpace(text, at + 1);
    if (text.charCodeAt(at) === openList) {
      const list = yield* readList(text, at);
      members.push([name, list.value]);
      lists.set(name, list.pieces);
      at = skipSpace(text, list.end);
    } else {
      const end = findEnd(text, at, at);
      members.push([name, JSON.parse(text.slice(at, end))]);
      lists.delete(name);
      at = end;
    }
    const next = text.charCodeAt(at);
    // As in JSON.parse: every name is a field (also `__proto__`), and the second of two fields with one name wins.
    if (next === closeObject) return { value: Object.fromEntries(members), end: at + 1 };
    if (next !== comma) throw notJson();
    at = skipSpace(text, at + 1);
  }
}

function* readList(text: string, start: number): Steps<Found<unknown[]> & { readonly pieces: readonly ListPiece[] }> {
  const value: unknown[] = [];
  const pieces: ListPiece[] = [];
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === closeList) return { value, end: at + 1, pieces };
  let separator = findSeparator(text, findEnd(text, at, at));
  for (;;) {
    const guessed = separator && readGuessed(text, at, separator);
    const end = guessed?.end ?? findEnd(text, at, at + pieceLength);
    const piece = text.slice(at, end);
    const entries = guessed?.entries ?? parseEntries(piece);
    if (entries.length === 0) throw notJson();
    pieces.push({ first: value.length, text: piece });
    for (const entry of entries) value.push(entry);
    yield;
    const next = text.charCodeAt(end);
    if (next === closeList) return { value, end: end + 1, pieces };
    if (next !== comma) throw notJson();
    // After a wrong guess, the following entries have another form.
    if (!guessed) separator = findSeparator(text, end);
    at = skipSpace(text, end + 1);
  }
}

function parseEntries(piece: string): readonly unknown[] {
  return JSON.parse(`[${piece}]`) as readonly unknown[];
}

/** Text between two entries: from the last character of one to the first field name of the next. */
interface Separator {
  readonly text: string;
  /** Index of the comma in the text. */
  readonly comma: number;
}

function findSeparator(text: string, at: number): Separator | undefined {
  if (text.charCodeAt(at) !== comma) return undefined;
  let from = at - 1;
  while (isSpace(text.charCodeAt(from))) from -= 1;
  const object = skipSpace(text, at + 1);
  const name = skipSpace(text, object + 1);
  if (text.charCodeAt(object) !== openObject || text.charCodeAt(name) !== quote) return undefined;
  const found = text.slice(from, text.indexOf('"', name + 1) + 1);
  return found.length > 0 && found.length <= maxSeparator ? { text: found, comma: at - from } : undefined;
}

/**
 * Reads a piece that ends at the separator: searching for it is many times faster than counting brackets. The separator
 * may also occur inside an entry or a text, but a piece that can be parsed as list entries ends at the end of an entry.
 * Returns undefined if the piece can't be parsed.
 */
function readGuessed(
  text: string,
  start: number,
  separator: Separator,
): { readonly entries: readonly unknown[]; readonly end: number } | undefined {
  try {
    const end = guessEnd(text, start, separator);
    return { entries: parseEntries(text.slice(start, end)), end };
  } catch {
    return undefined;
  }
}

function guessEnd(text: string, start: number, separator: Separator): number {
  const minEnd = start + pieceLength;
  const next = text.indexOf(separator.text, minEnd);
  if (next >= 0 && next < start + maxGuessed) return next + separator.comma;
  // The list probably ends earlier: count brackets from the last separator on.
  const last = text.lastIndexOf(separator.text, minEnd);
  return findEnd(text, last < start ? start : last + separator.comma + 1, minEnd);
}

/**
 * Returns the index of the first comma between values from `minEnd` on, or of the bracket that closes their list or
 * object.
 */
function findEnd(text: string, start: number, minEnd: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfText(text, at) - 1;
    else if (code === openList || code === openObject) depth += 1;
    else if (code === closeList || code === closeObject) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (code === comma && depth === 0 && at >= minEnd) return at;
  }
  throw notJson();
}

/** Returns the index after the closing quotation mark of the text that begins at `start`. */
function endOfText(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) throw notJson();
  } while (isEscaped(text, end));
  return end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === backslash) from -= 1;
  return (at - from) % 2 === 1;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

function notJson(): SyntaxError {
  return new SyntaxError('not JSON');
}
