/** Requests whose target is a whole URL, as clients behind a proxy send them, are those of its path and its host. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { send } from '../refusals.ts';

const sandbox = useSandbox({ apiKeys: ['sandbox-key', 'au-key@au'] });
const headers = { apikey: 'sandbox-key', 'content-type': 'application/json', host: 'localhost' };

test.each(['http://localhost', 'HTTP://localhost:4600', 'https://eu.localhost', 'http://me:secret@localhost'])(
  '%s before the path',
  async (base) => {
    const project = freshProject();
    const path = `${base}/sync/projects/${project}/orders?v=/1`;
    const answer = await send(sandbox, { method: 'POST', path, headers, body: '{"orders":[{"id":"O-1"}]}' });
    expect(answer).toMatchObject({ status: 200, body: { ordersReceived: 1 } });
    expect(await sandbox.items(project, 'requests')).toMatchObject([{ path: `/sync/projects/${project}/orders` }]);
    const control = await send(sandbox, { method: 'GET', path: `${base}/_sandbox/projects/${project}/orders/O-1` });
    expect(control).toMatchObject({ status: 200, body: { id: 'O-1' } });
  },
);

test.each([
  ['http://au.localhost', 'eu.localhost', 200],
  ['http://eu.localhost', 'au.localhost', 403],
])('the region follows %s, not the header', async (base, host, status) => {
  const path = `${base}/sync/projects/${freshProject()}/orders`;
  const own = { ...headers, apikey: 'au-key', host };
  expect(await send(sandbox, { method: 'POST', path, headers: own, body: '{"orders":[]}' })).toMatchObject({ status });
});

test('the control API rejects other hosts', async () => {
  const path = 'http://elsewhere.example/_sandbox/projects';
  expect(await send(sandbox, { method: 'GET', path })).toMatchObject({ status: 421 });
});

test.each(['http://localhost?a=1', 'ftp://localhost/jobs', '*'])('%s is unknown', async (path) => {
  expect(await send(sandbox, { method: 'DELETE', path })).toMatchObject({ status: 404 });
});
