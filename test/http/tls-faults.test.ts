/** Broken connections over TLS, as a secure socket sees them, and how connections end with the sandbox. */
import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { startWith } from '../flows/data-steps.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { fetchCa } from '../harness/secure-client.ts';
import { createTestWall } from '../harness/wall.ts';

const sandbox = useSandbox({ tls: 'true' });
let ca = '';
let port = 0;

beforeAll(async () => {
  ca = await fetchCa(sandbox);
  port = Number(new URL(sandbox.tls()?.url ?? '').port);
});

async function use(connection: string): Promise<string> {
  const project = freshProject();
  const rules = [{ name: 'broken', then: { connection, processed: true, respond: { status: 418, body: 'slow' } } }];
  const scenarios = [{ name: 'broken', rules }];
  expect((await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios })).status).toBe(200);
  return project;
}

const pathOf = (project: string) => `/sync/projects/${project}/jobs/batch`;
const body = JSON.stringify({ jobs: [{ id: 'A' }] });
const toRequest = (project: string): string =>
  [
    `POST ${pathOf(project)} HTTP/1.1`,
    'host: localhost',
    'apikey: sandbox-key',
    'content-type: application/json',
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n');

/** A secure socket that checks who is there. */
const secure = () => connect({ port, host: '127.0.0.1', servername: 'localhost', ca });

/** Returns what a secure socket gets until it closes, and whether the other side ended the connection properly. */
async function ask(project: string, before = ''): Promise<{ text: string; ended: boolean }> {
  const socket = secure();
  let text = '';
  let ended = false;
  socket.on('data', (bytes) => {
    text += bytes;
    if (text.endsWith('slow')) socket.destroy();
  });
  socket.on('end', () => {
    ended = true;
  });
  // Which error a reset is depends on when it arrives.
  socket.on('error', () => undefined);
  socket.write(before + toRequest(project));
  await new Promise((done) => socket.once('close', done));
  return { text, ended };
}

describe('a secure socket', () => {
  test.each([
    // A reset is an error, or an end if the socket sends or receives anything at that moment.
    ['reset', /^$/, [true, false]],
    ['close', /^$/, [true]],
    ['truncate', /^HTTP\/1.1 418 .*content-length: 4\r\n.*\r\n\r\nsl$/s, [true]],
    ['drip', /^HTTP\/1.1 418 .*content-length: 4\r\n.*\r\n\r\nslow$/s, [false]],
  ] as const)('gets a %s', async (fault, expected, ends) => {
    const project = await use(fault);
    const came = await ask(project);
    expect(came.text).toMatch(expected);
    expect(ends).toContain(came.ended);
    const { body: page } = await sandbox.control('GET', `/projects/${project}/requests?await=5s`);
    expect(page.items).toMatchObject([{ fault }]);
    expect((await sandbox.items(project, 'jobs')).map(({ id }) => id)).toEqual(['A']);
  });

  test('gets all earlier responses before a reset', async () => {
    const came = await ask(await use('reset'), 'GET /_sandbox/health HTTP/1.1\r\nhost: localhost\r\n\r\n');
    expect(came.text.split('\r\n\r\n').slice(1)).toEqual(['{"status":"ok"}']);
  });
});

// Without TLS: flows/requests/closing.test.ts and ending.test.ts.
describe('when the sandbox is closed', () => {
  async function start() {
    // Not the machine's year: the clients of these tests look at no dates.
    const wall = createTestWall(Date.parse('2026-03-02T09:30:00Z'));
    const own = await startWith({ tls: 'true', clock: 'frozen' }, wall);
    return { own, wall, to: Number(new URL(own.sandbox.tls?.url ?? '').port) };
  }
  const unchecked = (to: number) =>
    connect({ port: to, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => undefined);

  test('a request that is still arriving gets a response', async () => {
    const { own, to } = await start();
    const socket = unchecked(to);
    socket.write(toRequest('p').slice(0, -1));
    await own.control('GET', '/health');
    const answer = text(socket);
    const closing = own.close();
    socket.write(toRequest('p').slice(-1));
    await closing;
    expect(await answer).toMatch(/^HTTP\/1.1 200 /);
  });

  test.each([
    ['nothing, not even of TLS', (to: number) => connectPlain(to, '127.0.0.1'), 'connect', ''],
    ['half a head', unchecked, 'secureConnect', 'POST /sync/projects/p/jobs/batch HTTP/1.1\r\n'],
  ] as const)('disconnects a client that has sent %s after five seconds', async (_what, open, opened, text) => {
    const { own, wall, to } = await start();
    const socket = open(to);
    socket.on('error', () => undefined);
    await once(socket, opened);
    socket.write(text);
    await own.control('GET', '/health');
    let isClosed = false;
    const closing = own.close().then(() => {
      isClosed = true;
    });
    wall.pass(4999);
    await new Promise((turn) => setImmediate(turn));
    expect(isClosed).toBe(false);
    wall.pass(1);
    await closing;
  });
});
