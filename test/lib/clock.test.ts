/** A project's clock: real, at a rate, or frozen. flows/transcripts/clock.txt has rates, config/options.txt their texts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ClockState, fromRetryAfter, readClock, setClock, toRetryAfter } from '../../src/lib/clock.ts';
import { createTestWall } from '../harness/wall.ts';

test('the clock never goes back, and is as far as the rates and spans so far say', () => {
  const anyRate = fc.oneof(fc.constantFrom(0.1, 1, 20, 1000), fc.double({ min: 0.1, max: 1000, noNaN: true }));
  const change = fc.record({ rate: fc.option(anyRate, { nil: undefined }), spans: fc.array(fc.nat(100_000)) });
  const startMs = Date.UTC(2026, 0, 1);
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const wall = createTestWall(startMs);
      let clock: ClockState = setClock('real', startMs, wall);
      let expected = startMs;
      for (const { rate, spans } of changes) {
        clock = setClock(rate === undefined ? 'frozen' : 'real', readClock(clock, wall), wall, rate);
        for (const ms of spans) {
          const before = readClock(clock, wall);
          wall.pass(ms);
          expect(readClock(clock, wall)).toBeGreaterThanOrEqual(before);
        }
        expected += spans.reduce((sum, ms) => sum + ms, 0) * (rate ?? 0);
      }
      // Every change of the clock rounds to a millisecond.
      expect(Math.abs(readClock(clock, wall) - expected)).toBeLessThanOrEqual(changes.length + 1);
    }),
  );
});

describe('retry-after', () => {
  test('is rounded up to whole seconds of real time', () => {
    expect([toRetryAfter(30_000, 20), toRetryAfter(30_000, 1), toRetryAfter(1, 1000)]).toEqual([2, 30, 1]);
  });

  test('a client that waits for it has waited for the whole span', () => {
    const rate = fc.double({ min: 0.1, max: 1000, noNaN: true });
    fc.assert(
      fc.property(rate, fc.nat(86_400_000), (value, spanMs) => {
        const wall = createTestWall();
        const clock = setClock('real', 0, wall, value);
        wall.pass(toRetryAfter(spanMs, value) * 1000);
        expect(readClock(clock, wall)).toBeGreaterThanOrEqual(spanMs);
      }),
    );
  });

  test('is the span itself on a frozen clock', () => {
    expect([toRetryAfter(30_000, 0), fromRetryAfter(30_000, 0)]).toEqual([30, 30_000]);
  });
});
