/** Tests the parsing of durations. */
import { expect, test } from 'vitest';
import { parseDuration } from '../../src/lib/duration.ts';

test.each([
  ['0ms', 0],
  ['0s', 0],
  ['200ms', 200],
  ['2s', 2000],
  ['1.5m', 90_000],
  ['24h', 86_400_000],
  ['1d', 86_400_000],
  ['36500d', 3_153_600_000_000],
  ['0.001s', 1],
  ['0.0001s', 0],
  ['0.29s', 290],
])('parses %s as %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  '',
  '36500.1d',
  '99999999d',
  '5',
  's',
  '5 s',
  ' 5s',
  '5s ',
  '-5s',
  '+5s',
  '5S',
  '5sec',
  '1e3ms',
  '.5s',
  '5.s',
  '1h30m',
  '٣s',
  `${'9'.repeat(400)}d`,
  '9007199254740993ms',
])('rejects %j', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
