/** Every way in which a connection breaks, as a bare socket, fetch and curl see it; and that nothing is left of it. */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createWallClock, type WallClock } from '../../src/base/time.ts';
import type { Fault, Reply, StreamSink } from '../../src/http/reply.ts';
import { send } from '../../src/http/wire.ts';
import { createTestWall } from '../harness/wall.ts';

const body = '{"town":"Köln"}';
const bytes = Buffer.from(body);

interface Bench {
  readonly port: number;
  readonly url: string;
  /** Resolves with the next request's socket, once its answer has begun. */
  next(): Promise<Socket>;
  /** The project is reset, or the sandbox stops. */
  end(): void;
  /** How many still wait for that. */
  waiting(): number;
}

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A bare server that answers as told. */
async function serve(
  replyTo: (onEnd: Fault['onEnd'], request: IncomingMessage) => Reply | Promise<Reply>,
  wall: WallClock = createWallClock(),
): Promise<Bench> {
  const ends = new Set<() => void>();
  const onEnd: Fault['onEnd'] = (end) => {
    ends.add(end);
    return () => ends.delete(end);
  };
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    send(response, await replyTo(onEnd, request), wall);
    server.emit('answered', request.socket);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    next: () => once(server, 'answered').then(([socket]) => socket as Socket),
    end: () => {
      for (const end of ends) end();
    },
    waiting: () => ends.size,
  };
}

const broken = (kind: Fault['kind'], text: string | undefined = body) =>
  ((onEnd) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: text,
    fault: { kind, onEnd },
  })) satisfies Parameters<typeof serve>[0];

