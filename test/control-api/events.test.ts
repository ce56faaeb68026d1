/** The stream of events: turns, gaps, keep-alive comments, slow readers and cleanup. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { publishRequest, toCallbackEvent } from '../../src/control-api/event-data.ts';
import { toStream } from '../../src/control-api/events.ts';
import { createRequestFacts } from '../../src/control-api/requests/facts.ts';
import { send } from '../../src/http/write-response.ts';
import type { NewEntry } from '../../src/journal/entry.ts';
import { createEventLog, type EventLog, type NewEvent } from '../../src/journal/events.ts';
import { createJournal } from '../../src/journal/journal.ts';
import { readEvents } from '../harness/event-reader.ts';
import { createTestWall, type TestWall } from '../harness/wall.ts';

const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Creates a server with only the stream. `gone(n)` resolves when `n` connections have closed in total. */
async function serve(events: EventLog, wall: TestWall) {
  let closed = 0;
  const looks = new Set<() => void>();
  const server = createServer((request, response) => {
    request.socket.once('close', () => {
      closed += 1;
      for (const look of looks) look();
    });
    const headers = { 'content-type': 'text/event-stream' };
    const lastId = request.headers['last-event-id'];
    const stream = toStream(events, wall, { project: undefined }, lastId === undefined ? undefined : String(lastId));
    void send(response, { status: 200, headers, body: undefined, stream }, wall);
  });
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const gone = (count: number): Promise<void> =>
    new Promise((done) => {
      const look = () => closed >= count && done();
      looks.add(look);
      look();
    });
  return { url: `http://127.0.0.1:${port}/`, port, gone };
}

const cargo = 'a body';
const happening = (number: number): NewEvent => ({ kind: 'change', project: null, data: () => ({ number }) });

test('sends events to fifty subscribers, which leave no subscription and no timer behind', async () => {
  const wall = createTestWall();
  const events = createEventLog(wall);
  const { url, gone } = await serve(events, wall);
  const readers = await Promise.all(Array.from({ length: 50 }, () => readEvents(url)));
  expect([events.subscriberCount(), wall.timers().length]).toEqual([50, 50]);
  events.publish(happening(1));
  for (const reader of readers) expect((await reader.take(1))[0]?.data).toEqual({ number: 1 });
  for (const reader of readers) reader.leave();
  await gone(50);
  expect([events.subscriberCount(), wall.timers()]).toEqual([0, []]);
});

describe('more than fifty subscribers', () => {
  function follow(count: number, max?: number) {
    const later: (() => void)[] = [];
    const events = createEventLog(createTestWall(), max, (run) => void later.push(run));
    const told: string[][] = [];
    const ends: number[] = [];
    const join = (number: number): (() => void) => {
      const own: string[] = [];
      told[number] = own;
      const tell = ({ kind, text }: { kind: string; text: string }) => own.push(kind === 'change' ? text : kind);
      return events.subscribe({ project: undefined, wantsHints: true, send: tell, end: () => ends.push(number) });
    };
    const leaves = Array.from({ length: count }, (_none, number) => join(number));
    const next = () => later.splice(0).map((run) => run()).length;
    return { events, told, ends, join, leaves, next };
  }

  const text = (number: number): string => JSON.stringify({ number });

  test('receive events in turns of fifty, each in order; the first fifty at once', () => {
    const { events, told, next } = follow(120);
    events.publish(happening(1));
    expect(told.map(({ length }) => length)).toEqual(told.map((_own, number) => (number < 50 ? 1 : 0)));
    events.publish(happening(2));
    events.notifyRecordsChanged('p');
    let turns = 0;
    while (next() > 0) turns += 1;
    expect(turns).toBe(7);
    for (const own of told) expect(own).toEqual([text(1), text(2), 'records']);
  });

  test('a new subscriber receives no earlier events, and one that left receives no more', () => {
    const { events, told, join, leaves, next } = follow(60);
    events.publish(happening(1));
    join(60);
    leaves[59]?.();
    events.publish(happening(2));
    while (next() > 0);
    expect([told[58], told[59], told[60]]).toEqual([[text(1), text(2)], [], [text(2)]]);
  });

  test('a subscriber that missed dropped events receives a gap', () => {
    const { events, told, next } = follow(51, 3);
    for (let number = 1; number <= 5; number += 1) events.publish(happening(number));
    while (next() > 0);
    expect(told[50]).toEqual(['gap', text(3), text(4), text(5)]);
  });

  test('receive all events and the end when the log closes', () => {
    const { events, told, ends, next } = follow(120);
    events.publish(happening(1));
    events.close();
    expect(told.every(([own]) => own === text(1))).toBe(true);
    expect(ends).toHaveLength(120);
    expect([next(), next()]).toEqual([1, 0]);
    expect(told.every(({ length }) => length === 1)).toBe(true);
  });
});

