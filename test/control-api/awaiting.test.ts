/** Waiting for a list: counts the changes, and all items only if they may be enough. */
import { expect, test } from 'vitest';
import { awaitEnough } from '../../src/control-api/awaiting.ts';
import type { ControlParts, ControlRequest } from '../../src/control-api/handler.ts';
import { createTestWall } from '../harness/wall.ts';

function createSubject(held: number, min = 1000) {
  let count = 0;
  const items = { held };
  const changes = new Set<(by: number) => void>();
  const resets = new Set<() => void>();
  const leaves = new Set<() => void>();
  const listen = <Listener>(listeners: Set<Listener>, listener: Listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const wall = createTestWall();
  const onReset = (_project: string, listener: () => void) => listen(resets, listener);
  const parts = { wall, projects: { onReset } } as unknown as ControlParts;
  const onLeave = (listener: () => void) => listen(leaves, listener);
  const request = { query: { await: '1h', min }, onLeave } as unknown as ControlRequest;
  const answered = awaitEnough(parts, request, 'p', {
    count: () => {
      count += 1;
      return items.held;
    },
    subscribe: (changed) => {
      const unsubscribe = listen(changes, changed);
      return () => void unsubscribe();
    },
  });
  return {
    items,
    wall,
    answered,
    counts: () => count,
    listeners: () => changes.size + resets.size + leaves.size,
    change: (by: number) => changes.forEach((changed) => void changed(by)),
    reset: () => resets.forEach((listener) => void listener()),
    leave: () => leaves.forEach((listener) => void listener()),
  };
}

test('resolves at once without a timer if enough items match', async () => {
  const { answered, wall, listeners } = createSubject(1000);
  expect(await answered).toEqual({ satisfied: true });
  expect([wall.timers(), listeners()]).toEqual([[], 0]);
});

test('checks the count at each change, and resolves when it is enough', async () => {
  const { items, answered, change, wall, listeners } = createSubject(0, 2);
  items.held = 1;
  change(1);
  expect(listeners()).toBe(3);
  items.held = 2;
  change(1);
  expect(await answered).toEqual({ satisfied: true });
  expect([wall.timers(), listeners()]).toEqual([[], 0]);
});

test('resolves with false after the timeout, and unsubscribes', async () => {
  const { answered, wall, listeners } = createSubject(0);
  wall.pass(3_600_000);
  expect(await answered).toEqual({ satisfied: false });
  expect(listeners()).toBe(0);
});

test.each(['reset', 'leave'] as const)('resolves at the end event: %s', async (end) => {
  const subject = createSubject(0);
  subject[end]();
  expect(await subject.answered).toEqual({ satisfied: false });
  expect([subject.wall.timers(), subject.listeners()]).toEqual([[], 0]);
});

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
