/** Waiting for a list: counts the changes, and all items only if they may be enough. */
import { expect, test } from 'vitest';
import { awaitEnough } from '../../src/control-api/awaiting.ts';
import type { ControlParts, ControlRequest } from '../../src/control-api/handler.ts';
import { createTestWall } from '../harness/wall.ts';

function createSubject(held: number) {
  let count = 0;
  const items = { held };
  let change = (_by: number): void => undefined;
  const wall = createTestWall();
  const parts = { wall, projects: { onReset: () => () => undefined } } as unknown as ControlParts;
  const request = { query: { await: '1h', min: 1000 } } as unknown as ControlRequest;
  const answered = awaitEnough(parts, request, 'p', {
    count: () => {
      count += 1;
      return items.held;
    },
    subscribe: (changed) => {
      change = changed;
      return () => undefined;
    },
  });
  return { items, wall, answered, counts: () => count, change: (by: number) => change(by) };
}

test('counts a thousand changes one by one', async () => {
  const { items, answered, change, counts } = createSubject(0);
  for (let n = 1; n <= 1000; n += 1) {
    items.held = n;
    change(1);
  }
  expect(await answered).toEqual({ satisfied: true });
  expect(counts()).toBe(2);
});

test('does not count items that were dropped meanwhile', async () => {
  const { items, answered, change, wall } = createSubject(999);
  items.held = 990;
  change(1);
  items.held = 999;
  change(5);
  wall.pass(3_600_000);
  expect(await answered).toEqual({ satisfied: false });
});
