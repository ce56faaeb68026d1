/** The events of one id: what requests, callbacks and attempts did to it, and why it never came to be. */
import { expect, test } from 'vitest';
import { createWallClock } from '../../../src/lib/time.ts';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const forgetful = useSandbox({ profile: writeProfile({ limits: { journal: 1 } }) });

/** Delays of ten minutes, which end when the test says so. */
const waiting = new Set<() => void>();
const system = createWallClock();
const wall = {
  ...system,
  after: (ms: number, run: () => void) => {
    if (ms !== 600_000) return system.after(ms, run);
    waiting.add(run);
    return () => waiting.delete(run);
  },
};
const slow = useSandbox({}, shippedProfile, wall);

interface Event {
  readonly at: string;
  readonly kind: string;
  readonly requestId?: string;
  readonly reason?: string;
  readonly changes?: readonly unknown[];
}

const jobs = (project: string, ...list: readonly object[]) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: list });

async function entity(project: string, id: string, query = '') {
  const { status, body } = await sandbox.control(
    'GET',
    `/projects/${project}/entities/${encodeURIComponent(id)}${query}`,
  );
  expect(status).toBe(200);
  return body as { id: string; records: unknown; items: readonly Event[]; next?: string };
}

const kinds = ({ items }: { items: readonly Event[] }): readonly string[] => items.map(({ kind }) => kind);

test('shows the requests, changed fields and times of a job, without those of others', async () => {
  const project = freshProject();
  const created = await jobs(project, { id: 'JOB-2', address: { locality: 'Bonn' } }, { id: 'JOB-29720' });
  expect(kinds(await entity(project, 'JOB-2'))).toEqual(['request', 'pending']);
  await sandbox.advance(project);
  await jobs(project, { id: 'JOB-29720' });
  const update = { id: 'JOB-2', status: 'DISPATCH', address: { locality: 'Köln' } };
  await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, update);
  const { records, items } = await entity(project, 'JOB-2');
  expect(records).toEqual([{ collection: 'jobs', isPresent: true }]);
  expect(items).toMatchObject([
    {
      kind: 'request',
      at: '2026-03-02T09:30:00.000Z',
      status: 202,
      change: 1,
      requestId: created.headers['x-request-id'],
    },
    { kind: 'applied', at: '2026-03-02T09:30:00.200Z', collection: 'jobs', operation: 'asyncImportJobs' },
    { kind: 'request', status: 200, operation: 'syncUpdateJob' },
    { kind: 'applied', at: '2026-03-02T09:30:00.200Z' },
  ]);
  expect(items[1]?.changes).toEqual([
    { path: '/id', to: 'JOB-2' },
    { path: '/address/locality', to: 'Bonn' },
    { path: '/trackingId', to: expect.stringMatching(/^TRK-/) },
  ]);
  expect(items[3]?.changes).toEqual([
    { path: '/address/locality', from: 'Bonn', to: 'Köln' },
    { path: '/status', to: 'DISPATCH' },
  ]);
});

test('says why ids were rejected, and shows callbacks only to the ids that they list', async () => {
  const project = freshProject();
  await jobs(project, { id: 'JOB-1' }, { id: 'FAIL-2' }, { id: 'REFUSE-3' }, { id: 'JOB-4', deliveryDate: 'soon' });
  await sandbox.advance(project);
  expect(kinds(await entity(project, 'JOB-1'))).toEqual(['request', 'applied']);
  const failed = await entity(project, 'FAIL-2');
  expect(failed.records).toEqual([{ collection: 'jobs', isPresent: false }]);
  expect(kinds(failed)).toEqual(['request', 'failed', 'callback', 'attempt']);
  expect(failed.items[1]).toMatchObject({ reason: expect.stringContaining('FAIL'), callbackId: expect.any(String) });
  expect(kinds(await entity(project, 'REFUSE-3'))).toEqual(['request', 'rejected']);
  const rejected = await entity(project, 'JOB-4');
  expect(kinds(rejected)).toEqual(['request', 'rejected']);
  expect(rejected.items[1]?.reason).toContain('deliveryDate');
  expect(await entity(project, 'JOB')).toEqual({ id: 'JOB', records: [], items: [] });
});

