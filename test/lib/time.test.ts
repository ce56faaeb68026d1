/** Timestamps of any time and offset, and the system clock. flows/transcripts/times.txt has the forms of timestamps. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createWallClock, isTimestamp, parseTimestamp, toTimestamp } from '../../src/lib/time.ts';

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
