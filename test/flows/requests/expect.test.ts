/** The header `expect`: 100 only once the body is wanted, and a JSON error for what the sandbox cannot do. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ adminToken: 'token' });
const admin = { authorization: 'Bearer token' };
const body = '{"jobs":[{"id":"J-1"}]}';

/** Sends a head, then the body once there is a response to the head. Returns what the connection received. */
async function exchange(line: string, headers: Readonly<Record<string, string>>, bytes = body): Promise<string> {
  const all = { host: 'localhost', 'content-length': String(bytes.length), connection: 'close', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const { hostname, port } = new URL(sandbox.url());
  const socket = connect(Number(port), hostname);
  socket.write(`${line} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  if (first.toString().startsWith('HTTP/1.1 100 ')) socket.write(bytes);
  return first.toString() + (await text(socket));
}

const json = { 'content-type': 'application/json' };
const keyed = { ...json, apikey: 'sandbox-key' };
const waiting = { expect: '100-continue' };

test.each(['100-continue', '100-Continue'])('%s: 100 comes before the body, then the response', async (value) => {
  const project = freshProject();
  const path = `/async/projects/${project}/jobs`;
  expect(await exchange(`POST ${path}`, { ...keyed, expect: value })).toMatch(
    /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 202 /,
  );
  const control = `PUT /_sandbox/projects/${project}/clock`;
  expect(await exchange(control, { ...json, ...admin, expect: value }, '{"mode":"frozen"}')).toMatch(
    /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /,
  );
});

const jobs = 'POST /async/projects/p/jobs';

test.each([
  ['a wrong key', 401, jobs, { ...keyed, apikey: 'wrong' }],
  ['no key', 401, jobs, json],
  ['another path', 404, 'POST /nowhere', keyed],
  ['another method', 405, 'PUT /async/projects/p/jobs', keyed],
  ['another media type', 415, jobs, { ...keyed, 'content-type': 'text/plain' }],
  ['another coding', 415, jobs, { ...keyed, 'content-encoding': 'zip' }],
  ['a length above the limit', 413, jobs, { ...keyed, 'content-length': '99000000' }],
  ['another host name', 421, jobs, { ...keyed, host: 'rebound.example' }],
  ['control API: no token', 401, 'PUT /_sandbox/projects/p/clock', json],
  ['control API: another path', 404, 'PUT /_sandbox/nowhere', { ...json, ...admin }],
  [
    'control API: a length above the limit',
    413,
    'PUT /_sandbox/projects/p/clock',
    { ...json, ...admin, 'content-length': '99000000' },
  ],
])('no 100 comes if the head decides: %s', async (_, status, line, headers) => {
  const received = await exchange(line, { ...headers, ...waiting });
  expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(received).not.toContain('100 Continue');
});

test.each(['200-ok', 'nothing', ''])(
  'another expectation, %j, is an error in JSON with a journal entry',
  async (value) => {
    const received = await exchange(jobs, { ...keyed, expect: value });
    const [head = '', text = ''] = received.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 417 Expectation Failed\r\n/);
    const message = `the header \`expect\` must be 100-continue, got ${JSON.stringify(value)}: send the request without it`;
    expect(JSON.parse(text)).toEqual({
      message,
      code: 'invalid_request',
      errors: [{ path: 'header:expect', message }],
    });
    const { items } = (await sandbox.control('GET', '/requests?order=newest&limit=1', undefined, admin)).body;
    expect(items).toMatchObject([{ status: 417, request: { method: 'POST', url: '/async/projects/p/jobs' } }]);
    expect(head).toContain(`x-request-id: ${items[0].id}`);
  },
);

test('another expectation of the control API is an error in JSON too', async () => {
  const received = await exchange('PUT /_sandbox/projects/p/clock', { ...json, ...admin, expect: '200-ok' });
  expect(received).toMatch(/^HTTP\/1\.1 417 /);
  expect(JSON.parse(received.split('\r\n\r\n')[1] ?? '').message).toContain('must be 100-continue');
});
