/** The benchmark's verdict, because a wrong one would hide a missed goal. */
import { expect, test } from 'vitest';
import { type Goal, toRowLine } from './row.ts';

test.each<[readonly number[], Goal, string, string]>([
  [[0.7, 0.8, 0.75], { atLeast: 0.75 }, '0.75', 'yes'],
  [[0.7, 0.8, 0.75], { atLeast: 0.76 }, '0.75', 'NO'],
  [[1, 4, 2, 100], { atMost: 3 }, '3.00', 'yes'],
  [[1, 4, 2, 100], { atMost: 2.9 }, '3.00', 'NO'],
  [[], { atMost: 1 }, '–', '–'],
])('the median of %j against %j is %s, and the goal is met: %s', (values, goal, figure, verdict) => {
  const cells = toRowLine({ what: 'a job', values, unit: 'ratio', goal, from: 'a | b\nc' }).split('|');
  expect(cells).toHaveLength(8);
  expect([cells[2]?.trim(), cells[5]?.trim()]).toEqual([figure, verdict]);
});