test('finds ids that are escaped, numbers, in the URL, and of entries that are named twice', async () => {
  const project = freshProject();
  const text = '{"jobs":[{"id":"JOB\\u002d1"},{"id":7},{"id":"TWICE"},{"id":"TWICE"}]}';
  await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, text, { 'content-type': 'application/json' });
  expect(kinds(await entity(project, 'JOB-1'))).toEqual(['request', 'applied']);
  expect(kinds(await entity(project, '7'))).toEqual(['request', 'rejected']);
  // The first of the two was stored, the second is a duplicate.
  expect(kinds(await entity(project, 'TWICE'))).toEqual(['request', 'rejected', 'applied']);
  await sandbox.api('PATCH', `/sync/projects/${project}/orders/${encodeURIComponent('O/1 ä')}`, { status: 'READY' });
  expect(kinds(await entity(project, 'O/1 ä'))).toEqual(['request', 'rejected']);
});

test('says why a request was rejected as a whole', async () => {
  const project = freshProject();
  await sandbox.api('POST', `/sync/projects/${project}/jobs`, { id: 'JOB-1', status: 'DELIVERD' });
  const [, rejected] = (await entity(project, 'JOB-1')).items;
  expect(rejected).toMatchObject({ kind: 'rejected', reason: expect.stringContaining('/status: ') });
  await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, { id: 'JOB-1', status: 'DISPATCH' });
  expect((await entity(project, 'JOB-1')).items[3]).toMatchObject({ kind: 'rejected', reason: 'job JOB-1 is unknown' });
});

test('a job of a route, the route, a user and a device have events of their own', async () => {
  const project = freshProject();
  const route = { id: 'R-1', jobs: [{ id: 'JOB-1' }, { id: 'JOB-2' }] };
  await sandbox.api('POST', `/sync/projects/${project}/routes/batch`, { routes: [route] });
  const ofRoute = await entity(project, 'R-1');
  expect(ofRoute.items[1]?.changes).toContainEqual({ path: '/jobs', to: ['JOB-1', 'JOB-2'] });
  const ofJob = await entity(project, 'JOB-2');
  expect(ofJob.items[1]?.changes).toContainEqual({ path: '/routeId', to: 'R-1' });
  const user = { username: 'ana', password: 'Gehe1m!', type: 'driver', visibleBy: 'S-1', access: 'DRIVER' };
  await sandbox.api('POST', `/projects/${project}/users`, user);
  const ofUser = await entity(project, 'ana');
  expect(ofUser.records).toEqual([{ collection: 'users', isPresent: true }]);
  expect(JSON.stringify(ofUser)).not.toContain('Gehe1m!');
  const seen = (longitude: number, time: string) =>
    sandbox.api('POST', `/projects/${project}/locations`, {
      deviceId: 'D-1',
      eventDateTime: time,
      geoJson: { type: 'Point', coordinates: [longitude, 2] },
    });
  await seen(1, '2026-03-02T09:30:00Z');
  await seen(3, '2026-03-02T09:00:00Z');
  // The older location changes nothing.
  expect((await entity(project, 'D-1')).items.map(({ changes }) => changes?.length)).toEqual([
    undefined,
    4,
    undefined,
    0,
  ]);
});

test('a restored snapshot, a fork and a route of others are events too', async () => {
  const project = freshProject();
  await sandbox.api('POST', `/sync/projects/${project}/routes/batch`, {
    routes: [{ id: 'R-1', jobs: [{ id: 'JOB-1' }] }],
  });
  await sandbox.control('POST', `/projects/${project}/fork`, { to: `${project}-fork` });
  const [copied] = (await entity(`${project}-fork`, 'JOB-1')).items;
  expect(copied).toMatchObject({ kind: 'applied', reason: expect.stringContaining('copied') });
  const { body: snapshot } = await sandbox.control('GET', `/projects/${project}/snapshot`);
  const job = { ...snapshot.jobs[0], status: 'DELIVERED' };
  await sandbox.control('PUT', `/projects/${project}/snapshot`, { ...snapshot, jobs: [job] });
  const last = (await entity(project, 'JOB-1')).items.at(-1);
  expect(last).toMatchObject({ operation: 'putSnapshot', changes: [{ path: '/status', to: 'DELIVERED' }] });
});

