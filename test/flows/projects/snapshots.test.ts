/** A snapshot is put back whole: records are replaced, what is pending is cancelled, all else stays. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { emptySnapshot, failLater, frozenProject } from '../callbacks/steps.ts';

const sandbox = useSandbox();
const take = async (project: string) => (await sandbox.control('GET', `/projects/${project}/snapshot`)).body;
const restore = (project: string, body: object) => sandbox.control('PUT', `/projects/${project}/snapshot`, body);

async function fill(project: string): Promise<void> {
  const at = (deviceId: string, minute: number) => ({
    deviceId,
    eventDateTime: `2026-03-02T09:3${minute}:00+11:00`,
    geoJson: { type: 'Point', coordinates: [144.9, -37.8] },
  });
  await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, {
    jobs: [{ id: 'A', tags: ['x'] }, { id: '__proto__' }],
  });
  await sandbox.api('POST', `/sync/projects/${project}/subprojects/north/orders`, {
    orders: [{ id: 'O', status: 'READY' }],
  });
  await sandbox.api('POST', `/sync/projects/${project}/routes/batch`, { routes: [{ id: 'R', jobs: [{ id: 'C' }] }] });
  const locations = [at('D-1', 5), at('D-1', 1), at('D-2', 3)];
  await sandbox.api('POST', `/projects/${project}/locations/batch`, { locations });
  const user = { username: 'jo', type: 'driver', access: 'DRIVER', visibleBy: 'N', password: 'Secret!1' };
  await sandbox.api('POST', `/projects/${project}/users`, user);
}

test('a snapshot restored in the same or another project gives the same records', async () => {
  const project = await frozenProject(sandbox);
  await fill(project);
  const snapshot = await take(project);
  expect(Object.values(snapshot).map((each) => (Array.isArray(each) ? each.length : each))).toEqual([1, 3, 1, 1, 1, 2]);
  expect(JSON.stringify(snapshot)).not.toContain('Secret!1');
  await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, { id: 'A', status: 'DISPATCH' });
  expect(await take(project)).not.toEqual(snapshot);
  const restored = { jobs: 3, orders: 1, routes: 1, users: 1, locations: 2 };
  const cancelled = { instructions: 0, callbacks: 0 };
  expect((await restore(project, snapshot)).body).toEqual({ restored, cancelled });
  expect(await take(project)).toEqual(snapshot);
  const other = freshProject();
  await restore(other, snapshot);
  expect(await take(other)).toEqual(snapshot);
  const trail = (await sandbox.control('GET', `/projects/${other}/locations/D-1`)).body;
  expect(trail.items.map(({ eventDateTime }: { eventDateTime: string }) => eventDateTime.slice(14, 16))).toEqual([
    '31',
    '35',
  ]);
});

test('a restore cancels pending work; journal, clock, scenarios and endpoint stay', async () => {
  const project = await frozenProject(sandbox, 'http://127.0.0.1:9/');
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: ['partial-batch'] });
  await failLater(sandbox, project);
  const before = (await sandbox.control('GET', `/projects/${project}`)).body;
  expect((await restore(project, { ...emptySnapshot, jobs: [{ id: 'X' }] })).body).toEqual({
    restored: { jobs: 1, orders: 0, routes: 0, users: 0, locations: 0 },
    cancelled: { instructions: 1, callbacks: 0 },
  });
  const after = (await sandbox.control('GET', `/projects/${project}`)).body;
  expect(after).toEqual({
    ...before,
    counts: { ...before.counts, jobs: 1, pending: 0 },
    usage: { ...before.usage, records: 1, pending: 0, bytes: expect.any(Number) },
    clock: { ...before.clock, pending: 0 },
  });
  expect(before.scenarios).toEqual(['partial-batch']);
});

test('a hand-written snapshot can be restored and used', async () => {
  const project = await frozenProject(sandbox);
  const { now } = (await sandbox.control('GET', `/projects/${project}/clock`)).body;
  const location = { deviceId: 'D', eventDateTime: '2026-03-02T09:30:00Z' };
  await restore(project, {
    ...emptySnapshot,
    jobs: [{ id: 'A' }],
    users: [{ username: 'jo', password: 'x' }],
    locations: [location],
  });
  expect(await sandbox.items(project, 'jobs')).toEqual([{ id: 'A', createdAt: now, updatedAt: now }]);
  expect(await sandbox.items(project, 'users')).toEqual([{ username: 'jo', createdAt: now, updatedAt: now }]);
  const updated = await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, { id: 'A', status: 'DISPATCH' });
  expect(updated.status).toBe(200);
  expect((await sandbox.control('GET', `/projects/${project}/locations/D`)).body.items).toEqual([location]);
});

describe('rejects an invalid snapshot without a change', () => {
  test.each<[string, object, string]>([
    ['of another version', { ...emptySnapshot, version: 2 }, '/version'],
    ['with a list missing', { ...emptySnapshot, users: undefined }, '/users'],
    ['with a record without an id', { ...emptySnapshot, jobs: [{ id: 'A' }, {}] }, '/jobs/1/id'],
    ['with a record that is none', { ...emptySnapshot, orders: [null] }, '/orders/0'],
    ['with a list it does not know', { ...emptySnapshot, drivers: [] }, '/drivers'],
    [
      'with a trail that is none',
      { ...emptySnapshot, locations: [{ deviceId: 'D', trail: [null] }] },
      '/locations/0/trail/0',
    ],
  ])('%s', async (_, body, path) => {
    const project = freshProject();
    await fill(project);
    const before = await take(project);
    const answer = await restore(project, body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(path);
    expect(await take(project)).toEqual(before);
  });
});
