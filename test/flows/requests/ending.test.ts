/** A sandbox that is closed under load: each request is answered, or was not carried out. */
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { RunningSandbox } from '../../../src/server.ts';
import { startOne } from '../../harness/start-sandbox.ts';

const start = () => startOne({ clock: 'frozen' });

const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
const jobsPath = '/sync/projects/p/jobs';
const toJob = (id: string) => JSON.stringify({ id, status: 'PENDING', address: { postcode: '4000' } });
const storedJobs = (sandbox: RunningSandbox) => [...(sandbox.projects.find('p')?.state.records.jobs.keys() ?? [])];

/** Creates a job on a connection of the agent; gives back what came, or undefined if the connection failed. */
function createJob(
  sandbox: RunningSandbox,
  agent: Agent,
  id: string,
): Promise<{ status: number; close: boolean } | undefined> {
  return new Promise((resolve) => {
    const outgoing = httpRequest(sandbox.url + jobsPath, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', () => {
        resolve({ status: response.statusCode ?? 0, close: response.headers.connection === 'close' });
      });
    });
    outgoing.once('error', () => resolve(undefined));
    outgoing.end(toJob(id));
  });
}

test('64 busy connections: every applied request gets a response, and no other is applied', async () => {
  const sandbox = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const answered: string[] = [];
  let closing: Promise<void> | undefined;
  let last = 0;
  const work = async (client: number): Promise<void> => {
    for (let n = 0; ; n += 1) {
      const id = `J-${client}-${n}`;
      const response = await createJob(sandbox, agent, id);
      // A client that was slow for a moment may send while its idle connection is being ended.
      if (!response) return;
      if (response.status === 201) answered.push(id);
      if (response.close) last += 1;
      // In the midst of it all.
      if (answered.length > 192) closing ??= sandbox.close();
    }
  };
  await Promise.all(Array.from({ length: 64 }, (_, client) => work(client)));
  await closing;
  agent.destroy();
  expect(last).toBeGreaterThan(0);
  expect(storedJobs(sandbox).toSorted()).toEqual(answered.toSorted());
});

const toRequest = (id: string) => {
  const body = toJob(id);
  const lines = [
    'host: localhost',
    'apikey: sandbox-key',
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  return `POST ${jobsPath} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
};

/** Begins to close a sandbox; gives back what resolves when that has ended. */
async function beginClosing(sandbox: RunningSandbox): Promise<{ readonly closed: Promise<void> }> {
  const closed = sandbox.close();
  // It goes on listening for a turn of the event loop in which nobody connects.
  for (let turn = 0; turn < 5; turn += 1) await new Promise((next) => setImmediate(next));
  return { closed };
}

/** Begins to close a sandbox, and sends `bytes` then. Their first few come before, or the connection might end as idle. */
async function sendWhileClosing(sandbox: RunningSandbox, socket: Socket, bytes: string) {
  socket.write(bytes.slice(0, 10));
  const closing = await beginClosing(sandbox);
  socket.write(bytes.slice(10));
  return closing;
}

async function open(sandbox: RunningSandbox) {
  const socket = connect(Number(new URL(sandbox.url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

test('a request on an open connection gets a response with `connection: close`', async () => {
  const sandbox = await start();
  const socket = await open(sandbox);
  socket.write(toRequest('A'));
  await once(socket, 'data');
  const { closed } = await sendWhileClosing(sandbox, socket, toRequest('B'));
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 201 .*\r\nconnection: close\r\n/is);
  await closed;
  expect(storedJobs(sandbox)).toEqual(['A', 'B']);
});

test('of pipelined requests, only the last closes the connection', async () => {
  const sandbox = await start();
  const socket = await open(sandbox);
  socket.write(toRequest('A'));
  await once(socket, 'data');
  const { closed } = await sendWhileClosing(sandbox, socket, ['B', 'C', 'D'].map(toRequest).join(''));
  const answers = (await text(socket)).match(/HTTP\/1\.1 201|connection: [a-z-]+/gi);
  const keep = ['HTTP/1.1 201', 'Connection: keep-alive'];
  expect(answers).toEqual([...keep, ...keep, 'HTTP/1.1 201', 'Connection: close']);
  await closed;
  expect(storedJobs(sandbox)).toEqual(['A', 'B', 'C', 'D']);
});

test.each(['requests', 'callbacks'])(
  'a wait for %s at the shutdown gets a response with `connection: close`',
  async (list) => {
    const sandbox = await start();
    const socket = await open(sandbox);
    socket.write(`GET /_sandbox/projects/p/${list}?await=1m HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    // It waits by the time that another one was answered.
    await fetch(`${sandbox.url}/_sandbox/health`).then((answer) => answer.text());
    const [answer] = await Promise.all([text(socket), sandbox.close()]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n.*"satisfied":false/is);
  },
);

test('an idle connection ends with a FIN, and later requests on it are not applied', async () => {
  const sandbox = await start();
  const socket = await open(sandbox);
  socket.write(toRequest('A'));
  await once(socket, 'data');
  const { closed } = await beginClosing(sandbox);
  let error: unknown;
  socket.on('error', (thrown) => {
    error = thrown;
  });
  await once(socket.resume(), 'end');
  await closed;
  expect(error).toBeUndefined();
  expect(storedJobs(sandbox)).toEqual(['A']);
});

test('a server that shuts down is not ready', async () => {
  const sandbox = await start();
  const socket = await open(sandbox);
  const ask = 'GET /_sandbox/ready HTTP/1.1\r\nhost: localhost\r\n\r\n';
  socket.write(ask);
  expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
  const { closed } = await sendWhileClosing(sandbox, socket, ask);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 503 .*\{"message":"the sandbox is shutting down/is);
  await closed;
});

test('a response that closes the connection waits for the rest of the body, so that its client can read it', async () => {
  const { url } = await start();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const ended = once(socket, 'end').then(() => 'ended');
  socket.write(`POST ${jobsPath} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 9\r\n\r\n`);
  const [response] = await once(socket, 'data');
  expect(String(response)).toMatch(/^HTTP\/1.1 401 /);
  expect(await Promise.race([ended, fetch(`${url}/_sandbox/health`).then(({ status }) => status)])).toBe(200);
  socket.write('{"id":""}');
  expect(await ended).toBe('ended');
});
