/** Streams of the events of several servers, which answer only after a moment. */
import { expect, test } from 'vitest';
import { admin } from '../../src/control-api/caller.ts';
import { eventHandlers } from '../../src/control-api/events.ts';
import type { ControlParts, FollowedEvents } from '../../src/control-api/handler.ts';
import { EventLog } from '../../src/journal/events.ts';
import { ClientSlots } from '../../src/usage/shares.ts';
import { createTestWall } from '../harness/wall.ts';

const wall = createTestWall(Date.parse('2026-03-02T09:30:00Z'));

/** Asks for a stream. `arrive` lets the other servers answer; `left` are the listeners for the end of the connection. */
function createAsk() {
  const events = new EventLog(wall);
  const memory = { bytes: 0 };
  const followers = new ClientSlots({
    ...({ name: 'followers', limit: 1, max: 10, bytesEach: 1, memory, onRejected: () => undefined } as const),
  });
  const arrive: (() => void)[] = [];
  let givenUp = 0;
  const followed: FollowedEvents = {
    subscribe: events.subscribe.bind(events),
    lastId: events.lastId.bind(events),
    giveUp: () => {
      givenUp += 1;
    },
  };
  const follow = (): Promise<FollowedEvents> => new Promise((resolve) => arrive.push(() => resolve(followed)));
  const parts = { admission: { followers }, controlPlacement: { follow }, wall, events } as unknown as ControlParts;
  const left = new Set<() => void>();
  const onLeave = (listener: () => void) => {
    left.add(listener);
    return () => left.delete(listener);
  };
  const request = { query: { project: 'p' }, headers: {}, caller: admin, onLeave };
  const ask = async () => {
    const reply = await eventHandlers.getEvents(parts, request as never, undefined);
    return 'stream' in reply ? reply.stream({ write: () => undefined, end: () => undefined }) : reply;
  };
  return { ask, arrive, left, givenUp: () => givenUp };
}

test('of two that wait for the last slot, one is rejected', async () => {
  const { ask, arrive, givenUp } = createAsk();
  const asked = [ask(), ask()];
  for (const [index, one] of asked.entries()) {
    arrive[index]?.();
    await one;
  }
  expect(await Promise.all(asked)).toEqual([expect.any(Function), { problem: expect.anything() }]);
  expect(givenUp()).toBe(1);
});

test('one that has ended leaves no listener behind', async () => {
  const { ask, arrive, left } = createAsk();
  const asked = ask();
  arrive[0]?.();
  const stop = await asked;
  expect(left.size).toBe(1);
  if (typeof stop === 'function') stop();
  expect(left.size).toBe(0);
});
