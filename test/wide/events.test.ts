/** The events of several servers as one stream: copies of other servers' events, and ids with a position in each. */
import { expect, test } from 'vitest';
import { createMergedEvents } from '../../src/cluster/wide/events/merged-events.ts';
import { createMirror } from '../../src/cluster/wide/events/mirror.ts';
import { createOtherEvents } from '../../src/cluster/wide/events/other-events.ts';
import { serveEvents } from '../../src/cluster/wide/events/serve-events.ts';
import type { Reply } from '../../src/http/reply.ts';
import { createEventLog, type EventLog, type PublishedEvent } from '../../src/journal/events.ts';
import { createTestWall, type TestWall } from '../harness/wall.ts';

const createLog = (origin: string, max?: number): EventLog =>
  createEventLog(createTestWall(), max, (run) => run(), origin);

function publish(log: EventLog, ...names: readonly string[]): void {
  for (const name of names) log.publish({ kind: 'change', project: name, data: () => ({ name }) });
}

/** Other servers that the test adds and removes. */
function createOthers(...logs: EventLog[]) {
  const joins = new Set<(log: EventLog) => void>();
  const gones = new Set<(origin: string, isComplete: boolean) => void>();
  return {
    logs: () => logs,
    onJoin: (listener: (log: EventLog) => void) => {
      joins.add(listener);
      return () => void joins.delete(listener);
    },
    onGone: (listener: (origin: string, isComplete: boolean) => void) => {
      gones.add(listener);
      return () => void gones.delete(listener);
    },
    hold: () => () => undefined,
    join: (log: EventLog) => {
      logs.push(log);
      for (const listener of joins) listener(log);
    },
    leave: (origin: string, isComplete: boolean) => {
      logs.splice(0, logs.length, ...logs.filter((log) => log.origin !== origin));
      for (const listener of gones) listener(origin, isComplete);
    },
    listeners: () => joins.size + gones.size,
  };
}

function follow(events: ReturnType<typeof createMergedEvents>, lastId?: string) {
  const seen: string[] = [];
  const sent: PublishedEvent[] = [];
  const stop = events.subscribe(
    {
      project: undefined,
      send: (event) => {
        sent.push(event);
        seen.push(event.kind === 'gap' ? 'gap' : (JSON.parse(event.text) as { name: string }).name);
      },
      end: () => seen.push('end'),
    },
    lastId,
  );
  return { seen, stop, lastId: () => sent.at(-1)?.id };
}

test('a stream has the events of all servers, and an id resumes after those of each', () => {
  const [a, b, c] = [createLog('a'), createLog('b'), createLog('c')];
  const others = createOthers(b);
  const events = createMergedEvents(a, others);
  publish(a, 'before');
  const first = follow(events);
  publish(b, 'b1');
  publish(a, 'a1');
  others.join(c);
  publish(c, 'c1');
  expect(first.seen).toEqual(['b1', 'a1', 'c1']);
  first.stop();
  expect(others.listeners()).toBe(0);
  publish(b, 'b2');
  publish(a, 'a2');
  expect(first.seen).toHaveLength(3);
  expect(follow(events, first.lastId()).seen).toEqual(['a2', 'b2']);
  expect(follow(createMergedEvents(b, createOthers(a, c)), first.lastId()).seen).toEqual(['b2', 'a2']);
  expect(follow(events, events.lastId()).seen).toEqual([]);
});

test('events of a server that joined since are all new', () => {
  const [a, b] = [createLog('a'), createLog('b')];
  publish(a, 'a1');
  publish(b, 'b1');
  expect(follow(createMergedEvents(a, createOthers(b)), 'a-1').seen).toEqual(['b1']);
});

test('a gap is reported for a server that has gone with events, and for an unknown id', () => {
  const [a, b] = [createLog('a'), createLog('b')];
  const others = createOthers(b);
  const events = createMergedEvents(a, others);
  const { seen, lastId } = follow(events);
  publish(b, 'b1');
  others.leave('b', false);
  publish(a, 'a1');
  expect(seen).toEqual(['b1', 'gap', 'a1']);
  expect(lastId()).toBe('a-1');
  expect(follow(events, 'a-1.b-1').seen).toEqual(['gap']);
  expect(follow(events, 'nonsense').seen).toEqual(['gap', 'a1']);
});

test('no gap is reported for a server that has sent all its events', () => {
  const others = createOthers(createLog('b'));
  const { seen } = follow(createMergedEvents(createLog('a'), others));
  others.leave('b', true);
  expect(seen).toEqual([]);
});

