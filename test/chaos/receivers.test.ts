/** Receivers that hang, break off, or answer without end: attempts are bounded and recorded, and nobody else waits for them. */
import { writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import path from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import { type Ready, useBuiltProgram } from '../harness/program.ts';
import { pour, useRawServer } from '../harness/raw-receiver.ts';
import { useReceiver } from '../harness/receiver.ts';
import { memoryOf } from '../rig/watched.ts';

const program = useBuiltProgram();
const good = useReceiver();
const { callbacks: count } = inject('amounts');

/** Writes again and again, as long as the other side takes it, until it goes. */
function writeForEver(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.once('close', () => clearInterval(timer));
}

type Answer = (socket: Socket) => void;

const head = (status: string, ...headers: readonly string[]): string =>
  `HTTP/1.1 ${[status, ...headers].join('\r\n')}\r\n\r\n`;

/** By the path that is asked for. */
const answers: Readonly<Record<string, Answer>> = {
  hang: () => undefined,
  reset: (socket) => socket.resetAndDestroy(),
  close: (socket) => socket.end(),
  'half a head': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-'),
  'no HTTP': (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
  'ten megabytes': (socket) => {
    socket.write(head('200 OK', 'content-length: 10485760'));
    pour(socket, 'x');
  },
  'ten megabytes and a failure': (socket) => {
    socket.write(head('500 Oh', 'content-length: 10485760'));
    pour(socket, 'x');
  },
  'a slow failure': (socket) => {
    socket.write(head('503 Later', 'transfer-encoding: chunked'));
    writeForEver(socket, '1\r\nx\r\n', 20);
  },
  'endless headers': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    pour(socket, `x-more: ${'x'.repeat(1000)}\r\n`);
  },
  'slow headers': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    writeForEver(socket, 'x: y\r\n', 20);
  },
  'a redirect': (socket) => socket.end(head('307 Elsewhere', 'location: /trap', 'content-length: 0')),
  'a redirect to itself': (socket) => socket.end(head('308 Here', 'location: #', 'content-length: 0')),
  'many early answers': (socket) => {
    const early = head('103 Early Hints', 'link: </a>');
    socket.write(early.repeat(1000));
    writeForEver(socket, early, 20);
  },
};

/** Requests by the path that they name. */
const received = new Map<string, number>();
const bad = useRawServer((socket, path) => {
  received.set(path, (received.get(path) ?? 0) + 1);
  answers[path]?.(socket);
});

/** Each way to answer, what an attempt comes to, and what becomes of the callback. */
const kinds = [
  ['hang', { error: 'timed out after 1 s' }, 'failed'],
  ['reset', { error: 'connection reset' }, 'failed'],
  ['close', { error: 'connection closed without a response' }, 'failed'],
  ['half a head', { error: 'connection closed without a response' }, 'failed'],
  ['no HTTP', { error: 'the response is not HTTP' }, 'failed'],
  ['ten megabytes', { status: 200 }, 'delivered'],
  ['ten megabytes and a failure', { status: 500 }, 'failed'],
  ['a slow failure', { status: 503 }, 'failed'],
  ['endless headers', { error: 'the head of the response is longer than 16 kB' }, 'failed'],
  ['slow headers', { error: 'timed out after 1 s' }, 'failed'],
  ['a redirect', { status: 307 }, 'failed'],
  ['a redirect to itself', { status: 308 }, 'failed'],
  ['many early answers', { error: 'the receiver sent more than 100 interim responses (1xx)' }, 'failed'],
] as const;

const timeoutMs = 1000;
const retriesMs = [100, 200];
const projectOf = (kind: string): string => kind.replaceAll(' ', '-');

interface Shown {
  readonly state: string;
  readonly attempts: readonly { readonly at: string; readonly status?: number; readonly error?: string }[];
}

describe('with every kind of bad receiver', () => {
  let server: Ready;
  let before = 0;
  const goodMs: number[] = [];

  async function fail(project: string, id: string): Promise<void> {
    const told = await ask(`${server.url}/async/projects/${project}/jobs`, 'POST', { jobs: [{ id: `FAIL-${id}` }] });
    expect(told.status).toBe(202);
  }

  beforeAll(async () => {
    const profile = path.join(program.folder, 'profile.yaml');
    writeFileSync(profile, `callbacks: { timeout: ${timeoutMs}ms, retries: [${retriesMs.map((ms) => `${ms}ms`)}] }\n`);
    server = await program.startReady(['--log', 'off', '--profile', profile, '--callback-url', good.url()]);
    for (const [kind] of kinds) {
      const url = `${server.url}/_sandbox/projects/${projectOf(kind)}/callback-endpoint`;
      expect((await ask(url, 'PUT', { url: `${bad.url()}/${encodeURIComponent(kind)}` })).status).toBe(200);
    }
    before = memoryOf(server.pid);
    for (const [kind] of kinds) for (let n = 0; n < count; n += 1) await fail(projectOf(kind), String(n));
  });

  test('callbacks of another project are not delayed', async () => {
    for (let n = 1; n <= 20; n += 1) {
      const startedMs = performance.now();
      await fail('good', String(n));
      await good.waitFor(n);
      goodMs.push(performance.now() - startedMs);
    }
    console.log(`beside bad receivers a callback took ${Math.round(Math.max(...goodMs))} ms at most`);
    // 200 ms of them are the instruction's own.
    expect(Math.max(...goodMs)).toBeLessThan(2000);
    expect(bad.sockets.size).toBeGreaterThan(0);
  });

  test.each(kinds)('%s: every attempt is recorded, and retried as often as it should be', async (kind, came, state) => {
    const attempts = state === 'failed' ? retriesMs.length + 1 : 1;
    const limitMs = count * attempts * (timeoutMs + 1000);
    const url = `${server.url}/_sandbox/projects/${projectOf(kind)}/callbacks?state=${state}&await=${limitMs}ms&min=${count}`;
    const items = (await ask(url, 'GET')).body.items as readonly Shown[];
    expect(items.map((item) => item.state)).toEqual(Array.from({ length: count }, () => state));
    for (const item of items) {
      expect(item.attempts).toEqual(Array.from({ length: attempts }, () => expect.objectContaining(came)));
      // They are due by when the one before began, which is told once that was signed.
      const signedMs = 50;
      const instants = item.attempts.map(({ at }) => Date.parse(at));
      for (const [index, retryMs] of retriesMs.slice(0, attempts - 1).entries())
        expect((instants[index + 1] ?? 0) - (instants[index] ?? 0)).toBeGreaterThan(retryMs - signedMs);
    }
    expect(received.get(kind)).toBe(count * attempts);
  });

  test('no redirect is followed, no connection is left, and memory is limited', async () => {
    expect([...received.keys()].toSorted()).toEqual(kinds.map(([kind]) => kind).toSorted());
    await expect.poll(() => bad.sockets.size, { timeout: 5000 }).toBe(0);
    const grownMb = memoryOf(server.pid) - before;
    console.log(`after bad receivers it had ${Math.round(grownMb)} MB more`);
    expect(grownMb).toBeLessThan(150);
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, err: '' });
  });
});
