/** Tests a project's clock: real, at a rate, or frozen. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ClockState,
  fromRetryAfter,
  parseRate,
  rateOf,
  readClock,
  setClock,
  toRetryAfter,
} from '../../src/lib/clock.ts';
import { createTestWall } from '../harness/wall.ts';

test('a real clock keeps its offset from the system clock', () => {
  const wall = createTestWall(1000);
  const clock = setClock('real', 5000, wall);
  expect(readClock(clock, wall)).toBe(5000);
  wall.pass(250);
  expect(readClock(clock, wall)).toBe(5250);
});

test('a frozen clock does not move, and runs from its time once it is real again', () => {
  const wall = createTestWall(1000);
  const frozen = setClock('frozen', 3000, wall);
  wall.pass(10_000);
  expect(readClock(frozen, wall)).toBe(3000);
  const real = setClock('real', readClock(frozen, wall), wall);
  wall.pass(1);
  expect(readClock(real, wall)).toBe(3001);
});

test.each([
  [20, 30_000, 600_000],
  [1000, 1, 1000],
  [0.1, 600_000, 60_000],
  [0.1, 1, 0],
  [1.5, 3, 5],
])('at the rate %d, %d ms of real time are %d ms', (rate, wallMs, ms) => {
  const wall = createTestWall(Date.UTC(2026, 0, 1));
  const clock = setClock('real', 5000, wall, rate);
  expect(rateOf(clock)).toBe(rate);
  wall.pass(wallMs);
  expect(readClock(clock, wall)).toBe(5000 + ms);
});

test('the rate 1 is a real clock as without a rate', () => {
  const wall = createTestWall(1000);
  expect(setClock('real', 5000, wall, 1)).toEqual({ mode: 'real', aheadMs: 4000 });
  expect([rateOf(setClock('real', 0, wall)), rateOf(setClock('frozen', 0, wall, 20))]).toEqual([1, 0]);
});

test('the state survives JSON', () => {
  const wall = createTestWall(7);
  for (const [mode, rate] of [['real'], ['real', 1.1], ['frozen']] as const) {
    const clock = setClock(mode, 42, wall, rate);
    wall.pass(20);
    expect(readClock(JSON.parse(JSON.stringify(clock)), wall)).toBe(readClock(clock, wall));
  }
});

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

test.each([
  ['20x', 20],
  ['0.5x', 0.5],
  ['5000x', 5000],
  ['-1x', -1],
  ['20', undefined],
  ['x', undefined],
  ['20x ', undefined],
  ['1e3x', undefined],
  ['Infinityx', undefined],
])('parses %j as %s', (text, rate) => {
  expect(parseRate(text)).toBe(rate);
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
