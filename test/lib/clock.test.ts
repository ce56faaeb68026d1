/** A project's clock: real, beside the wall's, or standing still. */
import { expect, test } from 'vitest';
import { readClock, setClock } from '../../src/lib/clock.ts';
import { createTestWall } from '../harness/wall.ts';

test('a real clock runs with the wall, as far ahead as it was set', () => {
  const wall = createTestWall(1000);
  const clock = setClock('real', 5000, wall);
  expect(readClock(clock, wall)).toBe(5000);
  wall.pass(250);
  expect(readClock(clock, wall)).toBe(5250);
});

test('a frozen clock stands, and runs on from there when it is real again', () => {
  const wall = createTestWall(1000);
  const frozen = setClock('frozen', 3000, wall);
  wall.pass(10_000);
  expect(readClock(frozen, wall)).toBe(3000);
  const real = setClock('real', readClock(frozen, wall), wall);
  wall.pass(1);
  expect(readClock(real, wall)).toBe(3001);
});

test('it is a JSON value', () => {
  const wall = createTestWall(7);
  for (const mode of ['real', 'frozen'] as const) {
    const clock = setClock(mode, 42, wall);
    expect(readClock(JSON.parse(JSON.stringify(clock)), wall)).toBe(42);
  }
});
