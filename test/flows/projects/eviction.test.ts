/** With more projects than the maximum, the oldest idle one is evicted. */

import { once } from 'node:events';
import { request as createRequest } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { maxProjects } from '../../../src/project/registry.ts';
import { readEvents } from '../../harness/event-reader.ts';
import { freshProject, type TestSandbox, useSandbox } from '../../harness/sandbox.ts';
import { useFolders } from '../data-steps.ts';
import { sendPipelined } from '../pipeline.ts';

const sandbox = useSandbox();
const tenants = useSandbox({ adminToken: 'secret' });
const { fresh, start } = useFolders();

const metOf = async (path: string) =>
  (await sandbox.control('GET', `${path}/coverage?operation=registerUser`)).body.failures.met;

const toRequest = (_: unknown, n: number) => ({
  method: 'POST',
  path: `/sync/projects/crowd-${n}/orders`,
  body: { orders: [] },
});
const listed = async ({ control }: TestSandbox, headers = {}): Promise<readonly string[]> => {
  const { items } = (await control('GET', '/projects?limit=1000', undefined, headers)).body;
  return items.map(({ id }: { id: string }) => id);
};

test('an evicted project sends a reset event and has no coverage, but that of all projects keeps its counts', async () => {
  const [looked, first] = [freshProject(), freshProject()];
  await sandbox.freeze(looked);
  await sandbox.freeze(first);
  expect((await sandbox.api('POST', `/projects/${first}/users`, {})).status).toBe(400);
  const events = await readEvents(`${sandbox.url()}/_sandbox/events?project=${first}`);
  const requests = Array.from({ length: maxProjects - 1 }, toRequest);
  const statuses = await sendPipelined(sandbox.url(), requests.slice(1));
  expect(statuses).toEqual(Array(maxProjects - 2).fill(200));
  // Looking at a project counts as using it; lists of all do not.
  for (const path of [`projects/${looked}`, 'requests?within=1d&limit=1000', 'projects?limit=1000']) {
    expect((await sandbox.control('GET', `/${path}`)).status).toBe(200);
  }
  await sendPipelined(sandbox.url(), requests.slice(0, 1));
  expect(await events.take(1)).toMatchObject([{ kind: 'change', data: { what: 'reset', project: first } }]);
  events.leave();
  const projects = await listed(sandbox);
  expect(projects).toHaveLength(maxProjects);
  expect(projects).toContain(looked);
  expect(projects).not.toContain(first);
  expect((await sandbox.control('GET', `/requests?project=${first}`)).body.items).toEqual([]);
  expect([await metOf(`/projects/${first}`), await metOf('')]).toEqual([0, 1]);
});

test('a project is not evicted while a request sends its body', async () => {
  const used = freshProject();
  await sandbox.freeze(used);
  await sandbox.api('POST', `/sync/projects/${used}/orders`, { orders: [{ id: 'O-1' }] });
  const body = JSON.stringify({ orders: [{ id: 'O-1' }] });
  const slow = createRequest(`${sandbox.url()}/sync/projects/${used}/orders`, {
    method: 'POST',
    headers: {
      ...{ apikey: 'sandbox-key', 'content-type': 'application/json', expect: '100-continue' },
      'content-length': body.length,
    },
  });
  slow.flushHeaders();
  // The sandbox asks for the body when the request has entered its project.
  await once(slow, 'continue');
  await sendPipelined(sandbox.url(), Array.from({ length: maxProjects }, toRequest));
  slow.end(body);
  const [response] = await once(slow, 'response');
  expect(await json(response)).toMatchObject({ failed: [{ id: 'O-1' }] });
  await sendPipelined(sandbox.url(), Array.from({ length: maxProjects }, toRequest));
  expect(await listed(sandbox)).not.toContain(used);
});

test('with an admin token and without files, no project is evicted for a new one', async () => {
  const authorization = { authorization: 'Bearer secret' };
  const requests = Array.from({ length: maxProjects + 1 }, toRequest);
  const statuses = await sendPipelined(tenants.url(), requests);
  expect(statuses).toEqual([...Array(maxProjects).fill(200), 507]);
  const projects = await listed(tenants, authorization);
  expect(projects).toContain('crowd-0');
  await tenants.control('POST', '/projects/crowd-0/reset', undefined, authorization);
  expect(await sendPipelined(tenants.url(), requests.slice(-1))).toEqual([200]);
});

test('a reset of all projects counts those that are evicted to files', async () => {
  const { sandbox: kept, control } = await start(fresh());
  const requests = Array.from({ length: maxProjects + 1 }, toRequest);
  const statuses = [
    ...(await sendPipelined(kept.url, requests.slice(1))),
    ...(await sendPipelined(kept.url, requests.slice(0, 1))),
  ];
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await control('POST', '/reset')).body.projects).toBe(maxProjects + 1);
});
