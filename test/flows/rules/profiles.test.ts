/** What the documentation does not show can be answered otherwise: profiles, and how the sandbox follows them. */
import { describe, expect, test } from 'vitest';
import { freshProject } from '../../harness/sandbox.ts';
import { withProfile } from '../profile-steps.ts';

describe('duplicates: replace', () => {
  const sandbox = withProfile('duplicates: replace');

  test.each([
    ['jobs', 'jobs/batch', { id: 'X', status: 'PENDING', sequence: 1 }, { id: 'X', status: 'DISPATCH' }],
    ['orders', 'orders', { id: 'X', status: 'PENDING', storeId: 'S' }, { id: 'X', status: 'READY' }],
    ['routes', 'routes/batch', { id: 'X', driver: {}, jobs: [{ id: 'J' }] }, { id: 'X', jobs: [] }],
  ])('an import of an existing id replaces the record except createdAt: %s', async (list, path, one, two) => {
    const project = freshProject();
    const send = (entry: object) => sandbox.api('POST', `/sync/projects/${project}/${path}`, { [list]: [entry] });
    await send(one);
    await sandbox.advance(project, '1h');
    expect((await send(two)).body.failed).toEqual([]);
    const [record, ...others] = await sandbox.items(project, list);
    expect(others).toEqual([]);
    const { trackingId: _tracking, trackId: _track, ...fields } = record ?? {};
    const dates = { createdAt: '2026-03-02T09:30:00.000Z', updatedAt: '2026-03-02T10:30:00.000Z' };
    expect(fields).toEqual({ ...two, ...dates });
  });

  test('replaces users too, and the last of two asynchronous imports wins', async () => {
    const project = freshProject();
    const again = { username: 'j.okafor', password: 'A!', type: 'driver', visibleBy: 'S', access: 'DRIVER' };
    for (const body of [{ ...again, desc: 'one' }, again]) {
      expect((await sandbox.api('POST', `/projects/${project}/users`, body)).status).toBe(201);
    }
    expect((await sandbox.items(project, 'users'))[0]).not.toHaveProperty('desc');
    for (const sequence of [1, 2]) {
      await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-1', sequence }] });
    }
    await sandbox.advance(project);
    expect(await sandbox.items(project, 'callbacks')).toEqual([]);
    expect(await sandbox.items(project, 'jobs')).toMatchObject([{ sequence: 2 }]);
  });
});

describe('users.attendantAccess: default', () => {
  const sandbox = withProfile('users: { attendantAccess: default }');
  const attendant = { username: 'm.keller', password: 'A!', type: 'attendant', locationIds: 'BNE-014' };
  const register = (project: string, body: object) => sandbox.api('POST', `/projects/${project}/users`, body);

  test('an attendant gets access ["HO"] unless the request has another', async () => {
    const project = freshProject();
    expect((await register(project, attendant)).status).toBe(201);
    expect((await register(project, { ...attendant, username: 'other', access: 'SITE-7' })).status).toBe(201);
    expect((await sandbox.items(project, 'users')).map(({ access }) => access)).toEqual([['HO'], 'SITE-7']);
  });

  test("locationIds and a driver's access stay required", async () => {
    const project = freshProject();
    const { locationIds: _left, ...without } = attendant;
    expect((await register(project, without)).body.errors).toMatchObject([{ path: '/locationIds' }]);
    const driver = { ...attendant, type: 'driver', visibleBy: 'S' };
    expect((await register(project, driver)).body.errors).toMatchObject([{ path: '/access' }]);
  });
});

describe('required', () => {
  const sandbox = withProfile(
    'required: { jobs: [id, status, address], orders: [id, storeId], routes: [id, routeDate] }',
  );

  test.each([
    ['jobs', 'jobs/batch', { id: 'X' }, ['status', 'address']],
    ['orders', 'orders', { id: 'X', status: 'READY' }, ['storeId']],
    ['routes', 'routes/batch', { id: 'X' }, ['routeDate']],
  ])('entries of %s', async (list, path, entry, missing) => {
    const response = await sandbox.api('POST', `/sync/projects/${freshProject()}/${path}`, { [list]: [entry] });
    const reason = missing.map((field) => `${field}: required, but missing`).join('; ');
    expect(response.body.failed).toEqual([{ id: 'X', reason }]);
  });

  test('applies to the jobs of a route too', async () => {
    const routes = [{ id: 'R-1', routeDate: '2026-03-02T09:30:00Z', jobs: [{ id: 'J-1', status: 'PENDING' }] }];
    const response = await sandbox.api('POST', `/sync/projects/${freshProject()}/routes/batch`, { routes });
    expect(response.body.failed).toEqual([{ id: 'J-1', reason: 'address: required, but missing' }]);
  });
});

describe('errors', () => {
  const sandbox = withProfile('errors: { missingKey: 403, duplicate: 400, downstream: 424 }');
  const path = '/sync/projects/errors/jobs';
  const job = { id: 'J-1', status: 'PENDING', address: {} };

  test.each([
    ['missingKey', 403, 'POST', path, job, { apikey: undefined }],
    ['downstream', 424, 'POST', path, { ...job, id: 'FAIL-1' }, {}],
  ] as const)('%s: %i', async (_kind, status, method, url, body, headers) => {
    const response = await sandbox.api(method, url, body, headers);
    expect(response.status).toBe(status);
    expect(response.body.message).toEqual(expect.any(String));
  });

  test('duplicate: 400', async () => {
    expect((await sandbox.api('POST', path, job)).status).toBe(201);
    expect((await sandbox.api('POST', path, job)).status).toBe(400);
  });
});

describe('operations: mode and status', () => {
  const sandbox = withProfile(`operations:
  asyncImportJobs: { mode: sync, status: 200 }
  asyncUpdateOrder: { mode: sync }
  syncCreateJob: { mode: async, status: 202 }
  syncImportOrders: { mode: async }
`);
  const job = { id: 'J-1', status: 'PENDING', address: {} };

  test('an asynchronous operation changed to synchronous is applied before its response, which lists failures', async () => {
    const project = freshProject();
    const send = () => sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-1' }] });
    const first = await send();
    expect(first.status).toBe(200);
    expect(await sandbox.items(project, 'jobs')).toHaveLength(1);
    expect((await send()).body.failed).toEqual([{ id: 'J-1', reason: 'job J-1 exists already' }]);
    const update = await sandbox.api('PATCH', `/async/projects/${project}/orders/O-1`, { status: 'READY' });
    expect(update.body).toMatchObject({ failed: [{ id: 'O-1' }], ordersReceived: 0 });
    expect(await sandbox.advance(project)).toMatchObject({ processed: 0, delivered: 0 });
  });

  test('a synchronous operation changed to asynchronous is applied later and reports failures by callback', async () => {
    const project = freshProject();
    const create = () => sandbox.api('POST', `/sync/projects/${project}/jobs`, job);
    expect((await create()).status).toBe(202);
    expect((await create()).status).toBe(202);
    const orders = [{ id: 'O-1' }, { id: 'O-1' }];
    const taken = await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders });
    expect(taken.status).toBe(200);
    expect(taken.body).toMatchObject({ failed: [], ordersReceived: 2 });
    expect(await sandbox.items(project, 'jobs')).toEqual([]);
    expect(await sandbox.advance(project)).toMatchObject({ processed: 3, delivered: 2 });
    expect((await sandbox.items(project, 'callbacks')).map(({ type }) => type)).toEqual([
      'jobs.import.failed',
      'orders.import.failed',
    ]);
  });
});