/** A client that only knows bytes: what came, how it ended. */
function rawClient(port: number, requests = 1) {
  const client = connect(port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n'.repeat(requests));
  const seen = { bytes: Buffer.alloc(0), error: undefined as string | undefined, ended: false };
  client.on('data', (chunk) => {
    seen.bytes = Buffer.concat([seen.bytes, chunk]);
  });
  client.on('error', (error: NodeJS.ErrnoException) => {
    seen.error = error.code;
  });
  client.on('end', () => {
    seen.ended = true;
  });
  const closed = new Promise<typeof seen>((done) => client.once('close', () => done(seen)));
  return { client, seen, closed };
}

/** Resolves when the connection is closed; by an error is as good as any way. */
function gone(socket: Socket): Promise<void> {
  return socket.closed ? Promise.resolve() : new Promise((done) => socket.once('close', () => done()));
}

/** What follows the head. */
function bodyOf(answer: Buffer): Buffer {
  return answer.subarray(answer.indexOf('\r\n\r\n') + 4);
}

/** Resolves when so many bytes have come after the head. */
async function bodyBytes({ client, seen }: ReturnType<typeof rawClient>, count: number): Promise<void> {
  while (seen.bytes.indexOf('\r\n\r\n') < 0 || bodyOf(seen.bytes).length < count) await once(client, 'data');
}

describe('a bare socket sees', () => {
  test('a reset as ECONNRESET, with not one byte', async () => {
    const bench = await serve(broken('reset'));
    const { bytes: came, error } = await rawClient(bench.port).closed;
    expect([came.length, error]).toEqual([0, 'ECONNRESET']);
    expect(bench.waiting()).toBe(0);
  });

  test('a close as the end, with not one byte', async () => {
    const bench = await serve(broken('close'));
    const { bytes: came, error, ended } = await rawClient(bench.port).closed;
    expect([came.length, error, ended]).toEqual([0, undefined, true]);
    expect(bench.waiting()).toBe(0);
  });

  test('of a hanging one nothing, until the project ends', async () => {
    const bench = await serve(broken('hang'));
    const raw = rawClient(bench.port);
    const socket = await bench.next();
    expect([socket.destroyed, bench.waiting()]).toEqual([false, 1]);
    bench.end();
    const { bytes: came } = await raw.closed;
    expect([came.length, socket.destroyed, bench.waiting()]).toEqual([0, true, 0]);
  });

  test.each([
    ['bytes, not letters', 'ööö', 3],
    ['rounded down', 'abc', 1],
    ['which is none of one', 'a', 0],
    ['which is none of none', '', 0],
  ])('the first half of a truncated body: %s', async (_what, text, half) => {
    const whole = Buffer.from(text);
    const bench = await serve(broken('truncate', text));
    const { bytes: came, ended } = await rawClient(bench.port).closed;
    expect(came.toString('latin1')).toMatch(
      new RegExp(`^HTTP/1.1 200 OK\r\n.*content-length: ${whole.length}\r\n`, 's'),
    );
    expect([bodyOf(came), ended]).toEqual([whole.subarray(0, half), true]);
    expect(bench.waiting()).toBe(0);
  });

  test('a truncated answer without a body as its head and the end', async () => {
    const noBody: Parameters<typeof serve>[0] = (onEnd) => ({
      status: 204,
      headers: {},
      body: undefined,
      fault: { kind: 'truncate', onEnd },
    });
    const bench = await serve(noBody);
    const { bytes: came, ended } = await rawClient(bench.port).closed;
    expect(came.toString('latin1')).toMatch(/^HTTP\/1.1 204 No Content\r\n(?!.*content-length).*\r\n\r\n$/s);
    expect(ended).toBe(true);
  });

  test('a dripping answer as its head, then one byte every 50 ms; the connection stays', async () => {
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

describe('nothing is left', () => {
  test('of a dripping answer when the client leaves in its midst', async () => {
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

  test('of a dripping answer when the project ends in its midst', async () => {
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

  test('of a hanging answer when the client leaves', async () => {
    const bench = await serve(broken('hang'));
    const raw = rawClient(bench.port);
    const socket = await bench.next();
    expect(bench.waiting()).toBe(1);
    raw.client.end();
    await gone(socket);
    expect(bench.waiting()).toBe(0);
  });

  test('of a fault in a project that has ended already', async () => {
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

  test('on a connection that lives on: its listeners are as they were', async () => {
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

test('an answer that waits behind another on its connection is cut only after that one was sent', async () => {
  let release = (): void => undefined;
  let count = 0;
  const whole: Reply = { status: 200, headers: {}, body: 'whole' };
  const bench = await serve((onEnd) => {
    count += 1;
    return count === 1
      ? new Promise<Reply>((done) => (release = () => done(whole)))
      : broken('truncate', 'cuts')(onEnd);
  });
  const raw = rawClient(bench.port, 2);
  await bench.next();
  release();
  expect((await raw.closed).bytes.toString()).toMatch(/\r\n\r\nwhole.*content-length: 4\r\n.*\r\n\r\ncu$/s);
  expect(bench.waiting()).toBe(0);
});

test.each(['reset', 'close'] as const)('a %s takes none of the answers before it along', async (kind) => {
  let release = (): void => undefined;
  let count = 0;
  const whole: Reply = { status: 200, headers: {}, body: 'whole' };
  const bench = await serve((onEnd) => {
    count += 1;
    return count === 1 ? new Promise<Reply>((done) => (release = () => done(whole))) : broken(kind)(onEnd);
  });
  const raw = rawClient(bench.port, 2);
  const socket = await bench.next();
  expect([socket.destroyed, bench.waiting()]).toEqual([false, 1]);
  release();
  expect((await raw.closed).bytes.toString()).toMatch(/\r\n\r\nwhole$/);
  expect(bench.waiting()).toBe(0);
});

describe('fetch sees', () => {
  const causeOf = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => 'no error',
      (error: { name: string; message: string; cause?: { code?: string } }) => [error.message, error.cause?.code],
    );

  test.each([
    ['reset', ['fetch failed', 'ECONNRESET']],
    ['close', ['fetch failed', 'UND_ERR_SOCKET']],
  ] as const)('a %s as a failure', async (kind, failure) => {
    const bench = await serve(broken(kind));
    expect(await causeOf(fetch(bench.url))).toEqual(failure);
  });

  test('of a hanging one nothing, until it gives up; then the sandbox lets go', async () => {
    const bench = await serve(broken('hang'));
    const patience = new AbortController();
    const answer = fetch(bench.url, { signal: patience.signal });
    const socket = await bench.next();
    patience.abort();
    await expect(answer).rejects.toThrow('aborted');
    await gone(socket);
    expect(bench.waiting()).toBe(0);
  });

  test('the status of a truncated answer, and a body that fails', async () => {
    const bench = await serve(broken('truncate'));
    const response = await fetch(bench.url);
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    expect(await causeOf(response.text())).toEqual(['terminated', 'UND_ERR_SOCKET']);
  });

  test('all of a dripping answer', async () => {
    const bench = await serve(broken('drip', 'ö!'));
    expect(await (await fetch(bench.url)).text()).toBe('ö!');
    expect(bench.waiting()).toBe(0);
  });
});

describe('curl sees', () => {
  const hasCurl = spawnSync('curl', ['--version']).status === 0;
  if (!hasCurl) console.warn('there is no curl: what it sees of broken connections was NOT tested');

  test.runIf(hasCurl).each([
    ['reset', 56, ''],
    ['close', 52, ''],
    ['hang', 28, ''],
    ['truncate', 18, 'ab'],
    ['drip', 0, 'abcd'],
  ] as const)('%s as exit code %i', async (kind, code, text) => {
    const bench = await serve(broken(kind, 'abcd'));
    const patience = kind === 'hang' ? '0.2' : '20';
    const seen = await new Promise((done) => {
      const options = ['--silent', '--noproxy', '*', '--max-time', patience, bench.url];
      execFile('curl', options, (error, stdout) => done([error?.code ?? 0, stdout]));
    });
    expect(seen).toEqual([code, text]);
  });
});

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

  test('is written as it comes, without a length, until its end', async () => {
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

  test('is left once when the client leaves; what is written then goes nowhere', async () => {
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
  async function fill(socket: Socket, sink: StreamSink | undefined, most: number): Promise<void> {
    while (!socket.destroyed && socket.writableLength <= most) {
      sink?.write('x'.repeat(64 * 1024));
      await new Promise(setImmediate);
    }
  }

  test('for whose reader more than a megabyte waits is cut off a second later', async () => {
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

  test('that says much in one go goes on for a reader who then reads', async () => {
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

  test('is cut off at once beyond 32 megabytes', async () => {
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

  test('that ends while its reader does not read is cut off soon', async () => {
    const { reply, sinks, leaves } = streaming();
    const wall = createTestWall();
    const bench = await serve(() => reply, wall);
    const raw = rawClient(bench.port);
    raw.client.pause();
    const socket = await bench.next();
    const closed = gone(socket);
    while (socket.writableLength === 0) {
      sinks[0]?.write('x'.repeat(64 * 1024));
      await new Promise(setImmediate);
    }
    sinks[0]?.end();
    wall.pass(100);
    await closed;
    expect([leaves, wall.timers()]).toEqual([[1], []]);
    raw.client.destroy();
  });
});

describe('a large answer', () => {
  const large = { status: 200, headers: {}, body: 'x'.repeat(32 * 1024 ** 2) };

  test('of which half a minute nothing is read is cut off', async () => {
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

  test('of which too little is read is cut off, however often', async () => {
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

  test('behind another on its connection has its time from when that one was sent', async () => {
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

  test('that was read leaves its connection as it was', async () => {
    const wall = createTestWall();
    const bench = await serve(() => large, wall);
    const raw = rawClient(bench.port);
    const socket = await bench.next();
    await bodyBytes(raw, large.body.length);
    await expect.poll(() => socket.timeout).not.toBe(30_000);
    expect([socket.destroyed, wall.timers()]).toEqual([false, []]);
    raw.client.destroy();
  });
});