test('a comment every 15 s keeps the connection alive', async () => {
  const wall = createTestWall();
  const events = createEventLog(wall);
  const { url } = await serve(events, wall);
  const reader = await readEvents(url);
  wall.pass(14_999);
  events.publish(happening(1));
  await reader.take(1);
  expect(reader.comments).toEqual(['connected']);
  wall.pass(1);
  wall.pass(15_000);
  events.publish(happening(2));
  await reader.take(1);
  expect(reader.comments).toEqual(['connected', 'keep-alive', 'keep-alive']);
  reader.leave();
});

test('disconnects only the client that does not read', async () => {
  const wall = createTestWall();
  const events = createEventLog(wall);
  const { url, port, gone } = await serve(events, wall);
  const idle = connect(port, '127.0.0.1');
  idle.on('error', () => undefined);
  idle.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
  await once(idle, 'data');
  idle.pause();
  const reader = await readEvents(url);
  const big: NewEvent = { kind: 'change', project: null, data: () => ({ text: 'x'.repeat(64 * 1024) }) };
  for (let count = 0; count < 1000 && events.subscriberCount() === 2; count += 1) {
    events.publish(big);
    await reader.take(1);
  }
  await gone(1);
  expect(events.subscriberCount()).toBe(1);
  events.publish(happening(1));
  expect((await reader.take(1))[0]?.data).toEqual({ number: 1 });
  idle.destroy();
  reader.leave();
});

test('closing ends all subscriptions, and later ones at once', async () => {
  const wall = createTestWall();
  const events = createEventLog(wall);
  const { url } = await serve(events, wall);
  const reader = await readEvents(url);
  events.close();
  expect(await reader.ended).toEqual([]);
  expect(await (await readEvents(url)).ended).toEqual([]);
  expect([events.subscriberCount(), wall.timers()]).toEqual([0, []]);
});

test('creates event data only for subscribers, and once for all of them', () => {
  const events = createEventLog(createTestWall());
  let asked = 0;
  const counted: NewEvent = {
    kind: 'request',
    project: 'p',
    data: () => {
      asked += 1;
      return {};
    },
  };
  const follower = (project: string | undefined) => ({ project, send: () => undefined, end: () => undefined });
  events.publish(counted);
  events.subscribe(follower('another'), events.lastId());
  events.publish(counted);
  expect(asked).toBe(0);
  events.subscribe(follower('p'), `${events.lastId().split('-')[0]}-0`);
  events.subscribe(follower(undefined), `${events.lastId().split('-')[0]}-0`);
  expect(asked).toBe(2);
});

test.each([1, 2, 7])('with %i stored events, resuming from any id sends all later events once', (max) => {
  for (let total = 0; total <= 20; total += 1) {
    const events = createEventLog(createTestWall(), max);
    const ids = [events.lastId()];
    for (let number = 1; number <= total; number += 1) {
      events.publish(happening(number));
      ids.push(events.lastId());
    }
    for (const [last, id] of ids.entries()) {
      const told: unknown[] = [];
      const tell = ({ kind, text }: { kind: string; text: string }) =>
        told.push(kind === 'gap' ? 'gap' : JSON.parse(text).number);
      events.subscribe({ project: undefined, send: tell, end: () => undefined }, id)();
      const first = Math.max(last + 1, total - max + 1);
      const kept = Array.from({ length: total - first + 1 }, (_none, index) => first + index);
      expect(told).toEqual(first > last + 1 ? ['gap', ...kept] : kept);
    }
    expect(events.subscriberCount()).toBe(0);
  }
});

