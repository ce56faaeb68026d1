/** Rules of entries that a profile sets: duplicates of each collection, transitions, subprojects, users without type. */
import { describe, expect, test } from 'vitest';
import { freshProject } from '../../harness/sandbox.ts';
import { withProfile } from '../profile-steps.ts';

const user = { username: 'j.okafor', password: 'A!', visibleBy: 'S', access: 'DRIVER' };

describe('required of each variant of a job', () => {
  const sandbox = withProfile(
    'required: { jobs: { create: [id, address], update: [id, status], inRoute: [id, sequence] } }',
  );

  test.each([
    ['POST', '/jobs/batch', 'jobs', 'address'],
    ['PATCH', '/jobs/batch', 'jobs', 'status'],
    ['POST', '/subprojects/s/jobs/batch', 'jobs', 'status'],
  ])('%s %s', async (method, path, list, field) => {
    const response = await sandbox.api(method, `/sync/projects/${freshProject()}${path}`, { [list]: [{ id: 'J-1' }] });
    expect(response.body.failed).toEqual([{ id: 'J-1', reason: `${field}: required, but missing` }]);
  });

  test('of a route', async () => {
    const routes = [{ id: 'R-1', jobs: [{ id: 'J-1' }] }];
    const response = await sandbox.api('POST', `/sync/projects/${freshProject()}/routes/batch`, { routes });
    expect(response.body.failed).toEqual([{ id: 'J-1', reason: 'sequence: required, but missing' }]);
  });
});

describe('duplicates: { routes: replace }', () => {
  const sandbox = withProfile('duplicates: { routes: replace }');
  const route = (...ids: string[]) => ({ routes: [{ id: 'R-1', jobs: ids.map((id) => ({ id })) }] });

  test.each(['sync', 'async'])(
    'a route replaces the jobs that it names; its others stay without a route: %s',
    async (mode) => {
      const project = freshProject();
      const path = `/${mode}/projects/${project}/routes${mode === 'sync' ? '/batch' : ''}`;
      for (const jobs of [
        ['J-1', 'J-2'],
        ['J-2', 'J-3'],
      ]) {
        const { body } = await sandbox.api('POST', path, route(...jobs));
        expect(body.failed).toEqual([]);
        await sandbox.advance(project, '1h');
      }
      expect(await sandbox.items(project, 'callbacks')).toEqual([]);
      expect(await sandbox.items(project, 'routes')).toMatchObject([{ id: 'R-1', jobs: ['J-2', 'J-3'] }]);
      const jobs = await sandbox.items(project, 'jobs');
      expect(jobs.map(({ id, routeId }) => [id, routeId])).toEqual([
        ['J-1', undefined],
        ['J-2', 'R-1'],
        ['J-3', 'R-1'],
      ]);
    },
  );

  test('other collections reject duplicates', async () => {
    const project = freshProject();
    const register = () => sandbox.api('POST', `/projects/${project}/users`, { ...user, type: 'driver' });
    const imports = () => sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: [{ id: 'J-1' }] });
    for (const send of [register, imports]) await send();
    expect((await register()).status).toBe(409);
    expect((await imports()).body.failed).toEqual([{ id: 'J-1', reason: 'job J-1 exists already' }]);
  });
});

describe('duplicates: replace', () => {
  const sandbox = withProfile('duplicates: replace');

  test('is in the settings in its full form', async () => {
    const { profile } = (await sandbox.control('GET', '/settings')).body;
    const all = ['jobs', 'orders', 'routes', 'users', 'routeJobs'];
    expect(profile.duplicates).toEqual(Object.fromEntries(all.map((key) => [key, 'replace'])));
  });

  test.each(['', '/subprojects/s'])('the creation of a single job is always a 409 (%s)', async (scope) => {
    const path = `/sync/projects/${freshProject()}${scope}/jobs`;
    const create = () => sandbox.api('POST', path, { id: 'J-1', status: 'READY', address: {} });
    expect((await create()).status).toBe(201);
    expect((await create()).status).toBe(409);
  });
});