test('a request that a scenario answered is shown with what it did', async () => {
  const project = freshProject();
  const rule = (processed: boolean) => ({
    scenarios: [{ name: 'down', rules: [{ name: 'r', then: { respond: { status: 503 }, processed } }] }],
  });
  await sandbox.control('PUT', `/projects/${project}/scenarios`, rule(false));
  await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'O-1' }] });
  expect(kinds(await entity(project, 'O-1'))).toEqual(['request', 'rejected']);
  await sandbox.control('PUT', `/projects/${project}/scenarios`, rule(true));
  await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'O-1' }] });
  const { items } = await entity(project, 'O-1');
  expect(items.slice(2)).toMatchObject([{ kind: 'request', status: 503 }, { kind: 'applied' }]);
});

test('pages go in both orders, and stay in place while events are added', async () => {
  const project = freshProject();
  const update = (status: string) => sandbox.api('PATCH', `/sync/projects/${project}/jobs`, { id: 'JOB-1', status });
  await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: [{ id: 'JOB-1' }] });
  await update('DISPATCH');
  const first = await entity(project, 'JOB-1', '?limit=3&order=newest');
  expect(kinds(first)).toEqual(['applied', 'request', 'applied']);
  await update('DELIVERED');
  const second = await entity(project, 'JOB-1', `?limit=3&order=newest&cursor=${first.next}`);
  expect(kinds(second)).toEqual(['request']);
  expect(second).not.toHaveProperty('next');
  const all = await entity(project, 'JOB-1');
  const page = await entity(project, 'JOB-1', '?limit=4');
  const rest = await entity(project, 'JOB-1', `?limit=4&cursor=${page.next}`);
  expect([...page.items, ...rest.items]).toEqual(all.items);
  const bad = await sandbox.control('GET', `/projects/${project}/entities/JOB-1?cursor=no`);
  expect(bad.status).toBe(400);
});

test('a change by a request that names another record is an event of that request', async () => {
  const project = freshProject();
  const import_ = (id: string) =>
    sandbox.api('POST', `/sync/projects/${project}/routes/batch`, { routes: [{ id, jobs: [{ id: 'JOB-1' }] }] });
  await import_('R-1');
  const moved = await import_('R-2');
  const { items } = await entity(project, 'R-1');
  expect(items.slice(2)).toMatchObject([
    { kind: 'request', requestId: moved.headers['x-request-id'] },
    { kind: 'applied', collection: 'routes', changes: [{ path: '/jobs', from: ['JOB-1'], to: [] }] },
  ]);
});

test('what an update changed is exact, even if the journal has dropped the import', async () => {
  const project = freshProject();
  const url = `/sync/projects/${project}/jobs`;
  await forgetful.api('POST', `${url}/batch`, { jobs: [{ id: 'JOB-1', address: { locality: 'Bonn' } }] });
  await forgetful.api('PATCH', url, { id: 'JOB-1', status: 'DISPATCH', address: { locality: 'Köln' } });
  const { body } = await forgetful.control('GET', `/projects/${project}/entities/JOB-1`);
  expect(body.items).toMatchObject([
    { kind: 'request' },
    { kind: 'applied', changes: [{ path: '/address/locality', from: 'Bonn', to: 'Köln' }, { path: '/status' }] },
  ]);
});

test('a request whose response is delayed shows what was applied before it', async () => {
  const project = freshProject();
  await slow.control('PUT', `/projects/${project}/clock`, { mode: 'frozen' });
  const rule = { then: { latency: '10m' } };
  await slow.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'slow', rules: [rule] }] });
  const sent = slow.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'JOB-1' }] });
  await expect.poll(() => waiting.size).toBe(1);
  await slow.advance(project);
  for (const respond of waiting) respond();
  await sent;
  const { body } = await slow.control('GET', `/projects/${project}/entities/JOB-1`);
  expect(kinds(body)).toEqual(['request', 'applied']);
});
