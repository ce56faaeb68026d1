/** Connections: how long and how large a request may be, and what is said before one is closed. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { createApiReplies, type Reply } from '../../src/http/reply.ts';
import { createApiServer } from '../../src/http/server.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { useSandbox } from '../harness/sandbox.ts';
import { createTestWall } from '../harness/wall.ts';

const sandbox = useSandbox();
const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

/** A connection that sends this and then nothing more. */
async function open(sent: string): Promise<Socket> {
  const { hostname, port } = new URL(sandbox.url());
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(sent);
  return socket;
}

const head = 'POST /async/projects/slow/jobs HTTP/1.1\r\nhost: localhost\r\napikey: sandbox-key\r\n';

describe('the server', () => {
  const replies = createApiReplies(shippedProfile, {}, () => false);
  const bugs: unknown[] = [];
  const answers: Reply[] = [];
  const answer = () => Promise.resolve(answers.shift() as Reply);
  const wall = createTestWall();
  const server = createApiServer({
    ...{ api: answer, control: answer, mapTiles: undefined, onLoopback: false, replies, wall },
    logError: (error) => `bug-${bugs.push(error)}`,
    rejectMalformed: (_request, problem) => replies.problem(problem),
  });
  afterAll(() => server.close());

  /** Lets node find an error in what a client has sent. */
  function fail(code: string): PassThrough {
    const socket = new PassThrough({ allowHalfOpen: true });
    server.emit('clientError', Object.assign(new Error(), { code }), socket as unknown as Socket);
    return socket;
  }

  test('limits the time for headers to 30 s and for a request to 2 minutes', () => {
    expect(server).toMatchObject({ headersTimeout: 30_000, requestTimeout: 120_000, keepAliveTimeout: 5000 });
  });

  test('accepts at most 10,000 connections', () => {
    expect(server.maxConnections).toBe(10_000);
  });

  test('sends a reason before it disconnects a client that is too slow', async () => {
    const [head, body = ''] = (await text(fail('ERR_HTTP_REQUEST_TIMEOUT'))).split('\r\n\r\n');
    expect(head).toMatch('HTTP/1.1 408 Request Timeout\r\n');
    expect(JSON.parse(body)).toEqual({ message: expect.any(String), code: 'request_timeout' });
  });

  test('disconnects a rejected client after 5 s', () => {
    const socket = fail('HPE_INVALID_METHOD');
    wall.pass(4999);
    expect(socket.destroyed).toBe(false);
    wall.pass(1);
    expect(socket.destroyed).toBe(true);
  });

  test('logs a response that Node rejects as a bug, and the next request gets a response', async () => {
    answers.push({ status: 200, headers: { 'x-bad': 'two\nlines' }, body: '{}' });
    answers.push({ status: 200, headers: {}, body: 'well' });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jobs`;
    await expect(fetch(url)).rejects.toThrow('fetch failed');
    expect(bugs).toHaveLength(1);
    expect(await (await fetch(url)).text()).toBe('well');
  });
});

// More than the system takes at once: what is not read must not reset the connection.
test.each([
  ['headers', `${head}x-large: ${'x'.repeat(1024 ** 2)}\r\n\r\n`],
  ['a path', `GET /${'x'.repeat(1024 ** 2)} HTTP/1.1\r\nhost: localhost\r\n\r\n`],
])('%s of a megabyte get 431 and the limit', async (_what, sent) => {
  const [top = '', body = ''] = (await text(await open(sent))).split('\r\n\r\n');
  expect(top).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
  expect(top).toContain(`content-length: ${body.length}`);
  expect(JSON.parse(body).code).toBe('headers_too_large');
});
