/** Streams and large answers: written as they are read, and ended for who leaves, or does not read. */
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { Reply, StreamSink } from '../../src/http/reply.ts';
import { bodyBytes, holdFirst, useBenches } from './wire-bench.ts';

const serve = useBenches();
const servePaused = (reply: Reply) => serve(() => reply, 1, { isPaused: true });
const piece = 'x'.repeat(64 * 1024);

describe('a stream', () => {
  function streaming() {
    const sinks: StreamSink[] = [];
    const state = { leaves: 0, write: () => sinks[0]?.write(piece), end: () => sinks[0]?.end() };
    const stream: Reply['stream'] = (sink) => {
      sinks.push(sink);
      return () => {
        state.leaves += 1;
      };
    };
    return { state, reply: { status: 200, headers: {}, body: undefined, stream } };
  }

  test('disconnects a reader with more than a megabyte unread after one second', async () => {
    const { reply, state } = streaming();
    const { socket, wall, gone } = await servePaused(reply);
    while (socket.writableLength <= 1024 ** 2) {
      state.write();
      await new Promise(setImmediate);
    }
    wall.pass(999);
    expect([socket.destroyed, state.leaves]).toEqual([false, 0]);
    wall.pass(1);
    expect(socket.destroyed).toBe(true);
    await gone;
    expect([state.leaves, wall.timers()]).toEqual([1, []]);
  });

  test('continues after a burst if the reader catches up', async () => {
    const { reply, state } = streaming();
    const { socket, raw, wall } = await serve(() => reply);
    for (let count = 0; count < 200; count += 1) state.write();
    expect(socket.writableLength).toBeGreaterThan(1024 ** 2);
    while (socket.writableLength > 0) await once(raw.client, 'data');
    wall.pass(1000);
    expect([socket.destroyed, state.leaves, wall.timers()]).toEqual([false, 0, []]);
    state.end();
    // They come too late.
    state.write();
    state.end();
    await expect.poll(() => state.leaves).toBe(1);
  });

  test('disconnects at once beyond 32 megabytes', async () => {
    const { reply, state } = streaming();
    const { socket, gone } = await servePaused(reply);
    // Sockets take some themselves; no system's buffers hold this much.
    for (let count = 0; count < 2000 && !socket.destroyed; count += 1) state.write();
    expect(socket.destroyed).toBe(true);
    await gone;
    expect(state.leaves).toBe(1);
  });
});

test('a response in pieces is created as fast as it is read, and disconnects an idle reader after 30 s', async () => {
  const max = 10_000;
  let made = 0;
  let isOver = false;
  function* make(): Generator<string> {
    try {
      for (; made < max; made += 1) yield piece;
    } finally {
      isOver = true;
    }
  }
  const { socket, wall, gone } = await servePaused({ status: 200, headers: {}, body: undefined, pieces: make() });
  // The system's own buffers take the first of them.
  await expect.poll(() => socket.writableLength > 0 && wall.timers().length === 1).toBe(true);
  while (!socket.destroyed) {
    wall.pass(30_000);
    await new Promise(setImmediate);
  }
  await gone;
  await expect.poll(() => isOver).toBe(true);
  expect(made).toBeLessThan(max);
  expect(wall.timers()).toEqual([]);
});

describe('a large response', () => {
  const large = { status: 200, headers: {}, body: 'x'.repeat(32 * 1024 ** 2) };
  // 16 bytes a millisecond, after half a minute.
  const patienceMs = 30_000 + large.body.length / 16;

  test('disconnects a reader that is idle for 30 s', async () => {
    const { socket } = await servePaused(large);
    expect(socket.timeout).toBe(30_000);
    // What node says when that is over.
    socket.emit('timeout');
    expect(socket.destroyed).toBe(true);
  });

  test('disconnects a reader that is too slow', async () => {
    const { socket, raw, wall } = await serve(() => large);
    await bodyBytes(raw, 1);
    raw.client.pause();
    wall.pass(patienceMs - 1);
    expect(socket.destroyed).toBe(false);
    wall.pass(1);
    expect(socket.destroyed).toBe(true);
  });

  test('behind another response has its own timeout', async () => {
    const small = { ...large, body: 'x'.repeat(20_000) };
    const { replyTo, release } = holdFirst(small, () => large);
    const { raw, wall } = await serve(replyTo, 2);
    expect(wall.timers()).toEqual([]);
    release();
    await bodyBytes(raw, small.body.length + 1000);
    expect(wall.timers()).toEqual([patienceMs]);
  });
});
