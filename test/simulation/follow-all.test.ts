/** A subscriber to the events of all servers, when the connection to one of them breaks. */
import { EventEmitter, getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Membership } from '../../src/cluster/membership.ts';
import { followAll, serveEvents } from '../../src/cluster/wide/follow-all.ts';
import type { Stream } from '../../src/http/reply.ts';
import { EventLog, type PublishedEvent } from '../../src/journal/events.ts';
import { createTestWall } from '../harness/wall.ts';

/** Lets everything happen that waits for nothing but its turn. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
}

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
      wall: { ...wall, after: (ms, run) => void globalThis.setImmediate(() => [wall.pass(ms), run()]) as never },
      open: async (_url, _question, signal) => {
        opened += 1;
        listeners = getEventListeners(signal, 'abort').length;
        // The first connections break, and the last one stays.
        const stream: Stream = ({ end }) => {
          if (opened < 10) globalThis.setImmediate(end);
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

test('a server that answers late sends no events of before, and a gap for those that may be missing', async () => {
  const wall = createTestWall();
  const other = new EventLog(wall, 'other');
  const publish = (what: string): void => other.publish({ kind: 'change', project: 'p', data: { what } } as never);
  publish('before');
  const others = [{ id: 'other', url: 'http://other' }];
  let isReady = false;
  const followed = await followAll(
    new EventLog(wall, 'own'),
    {
      membership: { others: () => others, listOthers: async () => others, events: new EventEmitter() },
      wall: { ...wall, after: (ms, run) => void globalThis.setImmediate(() => [wall.pass(ms), run()]) as never },
      open: async (_url, question) => (isReady ? serveEvents(other, question as never) : undefined),
    },
    { project: undefined, lastId: undefined },
  );
  const sent: string[] = [];
  const send = ({ kind, text }: PublishedEvent) => sent.push(`${kind} ${text}`);
  const unsubscribe = followed.subscribe({ send, end: () => undefined } as never);
  isReady = true;
  await expect
    .poll(() => sent, { timeout: 3000 })
    .toEqual(['gap {"reason":"a server that may have had events answered late"}']);
  publish('after');
  expect(sent.slice(1)).toEqual([expect.stringContaining('after')]);
  unsubscribe();
});

test('a server that was taken for gone, and joins again, sends no event twice', async () => {
  const wall = createTestWall();
  const other = new EventLog(wall, 'other');
  const publish = (what: string): void => other.publish({ kind: 'change', project: 'p', data: { what } } as never);
  const events: Membership['events'] = new EventEmitter();
  let others = [{ id: 'other', url: 'http://other' }];
  const followed = await followAll(
    new EventLog(wall, 'own'),
    {
      membership: { others: () => others, listOthers: async () => others, events },
      wall: { ...wall, after: (ms, run) => void globalThis.setImmediate(() => [wall.pass(ms), run()]) as never },
      open: async (_url, question) => serveEvents(other, question as never),
    },
    { project: undefined, lastId: undefined },
  );
  const sent: string[] = [];
  const send = ({ kind, text }: PublishedEvent) => sent.push(kind === 'gap' ? kind : text);
  const unsubscribe = followed.subscribe({ send, end: () => undefined } as never);
  await turns();
  publish('one');
  others = [];
  events.emit('beat');
  publish('two');
  others = [{ id: 'other again', url: 'http://other' }];
  events.emit('beat');
  await expect.poll(() => sent.length).toBeGreaterThan(2);
  await turns();
  expect(sent).toEqual(['{"what":"one"}', 'gap', '{"what":"two"}']);
  unsubscribe();
});
