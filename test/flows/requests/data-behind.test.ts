/** Data behind a request that is not HTTP: the request gets its response first, and the journal does not mix up the two. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: 'frozen' });
const malformed = expect.stringContaining('it must begin with a method such as POST');

/** Sends a request and what follows it at once. Returns the status and message of each response. */
async function send(body: string, length: number, line = 'POST /async/projects/p/jobs') {
  const socket = connect(Number(new URL(sandbox.url()).port), '127.0.0.1');
  const head = [
    'host: localhost',
    'apikey: sandbox-key',
    'content-type: application/json',
    `content-length: ${length}`,
  ];
  socket.write(`${line} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`);
  const answers = (await text(socket)).split(/HTTP\/1\.1 (?=\d{3} )/).slice(1);
  return answers.map((answer) => [Number(answer.slice(0, 3)), JSON.parse(answer.split('\r\n\r\n')[1] ?? '').message]);
}

test('a content-length in characters instead of bytes', async () => {
  const body = '{"jobs":[{"id":"Zürich"}]}';
  expect(await send(body, body.length)).toEqual([
    [400, expect.stringContaining('it may be cut off')],
    [400, malformed],
  ]);
});

test('a request whose response is delayed', async () => {
  const late = { name: 'late', rules: [{ when: { operation: '*' }, then: { latency: '50ms' } }] };
  expect((await sandbox.control('PUT', '/projects/p/scenarios/late', late)).status).toBe(200);
  const body = '{"jobs":[{"id":"A"}]}';
  expect(await send(`${body}GARBAGE\r\n\r\n`, body.length)).toEqual([
    [202, undefined],
    [400, malformed],
  ]);
  const { items } = (await sandbox.control('GET', '/requests')).body;
  expect(items.at(-2).request.method).toBe('POST');
  expect(items.at(-1).request).toEqual({ method: '-', url: '-', headers: {} });
});

test('a request of the control API, which the journal does not have', async () => {
  const before = (await sandbox.control('GET', '/requests')).body;
  expect(await send('GARBAGE\r\n\r\n', 0, 'GET /_sandbox/health')).toEqual([
    [200, undefined],
    [400, malformed],
  ]);
  expect((await sandbox.control('GET', '/requests')).body).toEqual(before);
});
