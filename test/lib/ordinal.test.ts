/** Tests ordinal numbers. */
import { expect, test } from 'vitest';
import { toOrdinal } from '../../src/lib/ordinal.ts';

test.each([
  [1, '1st'],
  [2, '2nd'],
  [3, '3rd'],
  [4, '4th'],
  [11, '11th'],
  [12, '12th'],
  [13, '13th'],
  [21, '21st'],
  [102, '102nd'],
  [1000, '1000th'],
])('formats %d as %s', (number, place) => {
  expect(toOrdinal(number)).toBe(place);
});
