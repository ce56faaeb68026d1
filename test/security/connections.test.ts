/** Slow and silent clients: they keep nobody out, are let go after a while, and cost no more than a connection each. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { createApiReplies } from '../../src/http/api-replies.ts';
import { createApiServer } from '../../src/http/server.ts';
import type { Problem } from '../../src/lib/problem.ts';
import { createWallClock } from '../../src/lib/time.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { createTestWall } from '../harness/wall.ts';

const sandbox = useSandbox();
const sockets: Socket[] = [];
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

/** So many connections, each of which sends this and then nothing more. */
async function open(count: number, sent: string): Promise<readonly Socket[]> {
  const { hostname, port } = new URL(sandbox.url());
  const opened = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
      socket.write(sent);
      return socket;
    }),
  );
  return opened;
}

const head = 'POST /async/projects/slow/jobs HTTP/1.1\r\nhost: localhost\r\napikey: sandbox-key\r\n';

test('1,000 slow clients do not block other clients', async () => {
  const body = 'content-type: application/json\r\ncontent-length: 1000000\r\n\r\n{"jobs":[';
  await open(250, '');
  await open(250, 'POST /async');
  await open(250, `${head}x-slow: `);
  const slow = await open(250, head + body);
  for (let n = 0; n < 20; n += 1) {
    const project = freshProject();
    expect((await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'A' }] })).status).toBe(202);
    expect((await sandbox.control('GET', `/projects/${project}`)).status).toBe(200);
  }
  expect(slow.every(({ destroyed }) => !destroyed)).toBe(true);
});

describe('the server', () => {
  const never = () => Promise.reject(new Error('never asked'));
  const replies = createApiReplies(shippedProfile, {}, () => false);
  const parts = {
    ...{
      api: never,
      control: never,
      mapTiles: undefined,
      onLoopback: false,
      logError: () => '',
      wall: createWallClock(),
    },
    rejectMalformed: (_request: unknown, problem: Problem) => replies.problem(problem),
    replies,
  };
  const server = createApiServer(parts);

  test('limits the time for headers to 30 s and for a request to 2 minutes', () => {
    expect(server).toMatchObject({ headersTimeout: 30_000, requestTimeout: 120_000, keepAliveTimeout: 5000 });
  });

  test.each([
    ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout', 'request_timeout'],
    ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large', 'headers_too_large'],
    ['HPE_INVALID_METHOD', '400 Bad Request', 'malformed_request'],
  ])('sends a reason before it disconnects: %s', async (code, status, apiCode) => {
    const socket = new PassThrough();
    server.emit('clientError', Object.assign(new Error(), { code }), socket as unknown as Socket);
    const [head, body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(`HTTP/1.1 ${status}\r\n`);
    expect(JSON.parse(body)).toEqual({ message: expect.any(String), code: apiCode });
  });

  test('disconnects a rejected client after 5 s', () => {
    const wall = createTestWall();
    const own = createApiServer({ ...parts, wall });
    const socket = new PassThrough({ allowHalfOpen: true });
    own.emit('clientError', Object.assign(new Error(), { code: 'HPE_INVALID_METHOD' }), socket as unknown as Socket);
    wall.pass(4999);
    expect(socket.destroyed).toBe(false);
    wall.pass(1);
    expect(socket.destroyed).toBe(true);
  });

  test('accepts at most 10,000 connections', () => {
    expect(server.maxConnections).toBe(10_000);
  });
});

test.each([
  ['two lengths', `${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`],
  ['a length and pieces', `${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['a header with a line break within', `${head}x-a: b\r\n c: d\r\n\r\n`],
  ['no HTTP', '\u0016\u0003\u0001\u0000\u0000'],
])('%s is rejected, and the connection closes', async (_what, sent) => {
  const [socket] = (await open(1, sent)) as [Socket];
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(answer).toContain('"code":"malformed_request"');
});

describe.each([
  ['headers', (size: number) => `${head}x-large: ${'x'.repeat(size)}\r\n\r\n`],
  ['a path', (size: number) => `GET /${'x'.repeat(size)} HTTP/1.1\r\nhost: localhost\r\n\r\n`],
])('%s of more than 16 kB', (_what, toText) => {
  // The second is more than the system takes at once: what is not read must not reset the connection.
  test.each([17 * 1024, 1024 ** 2])('are rejected with 431 and the limit: %i bytes', async (size) => {
    const [socket] = (await open(1, toText(size))) as [Socket];
    const [top = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(top).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(top).toContain(`content-length: ${body.length}`);
    expect(JSON.parse(body).code).toBe('headers_too_large');
  });
});
