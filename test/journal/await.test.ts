/** Waiting for a condition, with a timeout. */
import { expect, test } from 'vitest';
import { waitUntil } from '../../src/journal/await.ts';
import { createTestWall } from '../harness/wall.ts';

const never = { subscribe: () => () => undefined };

function setUp() {
  const wall = createTestWall();
  const listeners = new Set<() => void>();
  const changes = {
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const tell = () => {
    for (const listener of listeners) listener();
  };
  return { wall, changes, tell, listeners };
}

test('resolves at once without a timer if the condition is true', async () => {
  const { wall, changes, listeners } = setUp();
  expect(await waitUntil(() => true, changes, never, 1000, wall)).toBe(true);
  expect([wall.timers(), listeners.size]).toEqual([[], 0]);
});

test('checks the condition at each change, and resolves when it is true', async () => {
  const { wall, changes, tell, listeners } = setUp();
  let count = 0;
  const waiting = waitUntil(() => count >= 2, changes, never, 1000, wall);
  count = 1;
  tell();
  expect(listeners.size).toBe(1);
  count = 2;
  tell();
  expect(await waiting).toBe(true);
  expect([wall.timers(), listeners.size]).toEqual([[], 0]);
});

test('resolves with false after the timeout, and unsubscribes', async () => {
  const { wall, changes, listeners } = setUp();
  const waiting = waitUntil(() => false, changes, never, 1000, wall);
  wall.pass(1000);
  expect(await waiting).toBe(false);
  expect(listeners.size).toBe(0);
});

test('resolves at the end event', async () => {
  const { wall, changes, tell, listeners } = setUp();
  const waiting = waitUntil(() => false, never, changes, 1000, wall);
  tell();
  expect(await waiting).toBe(false);
  expect([wall.timers(), listeners.size]).toEqual([[], 0]);
});
