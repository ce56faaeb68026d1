/** Tests parsing and formatting of timestamps: ISO 8601 with an offset. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createWallClock, isTimestamp, parseTimestamp, toTimestamp } from '../../src/lib/time.ts';

const noon = Date.UTC(2026, 2, 2, 12);

test.each([
  '2026-03-02T12:00:00Z',
  '2026-03-02T12:00:00z',
  '2026-03-02t12:00:00Z',
  '2026-03-02 12:00:00Z',
  '2026-03-02T12:00:00.0Z',
  '2026-03-02T12:00:00.000000000Z',
  '2026-03-02T12:00:00+00:00',
  '2026-03-02T12:00:00-00:00',
  '2026-03-02T23:00:00+11:00',
  '2026-03-02T23:00:00+1100',
  '2026-03-02T17:30:00+05:30',
  '2026-03-02T08:30:00-03:30',
  '2026-03-01T12:01:00-23:59',
  '2026-03-03T11:59:00+23:59',
  '2026-03-02T12:00Z',
  '2026-03-02T12Z',
  '2026-03-02T22:00+10:00',
  '2026-03-02T22:00:00+10',
  '2026-03-02T12:00:00,0Z',
  '20260302T120000Z',
  '20260302T1200Z',
  '20260302T22+10',
  '20260302T220000+1000',
  '20260302T083000.000-0330',
  '2026-061T12:00:00Z',
  '2026061T120000Z',
  '2026-W10-1T12:00:00Z',
  '2026W101T1200Z',
])('parses %s as noon of 2 March 2026', (text) => {
  expect(isTimestamp(text)).toBe(true);
  expect(parseTimestamp(text)).toBe(noon);
});

test.each([
  ['2026-03-02T12:00:00.1Z', 100],
  ['2026-03-02T12:00:00.123Z', 123],
  ['2026-03-02T12:00:00.123999Z', 123],
  ['2026-03-02T12:00:00.0019Z', 1],
  ['2026-03-02T12:00:00.289Z', 289],
  ['2026-03-02T12:00:00.57Z', 570],
  ['2026-03-02T12:00:00,57Z', 570],
  ['2026-03-02T12:00.5Z', 30_000],
  ['2026-03-02T12,25Z', 900_000],
  ['20260302T120000.57Z', 570],
])('truncates %s to milliseconds', (text, ms) => {
  expect(parseTimestamp(text)).toBe(noon + ms);
});

test.each([
  '2026-03-02',
  '2026-03-02T12:00:00',
  '2026-03-02T12:00',
  '20260302T120000',
  '2026-03-02T12:00:00+11:0',
  '2026-03-02T120000Z',
  '20260302T12:00:00Z',
  '2026-0302T12:00Z',
  '2026-366T12:00Z',
  '2026-000T12:00Z',
  '2025-W53-1T12:00Z',
  '2026-W00-1T12:00Z',
  '2026-W10-8T12:00Z',
  '20260230T120000Z',
  '2026-13-02T12:00:00Z',
  '2026-00-02T12:00:00Z',
  '2026-02-29T12:00:00Z',
  '2026-02-30T12:00:00Z',
  '2026-04-31T12:00:00Z',
  '2026-03-00T12:00:00Z',
  '2026-03-32T12:00:00Z',
  '2026-03-02T24:00:00Z',
  '2026-03-02T12:60:00Z',
  '2026-03-02T12:00:61Z',
  '2026-03-02T12:00:00+24:00',
  '2026-03-02T12:00:00+11:60',
  '2026-03-02T12:00:00.Z',
  '26-03-02T12:00:00Z',
  '+2026-03-02T12:00:00Z',
  ' 2026-03-02T12:00:00Z',
  '2026-03-02T12:00:00Z\n',
  'Mon, 02 Mar 2026 12:00:00 GMT',
  '1772452800000',
  'tomorrow',
  '',
])('rejects %j', (text) => {
  expect(isTimestamp(text)).toBe(false);
});

test('accepts leap days in leap years only', () => {
  expect(isTimestamp('2024-02-29T00:00:00Z')).toBe(true);
  expect(isTimestamp('2000-02-29T00:00:00Z')).toBe(true);
  expect(isTimestamp('1900-02-29T00:00:00Z')).toBe(false);
});

test('a year below 100 is not a year of the 20th century', () => {
  expect(parseTimestamp('0050-01-01T00:00:00Z')).toBe(Date.parse('0050-01-01T00:00:00Z'));
  expect(isTimestamp('0000-02-29T00:00:00Z')).toBe(true);
  expect(isTimestamp('0100-02-29T00:00:00Z')).toBe(false);
});

test('parses what it formats, with any offset', () => {
  const ms = fc.integer({ min: Date.UTC(1971, 0), max: Date.UTC(9998, 0) });
  const offset = fc.integer({ min: -23 * 60, max: 23 * 60 });
  fc.assert(
    fc.property(ms, offset, (instant, minutes) => {
      expect(parseTimestamp(toTimestamp(instant))).toBe(instant);
      const sign = minutes < 0 ? '-' : '+';
      const two = (n: number) => String(n).padStart(2, '0');
      const zone = `${sign}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
      const local = toTimestamp(instant + minutes * 60_000).replace('Z', zone);
      expect(isTimestamp(local)).toBe(true);
      expect(parseTimestamp(local)).toBe(instant);
    }),
  );
});

describe('the system clock', () => {
  const wall = createWallClock();

  test('runs a timer once, and never after it is cancelled', async () => {
    let cancelled = true;
    const cancel = wall.after(0, () => {
      cancelled = false;
    });
    cancel();
    await new Promise<void>((run) => wall.after(-5, run));
    expect(cancelled).toBe(true);
  });

  test('measures monotonic time', () => {
    const before = wall.elapsed();
    expect(wall.elapsed()).toBeGreaterThanOrEqual(before);
    expect(Math.abs(wall.now() - Date.now())).toBeLessThan(1000);
  });
});
