/** Told to end, at any moment: what is under way is answered, nobody new is let in, and what was answered is kept. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import { readEvents } from '../harness/event-reader.ts';
import { type Ready, type Running, useBuiltProgram } from '../harness/program.ts';
import { useReceiver } from '../harness/receiver.ts';
import { createDice } from '../model/dice.ts';
import { listJobs } from '../rig/list-jobs.ts';

const program = useBuiltProgram();
const receiver = useReceiver();
const seed = inject('seed');
const { signals } = inject('amounts');

/** As docs/guides/containers.md and docs/operating/data.md say. */
const graceMs = 10_000;

const start = (folder: string, ...more: readonly string[]): Promise<Ready> =>
  program.startReady(['--log', 'off', '--data', path.join(program.folder, folder), ...more]);

/** Resolves with the exit code of a server that was sent a signal, or is sent one now. */
async function endsSoon({ ended, child }: Running, signal?: NodeJS.Signals): Promise<number | null> {
  if (signal) child.kill(signal);
  const startedMs = performance.now();
  const { code, err } = await ended;
  expect(err).toBe('');
  expect(performance.now() - startedMs).toBeLessThan(graceMs);
  return code;
}

async function open(url: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/** A request of which the last bytes are missing. */
async function beginRequest(url: string, id: string): Promise<{ finish(): Promise<string> }> {
  const body = JSON.stringify({ jobs: [{ id }] });
  const head = `POST /sync/projects/p/jobs/batch HTTP/1.1\r\nhost: localhost\r\napikey: sandbox-key\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const socket = await open(url, head + body.slice(0, 8));
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  return {
    finish: async () => {
      socket.write(body.slice(8));
      if (!socket.closed) await once(socket, 'close');
      return answer;
    },
  };
}

/** Resolves when what was sent before has arrived: connections are taken one after another. */
const arrived = async (url: string): Promise<void> => {
  expect((await ask(`${url}/_sandbox/projects/p`, 'GET')).status).toBe(200);
};

const isRefused = (url: string): Promise<boolean> =>
  new Promise((tell) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => tell(false)).once('error', () => tell(true));
    socket.once('connect', () => socket.destroy());
  });

test('a request in progress gets its response and is stored, new connections are rejected, and the exit code is 0', async () => {
  const server = await start('under-way');
  const begun = await Promise.all(['A', 'B', 'C'].map((id) => beginRequest(server.url, id)));
  await arrived(server.url);
  server.child.kill('SIGTERM');
  await expect.poll(() => isRefused(server.url), { timeout: 4000, interval: 20 }).toBe(true);
  for (const answer of await Promise.all(begun.map(({ finish }) => finish())))
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  expect(await endsSoon(server)).toBe(0);
  const again = await start('under-way');
  expect([...(await listJobs(again.url, 'p')).keys()].toSorted()).toEqual(['A', 'B', 'C']);
  expect(await endsSoon(again, 'SIGTERM')).toBe(0);
});

/** Who has sent nothing, or half a head, is waited for five seconds. */
const silent = ['', 'POST /async', 'GET /_sandbox/health HTTP/1.1\r\nhost: localhost\r\n\r\n'];

test.each([
  ['SIGTERM', silent],
  ['SIGINT', []],
  ['SIGHUP', []],
] as const)(
  '%s during hanging callbacks, event streams, waiting requests and silent clients: exit code 0',
  async (signal, texts) => {
    receiver.answer(...Array.from({ length: 10 }, () => 'hang' as const));
    const server = await start(signal, '--callback-url', receiver.url());
    const { url } = server;
    for (const project of ['p', 'q'])
      await ask(`${url}/async/projects/${project}/jobs`, 'POST', { jobs: [{ id: 'FAIL-1' }] });
    await receiver.waitFor(2);
    const subscribers = await Promise.all([1, 2].map(() => readEvents(`${url}/_sandbox/events`)));
    const waiting = ask(`${url}/_sandbox/projects/p/callbacks?state=delivered&await=10m`, 'GET');
    const slow = ask(`${url}/async/projects/p/jobs`, 'POST', { jobs: [{ id: 'SLOW-1' }] });
    for (const text of texts) await open(url, text);
    await arrived(url);
    expect(await endsSoon(server, signal)).toBe(0);
    expect((await waiting).body).toMatchObject({ items: [], satisfied: false });
    expect((await slow).status).toBe(202);
    await Promise.all(subscribers.map(({ ended }) => ended));
    const again = await start(signal, '--callback-url', receiver.url());
    await receiver.waitFor(4);
    expect(await endsSoon(again, 'SIGTERM')).toBe(0);
  },
);

describe('a second signal', () => {
  test('ends the program at once, and answered requests are stored', async () => {
    const server = await start('twice');
    expect((await ask(`${server.url}/sync/projects/p/jobs/batch`, 'POST', { jobs: [{ id: 'A' }] })).status).toBe(200);
    await beginRequest(server.url, 'B');
    await arrived(server.url);
    server.child.kill('SIGTERM');
    await expect.poll(() => isRefused(server.url), { timeout: 4000, interval: 20 }).toBe(true);
    const startedMs = performance.now();
    server.child.kill('SIGTERM');
    expect(await endsSoon(server)).toBe(1);
    expect(performance.now() - startedMs).toBeLessThan(2000);
    const again = await start('twice');
    expect([...(await listJobs(again.url, 'p')).keys()]).toEqual(['A']);
    expect(await endsSoon(again, 'SIGTERM')).toBe(0);
  });
});

test('a signal during the start ends the program, and the next start can use the folder', async () => {
  const dice = createDice(seed + 1);
  const folder = path.join(program.folder, 'starting');
  const codes: (number | null)[] = [];
  for (let turn = 0; turn < signals; turn += 1) {
    const starting = program.start(['--port', '0', '--json', '--log', 'off', '--data', folder]);
    setTimeout(() => starting.child.kill('SIGTERM'), dice.below(500));
    // Before any line of it runs there is nobody to hear the signal, and the system ends it.
    codes.push(await endsSoon(starting));
  }
  expect(codes.filter((code) => code !== 0 && code !== null)).toEqual([]);
  const server = await start('starting');
  expect(await endsSoon(server, 'SIGTERM')).toBe(0);
});
