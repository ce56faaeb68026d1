/** The benchmark's statistics. */
import { expect, test } from 'vitest';
import { mean, median, percentile } from './figures.ts';

test.each([
  [[3], 3],
  [[9, 1, 5], 5],
  [[1, 4, 2, 100], 3],
])('the median of %j is %d', (values, expected) => expect(median(values)).toBe(expected));

test.each([
  [Array.from({ length: 300 }, (_, index) => 300 - index), 99, 298],
  [[7, 8], 99, 8],
  [[1, 2, 3, 4], 0, 1],
])('a percentile is a value that occurred', (values, percent, expected) =>
  expect(percentile(values, percent)).toBe(expected),
);

test('the mean is of all', () => expect(mean([1, 2, 6])).toBe(3));
