import { expect, it } from 'vitest';
import { excerpt, withoutControls } from '../../src/diagnostics/line-excerpt.ts';

/** The text from the caret on, where each character before it takes one column. */
function underCaret(line: string, column: number): string {
  const [shown = '', caret = ''] = excerpt(line, column);
  return shown.slice(caret.length - 1);
}

it('shows the line, and a caret under the column', () => {
  expect(excerpt('name: X', 7)).toEqual(['name: X', '      ^']);
});

it('puts the caret after a line that ends before the column', () => {
  expect(excerpt('name:', 9)).toEqual(['name:', '     ^']);
});

it('shows nothing for a line of spaces', () => {
  expect(excerpt('  \t', 2)).toEqual([]);
});

it.each([
  ['tabs', '\tname:\tX', 8, ' name: X', 7],
  ['Chinese', '東京: X', 5, '東京: X', 6],
  ['Japanese', 'ジョブ: X', 6, 'ジョブ: X', 8],
  ['wide Latin', 'ＡＢ: X', 5, 'ＡＢ: X', 6],
  ['combining accents', 'e\u0301te\u0301: X', 8, 'e\u0301te\u0301: X', 5],
  ['an emoji of two code units', '🚚: X', 5, '🚚: X', 4],
  ['an emoji of eight code units', '👩‍👩‍👧: X', 11, '👩‍👩‍👧: X', 4],
  ['a direction character', 'a\u202eb: X', 6, 'a b: X', 5],
  ['a terminal escape sequence', '\u001b[31mX', 6, ' [31mX', 5],
])('puts the caret after %s', (_, line, column, shown, before) => {
  expect(excerpt(line, column)).toEqual([shown, `${' '.repeat(before)}^`]);
});

const long = `${'a'.repeat(400)}X${'b'.repeat(400)}`;

it.each([
  ['in the middle', 401, 'X', /^….*…$/],
  ['at the start', 1, 'a', /^a.*…$/],
  ['at the end', 801, 'b', /^….*b$/],
])('cuts a long line around a caret %s', (_, column, under, shape) => {
  const [shown] = excerpt(long, column);
  expect(shown).toMatch(shape);
  expect(shown?.length).toBeLessThanOrEqual(120);
  expect(underCaret(long, column)[0]).toBe(under);
});

it('finds the position in a huge line', () => {
  const huge = `${'x'.repeat(200_000)}!${'y'.repeat(200_000)}`;
  expect(underCaret(huge, 200_001)[0]).toBe('!');
});

it('replaces control and direction characters with spaces', () => {
  expect(withoutControls('a\u0007b\u009bc\u2067d')).toBe('a b c d');
});
