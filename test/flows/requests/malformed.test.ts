/** Requests that are not valid HTTP: each mistake has its own explanation, and is in the journal. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

/** Sends bytes, and returns the status, body and headers of the response. */
async function sendBytes(bytes: string): Promise<{ status: number; message: string; head: string }> {
  const { hostname, port } = new URL(sandbox.url());
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(Buffer.from(bytes, 'latin1'));
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), message: JSON.parse(body).message, head };
}

async function lastRequest() {
  const { body } = await sandbox.control('GET', '/requests?order=newest&limit=1');
  return body.items[0];
}

const path = '/async/projects/p/jobs';
const start = `POST ${path} HTTP/1.1\r\nhost: localhost\r\n`;
const chunked = `${start}apikey: sandbox-key\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;

describe('a malformed request is explained, and recorded with its readable part:', () => {
  test.each([
    ['no method', 'hello\r\n\r\n', 'must begin with a method', '-', '-'],
    ['an unknown method', `JUMP ${path} HTTP/1.1\r\nhost: a\r\n\r\n`, 'must begin with a method', 'JUMP', path],
    ['a path in Latin-1', 'GET /a/\xe4 HTTP/1.1\r\nhost: a\r\n\r\n', 'visible ASCII', 'GET', '/a/\xe4'],
    ['another version', `GET ${path} HTTP/9.9\r\nhost: a\r\n\r\n`, 'end with HTTP/1.1', 'GET', path],
    ['a header with a space', `${start}b c: d\r\n\r\n`, 'each header must be NAME: VALUE', 'POST', path],
    ['a control character', `${start}b: \x01\r\n\r\n`, 'each header must be NAME: VALUE', 'POST', path],
    ['a length in letters', `${start}content-length: ten\r\n\r\n`, 'content-length must be', 'POST', path],
    ['two lengths', `${start}content-length: 1\r\ncontent-length: 2\r\n\r\n`, 'content-length must be', 'POST', path],
    ['line breaks without LF', `${start}b: c\rd: e\r\n\r\n`, 'each line of the head must end with CRLF', 'POST', path],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'this is HTTP/2', 'PRI', '*'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00', 'this is TLS', '-', '-'],
  ])('%s', async (_what, bytes, explanation, method, url) => {
    const { status, message, head } = await sendBytes(bytes);
    expect([status, message]).toEqual([400, expect.stringContaining(explanation)]);
    expect(message).toMatch(/^the data is not a valid HTTP\/1\.1 request: /);
    const recorded = await lastRequest();
    expect(recorded).toMatchObject({ project: null, status: 400, request: { method, url, headers: {} } });
    expect(recorded.response.body).toContain(explanation);
    expect(head).toContain(`x-request-id: ${recorded.id}`);
  });

  test('a head above the limit', async () => {
    const { status, message } = await sendBytes(`${start}x: ${'x'.repeat(17_000)}\r\n\r\n`);
    expect([status, message]).toEqual([431, expect.stringContaining('at most 16,384 bytes')]);
    expect(await lastRequest()).toMatchObject({ status: 431, request: { method: 'POST', url: path } });
  });

  test.each([
    ['none', '', 'the header `host` is missing'],
    ['two', 'host: a\r\nHost: b\r\n', 'expected one header `host`, got 2'],
  ])('%s instead of one host', async (_what, hosts, explanation) => {
    const { status, message, head } = await sendBytes(`POST ${path} HTTP/1.1\r\n${hosts}\r\n`);
    expect([status, message]).toEqual([400, expect.stringContaining(explanation)]);
    expect(head.toLowerCase()).toContain('connection: close');
    expect(await lastRequest()).toMatchObject({ status: 400, request: { method: 'POST', url: path } });
  });
});

test('HTTP/1.0 needs no host', async () => {
  const { status } = await sendBytes(`POST ${path} HTTP/1.0\r\n\r\n`);
  expect(status).toBe(401);
});

test.each(['zz\r\n', '2\r\n{}xx\r\n'])(
  'a broken chunk is explained, and the journal has the request: %j',
  async (chunk) => {
    const project = freshProject();
    const { status, message } = await sendBytes(chunked.replace('/p/', `/${project}/`) + chunk);
    expect([status, message]).toEqual([400, expect.stringContaining('the chunked body is broken')]);
    // The request ends with its connection, after this response.
    const { body } = await sandbox.control('GET', `/projects/${project}/requests?await=10s`);
    expect(body.items).toMatchObject([{ operation: 'asyncImportJobs', status: 400, project }]);
    expect(body.items[0].response.body).toContain('the body is incomplete');
  },
);

test('a malformed request to the control API is not in the journal', async () => {
  const before = await lastRequest();
  await sendBytes('GET /_sandbox/projects HTTP/1.1\r\n\r\n');
  await sendBytes('GET /_sandbox/projects HTTP/1.1\r\nb c: d\r\n\r\n');
  expect(await lastRequest()).toEqual(before);
});

test('a key in the path of a malformed request is redacted', async () => {
  await sendBytes('GET /a?apikey=sandbox-key HTTP/9.9\r\nhost: a\r\n\r\n');
  expect((await lastRequest()).request.url).toBe('/a?apikey=***');
});

test('of 1,500 headers, the last counts too', async () => {
  const headers = `${'a:b\r\n'.repeat(1500)}apikey: sandbox-key\r\n`;
  const body = '{"jobs":[]}';
  const type = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
  const { hostname, port } = new URL(sandbox.url());
  const socket = connect(Number(port), hostname);
  socket.write(start + headers + type + body);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 202 /);
});
