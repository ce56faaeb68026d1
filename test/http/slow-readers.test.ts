/** Streams and large answers: written as they are read, and ended for who leaves, or does not read. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Reply, StreamSink } from '../../src/http/reply.ts';
import { createTestWall } from '../harness/wall.ts';
import { bodyBytes, gone, rawClient, useBenches } from './wire-bench.ts';

const serve = useBenches();

describe('a stream', () => {
  function streaming() {
    const sinks: StreamSink[] = [];
    const leaves: number[] = [];
    const reply: Reply = {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: undefined,
      stream: (sink) => {
        const number = sinks.push(sink);
        return () => leaves.push(number);
      },
    };
    return { reply, sinks, leaves };
  }

  test('is written at once, without a length, until its end', async () => {
    const { reply, sinks, leaves } = streaming();
    const bench = await serve(() => reply);
    const response = await fetch(bench.url);
    expect([response.status, response.headers.get('content-length')]).toEqual([200, null]);
    sinks[0]?.write('one ');
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('one ');
    sinks[0]?.write('twö');
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('twö');
    expect(leaves).toEqual([]);
    sinks[0]?.end();
    sinks[0]?.end();
    sinks[0]?.write('too late');
    expect((await reader?.read())?.done).toBe(true);
    expect(leaves).toEqual([1]);
  });

  test('stops once when the client disconnects, and ignores later writes', async () => {
    const { reply, sinks, leaves } = streaming();
    const bench = await serve(() => reply);
    const raw = rawClient(bench.port);
    const socket = await bench.next();
    raw.client.destroy();
    await gone(socket);
    sinks[0]?.write('nobody');
    sinks[0]?.end();
    expect(leaves).toEqual([1]);
  });

  /** Writes 64 kB at a time until so much waits for the reader. */
  async function fill(socket: Socket, sink: StreamSink | undefined, max: number): Promise<void> {
    while (!socket.destroyed && socket.writableLength <= max) {
      sink?.write('x'.repeat(64 * 1024));
      await new Promise(setImmediate);
    }
  }

  test('disconnects a reader with more than a megabyte unread after one second', async () => {
    const { reply, sinks, leaves } = streaming();
    const wall = createTestWall();
    const bench = await serve(() => reply, wall);
    const raw = rawClient(bench.port);
    raw.client.pause();
    const socket = await bench.next();
    const closed = gone(socket);
    await fill(socket, sinks[0], 1024 ** 2);
    wall.pass(999);
    expect([socket.destroyed, leaves]).toEqual([false, []]);
    wall.pass(1);
    expect(socket.destroyed).toBe(true);
    await closed;
    expect([leaves, wall.timers()]).toEqual([[1], []]);
    raw.client.destroy();
  });

  test('continues after a burst if the reader catches up', async () => {
    const { reply, sinks, leaves } = streaming();
    const wall = createTestWall();
    const bench = await serve(() => reply, wall);
    const raw = rawClient(bench.port);
    const socket = await bench.next();
    for (let count = 0; count < 200; count += 1) sinks[0]?.write('x'.repeat(64 * 1024));
    expect(socket.writableLength).toBeGreaterThan(1024 ** 2);
    while (socket.writableLength > 0) await once(raw.client, 'data');
    wall.pass(1000);
    expect([socket.destroyed, leaves, wall.timers()]).toEqual([false, [], []]);
    raw.client.destroy();
  });

  test('disconnects at once beyond 32 megabytes', async () => {
    const { reply, sinks, leaves } = streaming();
    const bench = await serve(() => reply, createTestWall());
    const raw = rawClient(bench.port);
    raw.client.pause();
    const socket = await bench.next();
    const closed = gone(socket);
    // Sockets take some themselves; no system's buffers hold this much.
    for (let count = 0; count < 2000 && !socket.destroyed; count += 1) sinks[0]?.write('x'.repeat(64 * 1024));
    expect(socket.destroyed).toBe(true);
    await closed;
    expect(leaves).toEqual([1]);
    raw.client.destroy();
  });
});

describe('a response in pieces', () => {
  /** Makes so many at most; says how many were made, and whether nobody wants any more. */
  function making(max: number, text: string) {
    const state = { made: 0, isOver: false };
    function* make(): Generator<string> {
      try {
        while (state.made < max) {
          state.made += 1;
          yield text;
        }
      } finally {
        state.isOver = true;
      }
    }
    const reply: Reply = { status: 200, headers: {}, body: undefined, pieces: make() };
    return { state, reply };
  }

  test('is created as fast as it is read, and disconnects an idle reader after 30 s', async () => {
    const { state, reply } = making(10_000, 'x'.repeat(64 * 1024));
    const wall = createTestWall();
    const bench = await serve(() => reply, wall);
    const raw = rawClient(bench.port);
    raw.client.pause();
    const socket = await bench.next();
    // The system's own buffers take the first of them.
    await expect.poll(() => socket.writableLength > 0 && wall.timers().length === 1).toBe(true);
    const closed = gone(socket);
    while (!socket.destroyed) {
      wall.pass(30_000);
      await new Promise(setImmediate);
    }
    await closed;
    await expect.poll(() => state.isOver).toBe(true);
    expect(state.made).toBeLessThan(10_000);
    expect(wall.timers()).toEqual([]);
    raw.client.destroy();
  });
});

describe('a large response', () => {
  const large = { status: 200, headers: {}, body: 'x'.repeat(32 * 1024 ** 2) };

  test('disconnects a reader that is idle for 30 s', async () => {
    const bench = await serve(() => large);
    const raw = rawClient(bench.port);
    raw.client.pause();
    const socket = await bench.next();
    expect(socket.timeout).toBe(30_000);
    // What node says when that is over.
    socket.emit('timeout');
    expect(socket.destroyed).toBe(true);
    raw.client.destroy();
  });

  test('disconnects a reader that is too slow', async () => {
    const wall = createTestWall();
    const bench = await serve(() => large, wall);
    const raw = rawClient(bench.port);
    const socket = await bench.next();
    await bodyBytes(raw, 1);
    raw.client.pause();
    // 16 bytes a millisecond, after half a minute.
    const patienceMs = 30_000 + large.body.length / 16;
    wall.pass(patienceMs - 1);
    expect(socket.destroyed).toBe(false);
    wall.pass(1);
    expect(socket.destroyed).toBe(true);
    raw.client.destroy();
  });

  test('behind another response has its own timeout', async () => {
    let release = (): void => undefined;
    let count = 0;
    const first = { ...large, body: 'x'.repeat(20_000) };
    const wall = createTestWall();
    const bench = await serve(() => {
      count += 1;
      return count === 1 ? new Promise<Reply>((done) => (release = () => done(first))) : large;
    }, wall);
    const raw = rawClient(bench.port, 2);
    await bench.next();
    expect(wall.timers()).toEqual([]);
    release();
    await bodyBytes(raw, first.body.length + 1000);
    expect(wall.timers()).toEqual([30_000 + large.body.length / 16]);
    raw.client.destroy();
  });
});
