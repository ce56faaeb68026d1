/** The lines of the benchmark's table. */
import { expect, test } from 'vitest';
import { head, type Row, toRowLine } from './row.ts';

const row: Row = { what: 'a job', values: [0.7, 0.8, 0.75], unit: 'ratio', from: 'floor 40/s' };
const cellsOf = (line: string): readonly string[] => line.split('|').map((cell) => cell.trim());

test.each<[Partial<Row>, string, string, string]>([
  [{}, '0.75', '', ''],
  [{ goal: { atLeast: 0.75 } }, '0.75', '≥ 0.75', 'yes'],
  [{ goal: { atLeast: 0.76 } }, '0.75', '≥ 0.76', 'NO'],
  [{ goal: { atMost: 0.75 } }, '0.75', '≤ 0.75', 'yes'],
  [{ goal: { atMost: 0.5 } }, '0.75', '≤ 0.5', 'NO'],
  [{ values: [80.4], unit: 'MB', goal: { atMost: 80 } }, '80.4 MB', '≤ 80 MB', 'NO'],
  [{ values: [], goal: { atMost: 1 } }, '–', '≤ 1', '–'],
])('with %j the figure is %s, its goal "%s", met "%s"', (change, figure, goal, met) => {
  const [, , shown, , wanted, verdict] = cellsOf(toRowLine({ ...row, ...change }));
  expect([shown, wanted, verdict]).toEqual([figure, goal, met]);
});

test('lowest and highest of several rounds are shown', () => {
  expect(cellsOf(toRowLine(row))[3]).toBe('0.70 to 0.80');
  expect(cellsOf(toRowLine({ ...row, values: [0.7] }))[3]).toBe('');
});

test('every line has as many cells as the head, also where an error has a bar or a line break', () => {
  const broken = toRowLine({ ...row, values: [], from: '413 a | b\nc' });
  const lines = `${head}${toRowLine(row)}${broken}`.trimEnd().split('\n');
  expect(new Set(lines.map((line) => cellsOf(line).length))).toEqual(new Set([8]));
});
