/** Broken responses, byte by byte; no timer or listener is left. `flows/scenarios/connection-faults.test.ts` has the rest. */
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { Fault, Reply } from '../../src/http/reply.ts';
import { createTestWall } from '../harness/wall.ts';
import { bodyBytes, bodyOf, gone, type ReplyTo, rawClient, useBenches } from './wire-bench.ts';

const serve = useBenches();
const body = '{"town":"Köln"}';
const bytes = Buffer.from(body);

const broken = (kind: Fault['kind'], text: string | undefined = body) =>
  ((onEnd) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: text,
    fault: { kind, onEnd },
  })) satisfies ReplyTo;

describe('a raw socket gets', () => {
  test('the headers, then one byte every 50 ms for a drip; the connection stays open', async () => {
    const wall = createTestWall();
    const bench = await serve(broken('drip'), wall);
    const raw = rawClient(bench.port);
    const answered = bench.next();
    await bodyBytes(raw, 0);
    const socket = await answered;
    for (let count = 0; count < bytes.length; count += 1) {
      expect(bodyOf(raw.seen.bytes)).toEqual(bytes.subarray(0, count));
      expect(wall.timers()).toEqual([50]);
      wall.pass(49);
      expect(socket.bytesWritten).toBe(raw.seen.bytes.length);
      wall.pass(1);
      await bodyBytes(raw, count + 1);
      expect(socket.bytesWritten).toBe(raw.seen.bytes.length);
    }
    expect(bodyOf(raw.seen.bytes)).toEqual(bytes);
    expect([wall.timers(), bench.waiting(), raw.seen.ended]).toEqual([[], 0, false]);
    raw.client.destroy();
  });
});

describe('no timers or listeners are left', () => {
  test('of a drip when the client disconnects', async () => {
    const wall = createTestWall();
    const bench = await serve(broken('drip'), wall);
    const raw = rawClient(bench.port);
    const socket = await bench.next();
    wall.pass(50);
    await bodyBytes(raw, 1);
    expect([wall.timers(), bench.waiting()]).toEqual([[50], 1]);
    raw.client.destroy();
    await gone(socket);
    expect([wall.timers(), bench.waiting()]).toEqual([[], 0]);
  });

  test('of a drip when the project ends', async () => {
    const wall = createTestWall();
    const bench = await serve(broken('drip'), wall);
    const raw = rawClient(bench.port);
    const socket = await bench.next();
    wall.pass(50);
    await bodyBytes(raw, 1);
    bench.end();
    expect(socket.destroyed).toBe(true);
    expect(bodyOf((await raw.closed).bytes)).toEqual(bytes.subarray(0, 1));
    expect([wall.timers(), bench.waiting()]).toEqual([[], 0]);
  });

  test('of a hang when the client disconnects', async () => {
    const bench = await serve(broken('hang'));
    const raw = rawClient(bench.port);
    const socket = await bench.next();
    expect(bench.waiting()).toBe(1);
    raw.client.end();
    await gone(socket);
    expect(bench.waiting()).toBe(0);
  });

  test('of a fault in an ended project', async () => {
    const wall = createTestWall();
    const endsAtOnce: Fault['onEnd'] = (end) => {
      end();
      return () => undefined;
    };
    for (const kind of ['reset', 'close', 'hang', 'truncate', 'drip'] as const) {
      const bench = await serve(() => broken(kind)(endsAtOnce), wall);
      expect([kind, (await rawClient(bench.port).closed).bytes.length]).toEqual([kind, 0]);
      expect(wall.timers()).toEqual([]);
    }
  });

  test('on a connection that stays open', async () => {
    const wall = createTestWall();
    const bench = await serve(broken('drip', ''), wall);
    const raw = rawClient(bench.port);
    const socket = await bench.next();
    await bodyBytes(raw, 0);
    const before = socket.listenerCount('close');
    for (let count = 0; count < 5; count += 1) {
      raw.client.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
      expect(await bench.next()).toBe(socket);
      await once(raw.client, 'data');
    }
    expect([socket.listenerCount('close'), bench.waiting(), wall.timers()]).toEqual([before, 0, []]);
    raw.client.destroy();
  });
});

test.each([
  ['reset', /\r\n\r\nwhole$/],
  ['close', /\r\n\r\nwhole$/],
  ['truncate', /\r\n\r\nwhole.*content-length: 4\r\n.*\r\n\r\ncu$/s],
] as const)('a %s waits for the earlier responses on its connection', async (kind, expected) => {
  let release = (): void => undefined;
  let count = 0;
  const whole: Reply = { status: 200, headers: {}, body: 'whole' };
  const bench = await serve((onEnd) => {
    count += 1;
    return count === 1 ? new Promise<Reply>((done) => (release = () => done(whole))) : broken(kind, 'cuts')(onEnd);
  });
  const raw = rawClient(bench.port, 2);
  const socket = await bench.next();
  expect([socket.destroyed, bench.waiting()]).toEqual([false, 1]);
  release();
  expect((await raw.closed).bytes.toString()).toMatch(expected);
  expect(bench.waiting()).toBe(0);
});
