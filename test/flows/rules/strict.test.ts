/** `--strict`: what is usually accepted with a warning is refused. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ strict: 'true' });

test('an unknown field of an entry refuses the entry, not its neighbours', async () => {
  const project = freshProject();
  const jobs = [{ id: 'J-1', custmer: {} }, { id: 'J-2' }];
  const response = await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
  expect(response.headers).not.toHaveProperty('x-sandbox-warnings');
  const reason = 'custmer: unknown field "custmer", did you mean customer?';
  expect(response.body).toMatchObject({ failed: [{ id: 'J-1', reason }], jobsReceived: 1 });
});

test('an unknown field of a single record, or beside a list, is a 400', async () => {
  const project = freshProject();
  const job = { id: 'J-1', status: 'READY', address: {}, colour: 'red' };
  const alone = await sandbox.api('POST', `/sync/projects/${project}/jobs`, job);
  expect(alone.status).toBe(400);
  expect(alone.body.errors).toEqual([{ path: '/colour', message: 'unknown field "colour"' }]);
  const beside = await sandbox.api('POST', `/async/projects/${project}/orders`, { orders: [], dryRun: true });
  expect(beside.status).toBe(400);
  expect(beside.body.errors).toEqual([{ path: '/dryRun', message: 'unknown field "dryRun"' }]);
  expect(await sandbox.items(project, 'jobs')).toEqual([]);
});

test('trackingId in an update, and address in an order import, are unknown fields', async () => {
  const project = freshProject();
  const jobs = [{ id: 'J-1', trackingId: 'T-1' }];
  const update = await sandbox.api('PATCH', `/async/projects/${project}/jobs`, { jobs });
  expect(update.body).toMatchObject({ failed: [{ id: 'J-1' }], jobsReceived: 0 });
  const orders = [{ id: 'O-1', address: {} }];
  const imported = await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders });
  expect(imported.body).toMatchObject({ failed: [{ id: 'O-1' }], ordersReceived: 0 });
});

test('coordinates out of range refuse', async () => {
  const geoJson = { type: 'Point', coordinates: [-27.5, 153] };
  const location = { deviceId: 'van-1', eventDateTime: '2026-03-02T09:30:00Z', geoJson };
  const response = await sandbox.api('POST', `/projects/${freshProject()}/locations`, location);
  expect(response.status).toBe(400);
  expect(response.body.errors).toEqual([
    {
      path: '/geoJson/coordinates',
      message: expect.stringContaining('expected longitude (-180 to 180), then latitude'),
    },
  ]);
});

test('an update by the URL of another subproject than the record’s is refused downstream', async () => {
  const project = freshProject();
  await sandbox.freeze(project);
  await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: [{ id: 'J-1', subProjectId: 'home' }] });
  const update = { id: 'J-1', status: 'DISPATCH' };
  const alone = await sandbox.api('PATCH', `/sync/projects/${project}/subprojects/outer/jobs`, update);
  expect(alone.status).toBe(422);
  expect(alone.body.message).toContain('subproject home');
  const path = `/async/projects/${project}/subprojects/outer/jobs`;
  expect((await sandbox.api('PATCH', path, { jobs: [update] })).body.jobsReceived).toBe(1);
  expect(await sandbox.advance(project)).toMatchObject({ processed: 1, delivered: 1 });
  expect((await sandbox.items(project, 'jobs'))[0]).not.toHaveProperty('status');
});
