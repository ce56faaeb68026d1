/** Broken connections over TLS, as a secure socket sees them, and how connections end with the sandbox. */
import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { connect } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseOptions } from '../../src/config/options.ts';
import { startSandbox } from '../../src/server.ts';
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

type Fault = 'reset' | 'close' | 'hang' | 'truncate' | 'drip';

async function use(connection: Fault): Promise<string> {
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
const secure = (to = port, trusted = ca) =>
  connect({ port: to, host: '127.0.0.1', servername: 'localhost', ca: trusted });

/** What a secure socket gets until the other side ends, and how that was. */
async function ask(project: string): Promise<{ text: string; end: string }> {
  const socket = secure();
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
    if (text.endsWith('slow')) socket.destroy();
  });
  const ways: string[] = [];
  socket.on('end', () => ways.push('end'));
  socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => ways.push(code));
  socket.write(toRequest(project));
  await once(socket, 'close').catch(() => undefined);
  return { text, end: ways.join() };
}

describe('a secure socket', () => {
  test.each([
    ['reset', /^$/, 'ECONNRESET'],
    ['close', /^$/, 'end'],
    ['truncate', /^HTTP\/1.1 418 .*content-length: 4\r\n.*\r\n\r\nsl$/s, 'end'],
    ['drip', /^HTTP\/1.1 418 .*content-length: 4\r\n.*\r\n\r\nslow$/s, ''],
  ] as const)('gets a %s', async (fault, expected, end) => {
    const project = await use(fault);
    const came = await ask(project);
    expect(came.text).toMatch(expected);
    expect(came.end).toBe(end);
    const { body: page } = await sandbox.control('GET', `/projects/${project}/requests?await=5s`);
    expect(page.items).toMatchObject([{ fault }]);
    expect((await sandbox.items(project, 'jobs')).map(({ id }) => id)).toEqual(['A']);
  });

  test('gets no data from a hanging response until the project is reset', async () => {
    const project = await use('hang');
    const asked = ask(project);
    expect((await sandbox.control('GET', `/projects/${project}/requests?await=5s`)).body.satisfied).toBe(true);
    await sandbox.control('POST', `/projects/${project}/reset`);
    expect((await asked).text).toBe('');
  });

  test('gets all earlier responses before a reset', async () => {
    const socket = secure();
    let text = '';
    let code = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      code = error.code ?? '';
    });
    const project = await use('reset');
    socket.write(`GET /_sandbox/health HTTP/1.1\r\nhost: localhost\r\n\r\n${toRequest(project)}`);
    await new Promise((done) => socket.once('close', done));
    expect([text.split('\r\n\r\n')[1], code]).toEqual(['{"status":"ok"}', 'ECONNRESET']);
  });
});

describe('when the sandbox is closed', () => {
  async function start() {
    const parsed = parseOptions({ port: '0', log: 'off', tls: 'true', clock: 'frozen' }, {});
    if (!parsed.ok) throw new Error(parsed.mistakes.join('\n'));
    // Not the machine's year: the clients of these tests look at no dates.
    const wall = createTestWall(Date.parse('2026-03-02T09:30:00Z'));
    const reportError = (_id: string, error: unknown) => {
      throw error;
    };
    const own = await startSandbox(parsed.options, { reportError, warn: () => undefined }, wall);
    return { own, wall, to: Number(new URL(own.tls?.url ?? '').port) };
  }
  const unchecked = (to: number) =>
    connect({ port: to, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => undefined);

  test('an idle connection ends at once', async () => {
    const { own, to } = await start();
    const socket = unchecked(to);
    socket.write('GET /_sandbox/health HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await once(socket, 'data');
    const ended = once(socket, 'close');
    await own.close();
    await ended;
  });

  test('a request that is still arriving gets a response', async () => {
    const { own, to } = await start();
    const socket = unchecked(to);
    socket.write(toRequest('p').slice(0, -1));
    await fetch(`${own.url}/_sandbox/health`).then((answer) => answer.text());
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    const ended = once(socket, 'end');
    const closing = own.close();
    socket.write(toRequest('p').slice(-1));
    await closing;
    await ended;
    expect(text).toMatch(/^HTTP\/1.1 200 /);
  });

  test.each([
    ['nothing, not even of TLS', (to: number) => connectPlain(to, '127.0.0.1'), 'connect', ''],
    ['nothing once it was secure', unchecked, 'secureConnect', ''],
    ['half a head', unchecked, 'secureConnect', 'POST /sync/projects/p/jobs/batch HTTP/1.1\r\n'],
  ] as const)('disconnects a client that has sent %s after five seconds', async (_what, open, opened, text) => {
    const { own, wall, to } = await start();
    const socket = open(to);
    socket.on('error', () => undefined);
    await once(socket, opened);
    socket.write(text);
    await fetch(`${own.url}/_sandbox/health`).then((answer) => answer.text());
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