describe('transitions', () => {
  const sandbox = withProfile(
    'transitions: { jobs: { DELIVERED: [], PENDING: [DISPATCH] }, orders: { READY: [COMPLETE] } }',
  );
  const reason = 'job J-1 is DELIVERED and cannot become PENDING: no other status may follow';
  const create = (project: string, status?: string) =>
    sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: [{ id: 'J-1', ...(status && { status }) }] });
  const update = (project: string, status: string) =>
    sandbox.api('PATCH', `/sync/projects/${project}/jobs`, { id: 'J-1', status });

  test('a status that may not follow is a 422 that says which may', async () => {
    const project = freshProject();
    await create(project, 'PENDING');
    const refused = await update(project, 'DELIVERED');
    expect(refused.status).toBe(422);
    expect(refused.body.message).toBe('job J-1 is PENDING and cannot become DELIVERED: expected DISPATCH');
    expect((await update(project, 'PENDING')).status).toBe(200);
    expect((await update(project, 'DISPATCH')).status).toBe(200);
    expect((await update(project, 'DELIVERED')).status).toBe(200);
    expect((await update(project, 'PENDING')).body.message).toBe(reason);
  });

  test('any status may follow none, and an update may have none', async () => {
    const project = freshProject();
    await create(project);
    const jobs = [
      { id: 'J-1', sequence: 1 },
      { id: 'J-1', status: 'DELIVERED' },
      { id: 'J-1', sequence: 2 },
    ];
    const response = await sandbox.api('PATCH', `/sync/projects/${project}/jobs/batch`, { jobs });
    expect(response.body.failed).toEqual([]);
  });

  test('entries of a batch are checked in order, asynchronous ones when they are applied', async () => {
    const project = freshProject();
    await create(project, 'PENDING');
    const jobs = ['DISPATCH', 'DELIVERED', 'PENDING'].map((status) => ({ id: 'J-1', status }));
    const accepted = await sandbox.api('PATCH', `/async/projects/${project}/jobs`, { jobs });
    expect(accepted.body.jobsReceived).toBe(3);
    await sandbox.advance(project);
    expect(await sandbox.items(project, 'callbacks')).toMatchObject([
      { type: 'jobs.update.failed', body: { data: { failed: [{ id: 'J-1', reason }] } } },
    ]);
    expect(await sandbox.items(project, 'jobs')).toMatchObject([{ status: 'DELIVERED' }]);
  });

  test('orders have their own', async () => {
    const project = freshProject();
    await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'O-1', status: 'READY' }] });
    const path = `/sync/projects/${project}/orders/O-1`;
    expect((await sandbox.api('PATCH', path, { status: 'PENDING' })).status).toBe(422);
    expect((await sandbox.api('PATCH', path, { status: 'COMPLETE' })).status).toBe(200);
  });
});

test('replacing a record is no transition', async () => {
  const sandbox = replacing;
  const project = freshProject();
  for (const status of ['DELIVERED', 'PENDING']) {
    const jobs = [{ id: 'J-1', status }];
    const { body } = await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
    expect(body.failed).toEqual([]);
  }
});
const replacing = withProfile('{ duplicates: { jobs: replace }, transitions: { jobs: { DELIVERED: [] } } }');

describe('users.withoutType', () => {
  const drivers = withProfile('users: { withoutType: driver }');
  const attendants = withProfile('users: { withoutType: attendant, attendantAccess: default }');

  test('driver: a user without a type is a driver, and must have what a driver needs', async () => {
    const path = `/projects/${freshProject()}/users`;
    const { access: _access, ...without } = user;
    expect((await drivers.api('POST', path, without)).body.errors).toMatchObject([{ path: '/access' }]);
    expect((await drivers.api('POST', path, user)).status).toBe(201);
    expect((await drivers.api('POST', path, { ...user, username: 'b', type: 'user' })).status).toBe(400);
    const project = path.split('/')[2] ?? '';
    expect(await drivers.items(project, 'users')).toMatchObject([{ username: 'j.okafor', type: 'driver' }]);
    const document = (await drivers.control('GET', '/openapi.json')).body;
    expect(document.components.schemas.UserRegistration.properties.type.default).toBe('driver');
  });

  test('attendant: the default access applies, too', async () => {
    const project = freshProject();
    const body = { username: 'm.keller', password: 'A!', locationIds: 'BNE-014' };
    expect((await attendants.api('POST', `/projects/${project}/users`, body)).status).toBe(201);
    expect(await attendants.items(project, 'users')).toMatchObject([{ type: 'attendant', access: ['HO'] }]);
  });
});

describe('a single job that is only accepted', () => {
  const job = { id: 'J-1', status: 'PENDING', address: {} };

  describe.each(['{ status: 202 }', '{ mode: async }'])('%s', (override) => {
    const sandbox = withProfile(`operations: { syncCreateJob: ${override} }`);

    test('is not said to be created', async () => {
      const { body } = await sandbox.api('POST', `/sync/projects/${freshProject()}/jobs`, job);
      expect(body).toEqual({ message: 'job J-1 accepted' });
    });
  });
});

describe('the status 204', () => {
  const sandbox = withProfile('operations: { registerUser: { status: 204 } }');

  test('has no body, on the wire and in the document', async () => {
    const driver = { username: 'ana', password: 'Harbour!', type: 'driver', visibleBy: ['S-1'], access: 'DRIVER' };
    const answer = await sandbox.api('POST', `/projects/${freshProject()}/users`, driver);
    expect([answer.status, answer.text]).toEqual([204, '']);
    const { body } = await sandbox.control('GET', '/openapi.json');
    expect(body.paths['/projects/{projectId}/users'].post.responses['204']).not.toHaveProperty('content');
  });
});
