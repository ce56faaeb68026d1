/** Durations as people write them. */
import { expect, test } from 'vitest';
import { toDuration } from '../../src/console/format.ts';

test.each([
  ['90s', '90s'],
  ['10 minutes', '10m'],
  ['10 Min.', '10m'],
  ['1.5 h', '1.5h'],
  ['1 day', '1d'],
  ['200 ms', '200ms'],
  ['10', undefined],
  ['soon', undefined],
  ['-5 s', undefined],
  ['10 fort nights', undefined],
])('the duration %s is %s', (text, duration) => expect(toDuration(text)).toBe(duration));
