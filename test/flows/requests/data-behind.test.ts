/** Data behind a request that is not HTTP: the request gets its response first, and the journal does not mix up the two. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: 'frozen' });
const malformed = expect.stringContaining('it must begin with a method such as POST');

/** Sends a request and what follows it at once. Returns the status and message of each response. */
async function send(body: string, length: number): Promise<readonly (readonly [number, string])[]> {
  const socket = connect(Number(new URL(sandbox.url()).port), '127.0.0.1');
  const head = [
    'host: localhost',
    'apikey: sandbox-key',
    'content-type: application/json',
    `content-length: ${length}`,
  ];
  socket.write(`POST /async/projects/p/jobs HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`);
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
  const { items } = (await sandbox.control('GET', '/requests?status=400')).body;
  expect(items.at(-1).request).toEqual({ method: '-', url: '-', headers: {} });
});
