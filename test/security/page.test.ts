/** docs/operating/security.md: every threat and limit names a test, and every test that it names is there. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync('docs/operating/security.md', 'utf8');

/** Rows of the tables whose last column names tests. */
const rows = page
  .split(/\n\n/)
  .filter((block) => /^\|.*\| Test \|$/m.test(block))
  .flatMap((block) => block.trim().split('\n').slice(2));

const cellsOf = (row: string): readonly string[] => row.split('|').map((cell) => cell.trim());

const named = rows.flatMap((row) => {
  const tests = cellsOf(row).at(-2) ?? '';
  return [...tests.matchAll(/`([\w./-]+\.(?:test\.ts|txt))`: ("[^"]+"(?:, "[^"]+")*)/g)].flatMap(
    ([, file = '', titles = '']) =>
      [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ file: `test/${file}`, title })),
  );
});

/**
 * The titles of tests and groups in a file: the first text that is given to each, or to the table before it. In a golden
 * file, the comments and the headings of cases.
 */
function titlesOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  if (file.endsWith('.txt')) return [...text.matchAll(/^(?:#|==) (.*)$/gm)].map(([, title = '']) => title);
  const first = /(?:\b(?:test|it|describe|inBrowser)(?:\.\w+)*|\))\(\s*(?:'((?:[^'\\]|\\.)*)'|"([^"]*)"|`([^`]*)`)/g;
  return [...text.matchAll(first)].map(([, one, two, three]) => (one ?? two ?? three ?? '').replace(/\\(.)/g, '$1'));
}

test('every row of its tables names a test', () => {
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.filter((row) => !/`[\w./-]+\.(?:test\.ts|txt)`: "/.test(cellsOf(row).at(-2) ?? ''))).toEqual([]);
  // A title that was not parsed would not be checked.
  const quotes = rows.join('').match(/"[^"]+"/g) ?? [];
  expect(named).toHaveLength(quotes.length);
});

test('every test that it names exists', () => {
  const missing = named.filter(({ file, title }) => !existsSync(file) || !titlesOf(file).includes(title));
  expect(missing).toEqual([]);
});
