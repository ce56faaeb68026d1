/** Shows a place of a line to people: the part around it, and a caret under it; knows of no file. */

const widest = 120;
// Far more than can be seen on either side, and no more is taken apart: a line may be a whole file.
const farthest = 4 * widest;

/** Characters that would move the caret or the reader's terminal: controls, and what turns the direction of text. */
const unseen = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
/** Characters that take two columns of a terminal. */
const wide =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;

interface Cell {
  readonly text: string;
  readonly width: number;
  /** Where its text begins in the line. */
  readonly at: number;
}

/** The line, at most 120 columns of it, and below it a caret; nothing for an empty line. `column` counts from 1. */
export function excerpt(line: string, column: number): readonly string[] {
  const cells = toCells(line, column - 1);
  if (cells.length === 0) return [];
  const place = cells.findIndex(({ at, text }) => column - 1 < at + text.length);
  const caret = place < 0 ? cells.length : place;
  const { from, to } = windowAround(cells, caret);
  const isCutBefore = from > 0 || (cells[0]?.at ?? 0) > 0;
  const last = cells[to - 1];
  const isCutAfter = to < cells.length || (last !== undefined && last.at + last.text.length < line.trimEnd().length);
  const shown = `${isCutBefore ? '…' : ''}${textOf(cells.slice(from, to))}${isCutAfter ? '…' : ''}`;
  const indent = widthOf(cells.slice(from, caret)) + (isCutBefore ? 1 : 0);
  return [shown, `${' '.repeat(indent)}^`];
}

/** A text as it may be shown in one line of a terminal. */
export function withoutControls(text: string): string {
  return text.replace(unseen, ' ');
}

/** What stands in nearly all lines; to see that costs a tenth of looking for the rest. */
const plain = /^[\n\x20-\x7e]*$/;

/** Lines of JSON that say the same and can be shown in a terminal: what stands in their texts is escaped, their ends stay. */
export function escapeControls(json: string): string {
  if (plain.test(json)) return json;
  return json.replace(unseen, (sign) =>
    sign === '\n' ? sign : `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

function toCells(line: string, index: number): readonly Cell[] {
  const trimmed = line.trimEnd();
  const start = Math.max(0, Math.min(index, trimmed.length) - farthest);
  const near = trimmed.slice(start, start + 2 * farthest);
  const segments = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(near);
  return [...segments].map(({ segment, index: at }) => {
    return { text: withoutControls(segment), width: wide.test(segment) ? 2 : 1, at: start + at };
  });
}

/** As much as fits, the caret in the middle of it where not all does. */
function windowAround(cells: readonly Cell[], caret: number): { readonly from: number; readonly to: number } {
  if (widthOf(cells) <= widest) return { from: 0, to: cells.length };
  // Two columns are for the marks of what is cut.
  const room = widest - 2;
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
