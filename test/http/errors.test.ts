/**
 * The catalogue of errors, as the API and the control API answer them: other tests need not repeat the sentences.
 * `npx vitest run test/http/errors.test.ts -u` writes `errors.txt`.
 */
import { once } from 'node:events';
import { STATUS_CODES } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import apiSource from '../../spec/openapi.yaml';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { send, type WireRequest } from '../flows/refusals.ts';
import { writeProfile } from '../harness/profile.ts';
import { useSandbox } from '../harness/sandbox.ts';

const apiKeys = ['sandbox-key', 'aussie@au', 'one=p-one'];
const limits = { ...shippedProfile.limits, entries: 2, project: { ...shippedProfile.limits.project, records: 1 } };
const scenario = JSON.stringify({
  name: 'catalogue',
  rules: [
    { name: 'limit', when: { operation: 'updateUser' }, then: { limit: { requests: 1, per: '1m' } } },
    ...[408, 418, 500, 502, 503, 504].map((status) => ({
      name: `status ${status}`,
      when: { operation: 'submitLocation', project: `p-${status}` },
      then: { respond: { status } },
    })),
  ],
});
const sandbox = useSandbox(
  {
    ...{ apiKeys, scenarios: [scenario], clock: 'frozen' },
    profile: writeProfile({ limits: { entries: 2, project: { records: 1 } } }),
  },
  { ...shippedProfile, limits },
);
const guarded = useSandbox({ adminToken: 'token' });

interface Reply {
  readonly status: number;
  readonly body: { readonly message: string; readonly code?: string; readonly errors?: readonly { path: string }[] };
}

/** Sends what no HTTP client would. */
async function sendBytes(bytes: string): Promise<Reply> {
  const { hostname, port } = new URL(sandbox.url());
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
}

const api =
  (method: string, path: string, body: unknown = {}, headers?: Record<string, string | undefined>) =>
  () =>
    sandbox.api(method, path, body, headers);
const wire = (request: WireRequest) => () => send(sandbox, request);
const control = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => () =>
  sandbox.control(method, path, body, headers);
const jobs = '/sync/projects/p/jobs/batch';
const users = '/projects/p/users';
const places = '/projects/p/locations';
const position = { geoJson: { type: 'Point', coordinates: [1, 2] } };
const location = { deviceId: 'D-1', eventDateTime: '2026-03-02T09:30:00Z', ...position };
/** The document does not declare all of these statuses. */
const planned = (status: number) =>
  wire({ method: 'POST', path: `/projects/p-${status}/locations`, body: JSON.stringify(location) });

