/**
 * Serialises long JSON values as texts of bounded length, one after another, so that they do not block other requests.
 */
import { joinTexts } from '../lib/chunks.ts';

/** Maximum length of a piece, in characters. Longer texts are split, because a piece is written at once. */
const maxPiece = 1024 ** 2;

/** Serialises an object as JSON.stringify does. Its lists can be any iterables, which are iterated once. */
export function toJsonPieces(value: object): Iterable<string> {
  return split(joinTexts(toTexts(value)));
}

function* split(texts: Iterable<string>): Generator<string> {
  for (const text of texts) {
    let from = 0;
    while (text.length - from > maxPiece) {
      // Does not split surrogate pairs, because each piece is encoded separately.
      const to = from + maxPiece + (isHighSurrogate(text.charCodeAt(from + maxPiece - 1)) ? 1 : 0);
      yield text.slice(from, to);
      from = to;
    }
    if (from < text.length) yield text.slice(from);
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function* toTexts(value: object): Generator<string> {
  let isFirst = true;
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${isFirst ? '{' : ','}${JSON.stringify(name)}:`;
    isFirst = false;
    if (isIterable(member)) yield* toListTexts(member);
    else yield* toValueTexts(member);
  }
  yield isFirst ? '{}' : '}';
}

function* toListTexts(list: Iterable<unknown>): Generator<string> {
  let before = '[';
  for (const entry of list) {
    yield before;
    yield* toValueTexts(entry);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** Yields several texts if the value has a long string: serialising it at once takes as long as parsing it. */
function* toValueTexts(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.length > maxPiece) yield* toQuotedTexts(value);
  else if (hasLongText(value, depthOfBodies)) yield* toTexts(value as object);
  else yield JSON.stringify(value) ?? 'null';
}

/** Level of a request's body in an entry of a list. */
const depthOfBodies = 2;

function hasLongText(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.length > maxPiece;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth === 0) return false;
  for (const name in value) if (hasLongText(value[name as keyof typeof value], depth - 1)) return true;
  return false;
}

function* toQuotedTexts(text: string): Generator<string> {
  yield '"';
  for (const piece of split([text])) yield JSON.stringify(piece).slice(1, -1);
  yield '"';
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}
