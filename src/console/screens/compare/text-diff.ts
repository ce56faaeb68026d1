/** Compares two texts line by line, and changed lines word by word. */
import { diffLines, diffWordsWithSpace } from 'diff';
import { readJson } from '../../data/response-body.ts';

/** A part of a line that is equal at both sides, or only at one. */
export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

/** A line at each side; undefined where a side has no such line. */
export interface Row {
  readonly a: readonly Piece[] | undefined;
  readonly b: readonly Piece[] | undefined;
  readonly isEqual: boolean;
}

/** Time for one comparison, in milliseconds. */
const timeout = 1000;
/** Maximum length of a line that is compared word by word, in characters. */
const maxLineLength = 2000;

/** Returns undefined if the texts are too different to compare them in time. */
export function compareTexts(a: string, b: string): readonly Row[] | undefined {
  const parts = diffLines(withEnd(toComparable(a)), withEnd(toComparable(b)), { timeout });
  if (parts === undefined) return undefined;
  const rows: Row[] = [];
  for (const [index, { added, removed, value }] of parts.entries()) {
    const lines = toLines(value);
    // The lines that replace removed ones are beside them already.
    if (added && parts[index - 1]?.removed) continue;
    const next = parts[index + 1];
    if (removed) rows.push(...pairLines(lines, next?.added ? toLines(next.value) : []));
    else if (added) rows.push(...pairLines([], lines));
    else rows.push(...lines.map((line) => ({ a: whole(line), b: whole(line), isEqual: true })));
  }
  return rows;
}

/** Formats JSON with sorted keys: their order is no difference. */
function toComparable(text: string): string {
  const value = readJson(text);
  return value === undefined ? text : JSON.stringify(sortKeys(value), null, 2);
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([key, inner]) => [key, sortKeys(inner)]));
}

function withEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function toLines(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n');
}

function pairLines(removed: readonly string[], added: readonly string[]): readonly Row[] {
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => {
    const [a, b] = [removed[index], added[index]];
    if (a === undefined || b === undefined)
      return { a: a === undefined ? a : whole(a), b: b === undefined ? b : whole(b), isEqual: false };
    return { ...pairWords(a, b), isEqual: false };
  });
}

function pairWords(a: string, b: string): Pick<Row, 'a' | 'b'> {
  if (a.length + b.length > maxLineLength) return { a: whole(a), b: whole(b) };
  const parts = diffWordsWithSpace(a, b);
  const side = (other: 'added' | 'removed'): readonly Piece[] =>
    parts
      .filter((part) => !part[other])
      .map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }));
  return { a: side('added'), b: side('removed') };
}

function whole(text: string): readonly Piece[] {
  return [{ text, isChanged: false }];
}
