/** Formats the part of a line around a column, with a caret below the column. */

/** Maximum number of characters to show. */
const maxShown = 118;
// Splitting into characters is limited to this many code units on either side, because a line may be a whole file.
const maxUnits = 4 * maxShown;

/** Control characters and text direction characters: they would move the caret or garble the terminal. */
const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
/** Characters that are two terminal columns wide. */
const wide =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;

/**
 * Returns at most 118 characters of a line, around a column, and a line with a caret; empty for an empty line.
 * `column` is 1-based.
 */
export function excerpt(line: string, column: number): readonly string[] {
  const trimmed = line.trimEnd();
  if (trimmed === '') return [];
  const index = Math.min(column - 1, trimmed.length);
  const before = toCharacters(trimmed.slice(Math.max(0, index - maxUnits), index));
  const after = toCharacters(trimmed.slice(index, index + maxUnits));
  const shownBefore = before.slice(-Math.max(maxShown / 2, maxShown - after.length));
  const shownAfter = after.slice(0, maxShown - shownBefore.length);
  const start = shownBefore.join('').length < index ? '…' : '';
  const end = index + shownAfter.join('').length < trimmed.length ? '…' : '';
  const indent = start.length + shownBefore.reduce((sum, character) => sum + (wide.test(character) ? 2 : 1), 0);
  return [`${start}${withoutControls([...shownBefore, ...shownAfter].join(''))}${end}`, `${' '.repeat(indent)}^`];
}

/** Created at its first use, which takes ten milliseconds. */
let segmenter: Intl.Segmenter | undefined;

/** Splits a text into graphemes, so that an accent or an emoji of several code points is one character. */
function toCharacters(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
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

/** The styles of the commands, and what ends them. */
const ownStyles: ReadonlySet<string> = new Set([1, 22, 31, 32, 33, 39, 90].map((code) => `\u001b[${code}m`));
const unsafeOrStyle = new RegExp(`\\p{Cc}\\[[\\d;]*m|${unsafe.source}`, 'gu');

/** Replaces what could garble a terminal, except line breaks, tabs and the styles of the commands. */
export function toTerminal(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(unsafeOrStyle, (found) => {
    if (found === '\n' || found === '\t' || ownStyles.has(found)) return found;
    return found.length > 1 ? '' : ' ';
  });
}