const rows: readonly (readonly [what: string, ask: () => Promise<Reply>])[] = [
  ['a field of another type', api('POST', jobs, { jobs: {} })],
  ['a body that is not JSON', api('POST', jobs, '{"jobs":[')],
  [
    'a long line that is not JSON',
    api('POST', jobs, `{"jobs":[${'{"id":"A","note":"at the door"},'.repeat(200)}{"id":}]}`),
  ],
  ['a long line that may have a password', api('POST', users, `{"${'x'.repeat(200)}":1,"password":"Sunrise#1",}`)],
  ['a list in place of its object', api('POST', jobs, [{ id: 'A' }])],
  ['a record in place of a list', api('POST', jobs, { id: 'A' })],
  ['a record in place of a list, of routes', api('POST', '/sync/projects/p/routes/batch', { id: 'A' })],
  ['a list in place of a record', api('POST', '/sync/projects/p/jobs', { jobs: [{ id: 'A' }] })],
  ['a list of others', api('POST', '/sync/projects/p/orders', { jobs: [{ id: 'A' }] })],
  ['a route in place of a list', api('POST', '/sync/projects/p/routes/batch', { id: 'R', jobs: [{ id: 'A' }] })],
  ['a misspelled list', api('POST', jobs, { job: [{ id: 'A' }] })],
  ['another name of an id', api('POST', places, { ...location, deviceId: undefined, id: 'D-1' })],
  ...['2026-13-02T09:30:00Z', '2026-02-29T09:30:00Z', '2026-03-02T24:30:00Z', '2026-03-02T09:30:00+25:00'].map(
    (eventDateTime) => [`the time ${eventDateTime}`, api('POST', places, { ...location, eventDateTime })] as const,
  ),
  ...['2026-03-02T09:30:00', '2026-13-02T09:30:00', '2026-03-02', '2026-367T09:30Z', 'yesterday'].map(
    (eventDateTime) => [`the time ${eventDateTime}`, api('POST', places, { ...location, eventDateTime })] as const,
  ),
  ['two slashes', api('POST', `/${jobs}`)],
  ['an empty project', api('POST', '/sync/projects//jobs/batch')],
  ['a read', api('GET', '/async/projects/p/subprojects/north/jobs')],
  ['no body', wire({ method: 'POST', path: jobs })],
  ['an invalid percent-encoding', wire({ method: 'POST', path: '/sync/projects/%zz/jobs/batch', body: '{}' })],
  ['an unknown scenario', api('POST', jobs, { jobs: [] }, { 'x-sandbox-scenario': 'outge' })],
  ['data that is not HTTP', () => sendBytes('nonsense\r\n\r\n')],
  ['no key', api('POST', jobs, {}, { apikey: undefined })],
  ['an unknown key', api('POST', jobs, {}, { apikey: 'guessed' })],
  ['a key of another project', api('POST', jobs, {}, { apikey: 'one' })],
  ['a key of another region', api('POST', jobs, {}, { apikey: 'aussie', host: 'eu.localhost' })],
  ['an unknown path', api('POST', '/sync/projects/p/jobz')],
  ['an unknown record', api('PATCH', '/sync/projects/p/orders/O-1', { status: 'READY' })],
  ['an unsupported method', api('DELETE', jobs)],
  ['a record that exists', api('POST', '/sync/projects/p/jobs', { id: 'J-1', status: 'PENDING', address: {} })],
  ['too many entries', api('POST', jobs, { jobs: [{}, {}, {}] })],
  ['a large body', api('POST', jobs, ' '.repeat(17 * 1024 ** 2))],
  ['another content type', api('POST', jobs, '{}', { 'content-type': 'text/plain' })],
  ['an unknown content encoding', api('POST', jobs, '{}', { 'content-encoding': 'zip' })],
  [
    'a downstream system that rejects',
    api('POST', '/sync/projects/p-fail/jobs', { id: 'FAIL-1', status: 'PENDING', address: {} }),
  ],
  ['too many requests', api('PATCH', '/projects/p/users/ana', { firstName: 'Ana' })],
  ['large headers', () => sendBytes(`GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`)],
  ['a full project', api('POST', '/sync/projects/p/jobs', { id: 'J-2', status: 'PENDING', address: {} })],
  ...[408, 418, 500, 502, 503, 504].map((status) => [`a scenario with status ${status}`, planned(status)] as const),
  ['control: an invalid body', control('PUT', '/projects/p/clock', { mode: 'frozn' })],
  ['control: an invalid parameter', control('GET', '/requests?limit=0')],
  ['control: no admin token', () => guarded.control('GET', '/projects')],
  ['control: a wrong admin token', () => guarded.control('GET', '/projects', undefined, { authorization: 'Bearer x' })],
  ['control: a page of another origin', control('GET', '/projects', undefined, { origin: 'https://else.test' })],
  ['control: an unknown path', control('GET', '/project')],
  ['control: an unknown record', control('GET', '/projects/p/jobs/J-9')],
  ['control: an unsupported method', control('DELETE', '/projects')],
  ['control: a clock that runs', control('POST', '/projects/p-real/clock/advance', { by: '1s' })],
  ['control: another host name', control('GET', '/projects', undefined, { host: 'rebound.example' })],
];

test('every error has its status, code and text', async () => {
  await sandbox.api('POST', '/sync/projects/p/jobs', { id: 'J-1', status: 'PENDING', address: {} });
  await sandbox.api('PATCH', '/projects/p/users/ana', { firstName: 'Ana' });
  await sandbox.control('PUT', '/projects/p-real/clock', { mode: 'real' });
  const blocks: string[] = [];
  const seen = new Set<string | undefined>();
  for (const [what, ask] of rows) {
    const { status, body } = await ask();
    seen.add(body.code);
    const paths = (body.errors ?? []).map(({ path }) => `\n  at ${path === '' ? '(the body)' : path}`);
    blocks.push(
      `${what}: ${status} ${STATUS_CODES[status]}, ${body.code ?? 'no code'}\n  ${body.message}${paths.join('')}`,
    );
  }
  await expect(`${blocks.join('\n\n')}\n`).toMatchFileSnapshot('errors.txt');
  seen.delete(undefined);
  const { schemas } = (apiSource as { components: { schemas: Record<string, { enum?: readonly string[] }> } })
    .components;
  expect([...seen].toSorted()).toEqual(schemas['ErrorCode']?.enum?.toSorted());
});