test('a stream ends with its own server', () => {
  const [a, b] = [createLog('a'), createLog('b')];
  const { seen } = follow(createMergedEvents(a, createOthers(b)));
  b.close();
  expect(seen).toEqual([]);
  a.close();
  expect(seen).toEqual(['end']);
});

test('a copy has the numbers of its server, and the same gaps', () => {
  const log = createLog('b', 3);
  publish(log, 'b1', 'b2', 'b3', 'b4', 'b5');
  const mirror = createMirror(createTestWall());
  const copy = (after: string | undefined): void => {
    const stop = serveEvents(log, after).stream?.({
      write: (text) => {
        for (const line of text.trim().split('\n')) mirror.take(JSON.parse(line));
      },
      end: () => undefined,
    });
    stop?.();
  };
  copy(undefined);
  expect(mirror.log()?.lastId()).toBe('b-5');
  const seen = (lastId: string): readonly string[] =>
    follow(createMergedEvents(createLog('a'), createOthers(mirror.log() as EventLog)), lastId).seen;
  expect(seen('a-0.b-3')).toEqual(['b4', 'b5']);
  expect(seen('a-0.b-1')).toEqual(['gap', 'b3', 'b4', 'b5']);
  const { seen: live } = follow(createMergedEvents(createLog('a'), createOthers(mirror.log() as EventLog)));
  publish(log, 'b6', 'b7', 'b8', 'b9', 'b10');
  copy(mirror.log()?.lastId());
  expect(live).toEqual(['gap', 'b8', 'b9', 'b10']);
});

/** A server that sends its events, or breaks its connections. */
function createPeer(log: EventLog) {
  const open = new Set<() => void>();
  return {
    log,
    isReachable: true,
    reply: (after: string | undefined): Reply => {
      const served = serveEvents(log, after);
      return {
        ...served,
        stream: (sink) => {
          const end = served.stream?.(sink);
          const stop = (): void => {
            open.delete(stop);
            end?.();
            sink.end();
          };
          open.add(stop);
          return stop;
        },
      };
    },
    break: () => {
      for (const stop of open) stop();
    },
  };
}

async function connect(wall: TestWall, peers: Map<string, ReturnType<typeof createPeer>>) {
  let beat = (): void => undefined;
  const list = () => [...peers.keys()].map((url) => ({ id: url, url }));
  const others = createOtherEvents({
    wall,
    membership: {
      others: list,
      listOthers: () => Promise.resolve(list()),
      onBeat: (listener) => {
        beat = listener;
        return () => undefined;
      },
    },
    open: (url, after) => {
      const peer = peers.get(url);
      return Promise.resolve(peer?.isReachable ? peer.reply(after) : undefined);
    },
  });
  await others.ready();
  return { others, beat: () => beat() };
}

/** Runs what is due, and what follows from it. */
async function pass(wall: TestWall, ms: number): Promise<void> {
  const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  await settle();
  wall.pass(ms);
  await settle();
}

test('a broken connection is opened again, and goes on after the last event', async () => {
  const wall = createTestWall();
  const peer = createPeer(createLog('b'));
  publish(peer.log, 'b1');
  const { others } = await connect(wall, new Map([['url', peer]]));
  const { seen } = follow(createMergedEvents(createLog('a'), others));
  publish(peer.log, 'b2');
  peer.break();
  publish(peer.log, 'b3');
  await pass(wall, 200);
  publish(peer.log, 'b4');
  expect(seen).toEqual(['b2', 'b3', 'b4']);
  others.close();
});

test('a server that ends as asked leaves no gap, one that was killed does, and a new one at its address joins', async () => {
  const wall = createTestWall();
  const peers = new Map([
    ['one', createPeer(createLog('b'))],
    ['two', createPeer(createLog('c'))],
  ]);
  const { others, beat } = await connect(wall, peers);
  const { seen } = follow(createMergedEvents(createLog('a'), others));
  publish(peers.get('one')?.log as EventLog, 'b1');
  peers.get('one')?.log.close();
  expect(seen).toEqual(['b1']);
  const next = createPeer(createLog('d'));
  publish(next.log, 'd1');
  peers.get('one')?.break();
  peers.set('one', next);
  await pass(wall, 200);
  expect(seen).toEqual(['b1', 'd1']);
  peers.delete('two');
  beat();
  expect(seen).toEqual(['b1', 'd1', 'gap']);
  others.close();
});