test('an id that this server has not sent yet counts as unknown: sends all stored events', () => {
  const events = createEventLog(createTestWall());
  const unborn = `${events.lastId().split('-')[0]}-3`;
  for (const number of [1, 2]) events.publish(happening(number));
  const told: unknown[] = [];
  const tell = ({ kind, text }: { kind: string; text: string }) => told.push(kind === 'gap' ? kind : JSON.parse(text));
  events.subscribe({ project: undefined, send: tell, end: () => undefined }, unborn);
  expect(told).toEqual(['gap', { number: 1 }, { number: 2 }]);
});

const facts = createRequestFacts({ match: () => ({ found: false, why: 'unknown' }) });

function toEntry(id: string): NewEntry {
  return {
    ...{ id, at: '2026-03-02T09:30:00.000Z', project: 'p', operation: 'syncCreateJob', method: 'POST', url: '/a?b=c' },
    ...{
      requestHeaders: {},
      requestBody: { size: cargo.length, read: () => ({ shown: cargo, again: cargo }) },
      responseHeaders: {},
      responseBody: cargo,
      status: 201,
      fault: undefined,
    },
    durationMs: 1.23456,
    rejectedCount: 0,
    warnings: ['w'],
    named: { first: ['J-1', 'J-2', 'J-3'], count: 5, entries: 6 },
    evidence: { change: 1, atMs: 0 },
    ...{ ruleCount: 2, notesSize: 0, visitRules: () => undefined },
    explain: (which) => {
      const fired = { key: 'server/s#1', scenario: 's', rule: 'a', fired: true, why: cargo, came: 'fired' } as const;
      const missed = { key: 'server/s#2', scenario: 's', rule: 'b', fired: false, why: cargo, came: 'item' } as const;
      return which === 'fired' ? [fired] : [fired, missed];
    },
  };
}

test.each(['at once', 'later'])(
  'the event of a request, sent %s, has its ids and the number of fired rules, and no body',
  (when) => {
    const journal = createJournal();
    const events = createEventLog(createTestWall());
    const start = events.lastId();
    const told: unknown[] = [];
    const tell = ({ text }: { text: string }) => told.push(JSON.parse(text));
    const follower = { project: 'p', send: tell, end: () => undefined };
    if (when === 'at once') events.subscribe(follower);
    publishRequest(events, journal.add(toEntry('r')), journal, facts);
    if (when === 'later') events.subscribe(follower, start);
    expect(told).toEqual([
      {
        ...{ id: 'r', at: '2026-03-02T09:30:00.000Z', project: 'p', operation: 'syncCreateJob', method: 'POST' },
        ...{
          path: '/a',
          status: 201,
          durationMs: 1.235,
          warnings: 1,
          change: 1,
          accepted: 6,
          refused: 0,
          rules: 1,
          scenarios: ['s'],
          ids: ['J-1', 'J-2', 'J-3'],
          idCount: 5,
          fault: null,
        },
      },
    ]);
  },
);

test('the event of a request that the journal has dropped has no rules', () => {
  const journal = createJournal({ entriesPerProject: 1, bytesPerProject: 1e6, bytes: 1e6 });
  const events = createEventLog(createTestWall());
  const start = events.lastId();
  for (const id of ['r-1', 'r-2']) publishRequest(events, journal.add(toEntry(id)), journal, facts);
  const told: unknown[] = [];
  const tell = ({ text }: { text: string }) => told.push([JSON.parse(text).id, JSON.parse(text).rules]);
  events.subscribe({ project: undefined, send: tell, end: () => undefined }, start);
  expect(told).toEqual([
    ['r-1', undefined],
    ['r-2', 1],
  ]);
});

test('the event of a callback has no body', () => {
  const callback = { id: 'c', body: { data: { failed: [cargo] } }, attempts: [{ sent: cargo }] };
  const { data } = toCallbackEvent('p', callback as unknown as Parameters<typeof toCallbackEvent>[1]);
  expect(typeof data === 'function' && data()).toEqual({ id: 'c', project: 'p', failed: 1, attempts: 1 });
});
