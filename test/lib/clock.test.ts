/** Tests a project's clock, real or frozen. */
import { expect, test } from 'vitest';
import { readClock, setClock } from '../../src/lib/clock.ts';
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

test('the state survives JSON', () => {
  const wall = createTestWall(7);
  for (const mode of ['real', 'frozen'] as const) {
    const clock = setClock(mode, 42, wall);
    expect(readClock(JSON.parse(JSON.stringify(clock)), wall)).toBe(42);
  }
});
