/** A subscriber to the events of all servers, when the connection to one of them breaks. */
import { EventEmitter, getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { Membership } from '../../src/cluster/membership.ts';
import { followAll } from '../../src/cluster/wide/follow-all.ts';
import type { Stream } from '../../src/http/reply.ts';
import { EventLog } from '../../src/journal/events.ts';
import { createTestWall } from '../harness/wall.ts';

test('connects again, and keeps nothing of the connections before', async () => {
  const wall = createTestWall();
  const others = [{ id: 'other', url: 'http://other' }];
  const events: Membership['events'] = new EventEmitter();
  let opened = 0;
  let listeners = 0;
  const followed = await followAll(
    new EventLog(wall, 'own'),
    {
      membership: { others: () => others, listOthers: async () => others, events },
      // No test waits for real time.
      wall: { ...wall, after: (ms, run) => void setImmediate(() => [wall.pass(ms), run()]) as never },
      open: async (_url, _question, signal) => {
        opened += 1;
        listeners = getEventListeners(signal, 'abort').length;
        // The first connections break, and the last one stays.
        const stream: Stream = ({ end }) => {
          if (opened < 10) setImmediate(end);
          return () => undefined;
        };
        return { status: 200, headers: { 'x-sandbox-position': 'other-1' }, body: undefined, stream };
      },
    },
    { project: undefined, lastId: undefined },
  );
  const unsubscribe = followed.subscribe({ send: () => undefined, end: () => undefined } as never);
  await expect.poll(() => opened).toBe(10);
  expect(listeners).toBe(0);
  unsubscribe();
});
