/** Broken responses, byte by byte; no timer or listener is left. `flows/transcripts/broken-bodies.txt` has the rest. */
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/http/reply.ts';
import { bodyBytes, bodyOf, holdFirst, type ReplyTo, useBenches } from './wire-bench.ts';

const serve = useBenches();
const body = '{"town":"Köln"}';
const bytes = Buffer.from(body);

const broken = (kind: Fault['kind'], text = body) =>
  ((onEnd) => ({ status: 200, headers: {}, body: text, fault: { kind, onEnd } })) satisfies ReplyTo;

test('a drip has its headers, then one byte every 50 ms; the connection stays open', async () => {
  const { raw, socket, wall, waiting } = await serve(broken('drip'));
  await bodyBytes(raw, 0);
  for (let count = 0; count < bytes.length; count += 1) {
    expect(bodyOf(raw.bytes())).toEqual(bytes.subarray(0, count));
    expect(wall.timers()).toEqual([50]);
    wall.pass(49);
    expect(socket.bytesWritten).toBe(raw.bytes().length);
    wall.pass(1);
    await bodyBytes(raw, count + 1);
  }
  expect(bodyOf(raw.bytes())).toEqual(bytes);
  expect([wall.timers(), waiting(), raw.client.readableEnded]).toEqual([[], 0, false]);
});

describe('no timers or listeners are left', () => {
  type Bench = Awaited<ReturnType<typeof serve>>;

  test.each<[Fault['kind'], string, (bench: Bench) => unknown]>([
    ['drip', 'the client disconnects', ({ raw }) => raw.client.destroy()],
    ['drip', 'the project ends', ({ end }) => end()],
    ['hang', 'the client disconnects', ({ raw }) => raw.client.end()],
  ])('of a %s when %s', async (kind, _when, disturb) => {
    const bench = await serve(broken(kind));
    bench.wall.pass(50);
    expect([bench.wall.timers(), bench.waiting()]).toEqual([kind === 'drip' ? [50] : [], 1]);
    disturb(bench);
    await bench.gone;
    expect([bench.wall.timers(), bench.waiting()]).toEqual([[], 0]);
  });

  test.each(['reset', 'close', 'hang', 'truncate', 'drip'] as const)('of a %s in an ended project', async (kind) => {
    const endsAtOnce: Fault['onEnd'] = (end) => {
      end();
      return () => undefined;
    };
    const { raw, wall } = await serve(() => broken(kind)(endsAtOnce));
    expect([(await raw.closed).length, wall.timers()]).toEqual([0, []]);
  });

  test('on a connection that stays open', async () => {
    const { raw, socket, next, waiting, wall } = await serve(broken('drip', ''));
    await bodyBytes(raw, 0);
    const before = socket.listenerCount('close');
    for (let count = 0; count < 5; count += 1) {
      raw.ask();
      expect(await next()).toBe(socket);
      await once(raw.client, 'data');
    }
    expect([socket.listenerCount('close'), waiting(), wall.timers()]).toEqual([before, 0, []]);
  });
});

test.each([
  ['reset', /\r\n\r\nwhole$/],
  ['close', /\r\n\r\nwhole$/],
  ['truncate', /\r\n\r\nwhole.*content-length: 4\r\n.*\r\n\r\ncu$/s],
] as const)('a %s waits for the earlier responses on its connection', async (kind, expected) => {
  const { replyTo, release } = holdFirst({ status: 200, headers: {}, body: 'whole' }, broken(kind, 'cuts'));
  const { raw, socket, waiting } = await serve(replyTo, 2);
  expect([socket.destroyed, waiting()]).toEqual([false, 1]);
  release();
  expect((await raw.closed).toString()).toMatch(expected);
  expect(waiting()).toBe(0);
});
