/** Formats the part of a line around a column, with a caret below the column. */

/** Maximum width of an excerpt, in terminal columns. */
const maxWidth = 120;
// Splitting is limited to this many characters on either side, because a line may be a whole file.
const maxDistance = 4 * maxWidth;

/** Control characters and text direction characters: they would move the caret or garble the terminal. */
const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
/** Characters that are two terminal columns wide. */
const wide =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;

interface Cell {
  readonly text: string;
  readonly width: number;
  /** Offset of the text in the line. */
  readonly at: number;
}

/** Returns at most 120 columns of a line, and a line with a caret; empty for an empty line. `column` is 1-based. */
export function excerpt(line: string, column: number): readonly string[] {
  const cells = toCells(line, column - 1);
  if (cells.length === 0) return [];
  const index = cells.findIndex(({ at, text }) => column - 1 < at + text.length);
  const caret = index < 0 ? cells.length : index;
  const { from, to } = windowAround(cells, caret);
  const isCutBefore = from > 0 || (cells[0]?.at ?? 0) > 0;
  const last = cells[to - 1];
  const isCutAfter = to < cells.length || (last !== undefined && last.at + last.text.length < line.trimEnd().length);
  const shown = `${isCutBefore ? '…' : ''}${textOf(cells.slice(from, to))}${isCutAfter ? '…' : ''}`;
  const indent = widthOf(cells.slice(from, caret)) + (isCutBefore ? 1 : 0);
  return [shown, `${' '.repeat(indent)}^`];
}

/** Replaces each control and direction character with a space, so that the text fits on one terminal line. */
export function withoutControls(text: string): string {
  return text.replace(unsafe, ' ');
}

/** Matches nearly all lines; this test costs a tenth of the search for unsafe characters. */
const plain = /^[\n\x20-\x7e]*$/;

/** Escapes unsafe characters in lines of JSON, for display in a terminal. The values and line breaks stay the same. */
export function escapeControls(json: string): string {
  if (plain.test(json)) return json;
  return json.replace(unsafe, (character) =>
    character === '\n' ? character : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

function toCells(line: string, index: number): readonly Cell[] {
  const trimmed = line.trimEnd();
  const start = Math.max(0, Math.min(index, trimmed.length) - maxDistance);
  const near = trimmed.slice(start, start + 2 * maxDistance);
  const segments = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(near);
  return [...segments].map(({ segment, index: at }) => {
    return { text: withoutControls(segment), width: wide.test(segment) ? 2 : 1, at: start + at };
  });
}

/** Returns the range of cells to show: all of them if they fit, otherwise those around the caret. */
function windowAround(cells: readonly Cell[], caret: number): { readonly from: number; readonly to: number } {
  if (widthOf(cells) <= maxWidth) return { from: 0, to: cells.length };
  // Two columns are for the ellipses.
  const room = maxWidth - 2;
  let from = caret;
  for (let left = 0; from > 0 && left + (cells[from - 1]?.width ?? 0) <= room / 2; from -= 1) {
    left += cells[from - 1]?.width ?? 0;
  }
  let to = from;
  for (let used = 0; to < cells.length && used + (cells[to]?.width ?? 0) <= room; to += 1)
    used += cells[to]?.width ?? 0;
  return { from, to };
}

function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0);
}

function textOf(cells: readonly Cell[]): string {
  return cells.map(({ text }) => text).join('');
}
