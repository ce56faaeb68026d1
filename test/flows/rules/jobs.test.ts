/** The rules of jobs: subprojects, proof of delivery, drivers, delivery dates, and what a single job must bring. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });

const address = { streetAddress: '128 Adelaide Street', countryCode: 'AU' };
const proofOfDelivery = [{ kind: 'photo' }];
const proofRule = expect.stringContaining('DELIVERED or UNDELIVERED');

/** A project with these jobs in it. */
async function withJobs(...jobs: object[]) {
  const project = freshProject();
  const put = await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
  expect(put.body.failed).toEqual([]);
  return {
    project,
    sync: (method: string, path: string, body: object) => sandbox.api(method, `/sync/projects/${project}${path}`, body),
    /** Sends, and carries out. */
    async: async (method: string, path: string, body: object) => {
      const response = await sandbox.api(method, `/async/projects/${project}${path}`, body);
      await sandbox.advance(project);
      return response;
    },
    job: async (id = 'J-1') => (await sandbox.items(project, 'jobs')).find((job) => job['id'] === id),
    failures: async () => (await sandbox.items(project, 'callbacks')).map(({ body }) => (body as Callback).data.failed),
  };
}

type Callback = { data: { failed: unknown } };

describe("rule 1 (the body's subProjectId overrides the URL's)", () => {
  test('single create', async () => {
    const project = await withJobs();
    const job = { id: 'J-1', address, status: 'PENDING', subProjectId: 'inner' };
    expect((await project.sync('POST', '/subprojects/outer/jobs', job)).status).toBe(201);
    expect((await project.job())?.['subProjectId']).toBe('inner');
  });

  test.each([
    ['sync', '/subprojects/outer/jobs', { id: 'J-1', status: 'PENDING' }],
    ['async', '/subprojects/outer/jobs/J-1', { status: 'PENDING' }],
  ] as const)('%s update: the body moves the job; the URL only causes a warning', async (mode, path, body) => {
    const project = await withJobs({ id: 'J-1', subProjectId: 'home' });
    await project[mode]('PATCH', path, body);
    expect((await project.job())?.['subProjectId']).toBe('home');
    const [request] = (await sandbox.items(project.project, 'requests')).slice(-1);
    expect(request?.['warnings']).toEqual([expect.stringContaining('subproject home')]);
    await project[mode]('PATCH', path, { ...body, subProjectId: 'inner' });
    expect((await project.job())?.['subProjectId']).toBe('inner');
  });
});

describe('rule 3 (proof of delivery requires DELIVERED or UNDELIVERED)', () => {
  const statuses = ['PENDING', 'PENDING_PICKED', 'PENDING_PACKED', 'DISPATCH', 'ARRIVING', 'CANCELLED'];

  test.each(['DELIVERED', 'UNDELIVERED'])('%s in the entry or stored: accepted and stored', async (status) => {
    const project = await withJobs({ id: 'J-1' }, { id: 'J-2', status });
    const jobs = [
      { id: 'J-1', status, proofOfDelivery },
      { id: 'J-2', proofOfDelivery },
    ];
    expect((await project.sync('PATCH', '/jobs/batch', { jobs })).body).toMatchObject({ failed: [], jobsReceived: 2 });
    expect(await project.job()).toMatchObject({ status, proofOfDelivery });
    expect(await project.job('J-2')).toMatchObject({ status, proofOfDelivery });
  });

  test.each(statuses)('%s in the entry: rejected at once, whatever is stored', async (status) => {
    const project = await withJobs({ id: 'J-1', status: 'DELIVERED' });
    const entry = { id: 'J-1', status, proofOfDelivery };
    const failed = [{ id: 'J-1', reason: proofRule }];
    expect((await project.sync('PATCH', '/jobs/batch', { jobs: [entry] })).body).toMatchObject({ failed, jobs: [] });
    expect((await project.async('PATCH', '/jobs', { jobs: [entry] })).body).toMatchObject({ failed, jobs: [] });
    expect((await project.sync('PATCH', '/jobs', entry)).status).toBe(400);
    expect((await project.async('PATCH', '/jobs/J-1', entry)).body.errors).toEqual([
      { path: '/proofOfDelivery', message: proofRule },
    ]);
    expect(await project.failures()).toEqual([]);
    expect(await project.job()).not.toHaveProperty('proofOfDelivery');
  });

  test.each([...statuses, undefined])('%s stored and none in the entry: fails downstream', async (status) => {
    const project = await withJobs(status ? { id: 'J-1', status } : { id: 'J-1' });
    const jobs = [{ id: 'J-1', proofOfDelivery }];
    const failed = [{ id: 'J-1', reason: expect.stringContaining(status ?? 'no status') }];
    expect((await project.sync('PATCH', '/jobs/batch', { jobs })).body).toMatchObject({ failed, jobsReceived: 0 });
    const taken = await project.async('PATCH', '/jobs', { jobs });
    expect(taken.body).toMatchObject({ failed: [], jobsReceived: 1 });
    expect(await project.failures()).toEqual([failed]);
    expect(await project.job()).not.toHaveProperty('proofOfDelivery');
  });

  test('an earlier entry for the same job counts as stored', async () => {
    const project = await withJobs({ id: 'J-1', status: 'ARRIVING' });
    const jobs = [
      { id: 'J-1', status: 'DELIVERED' },
      { id: 'J-1', proofOfDelivery },
    ];
    expect((await project.sync('PATCH', '/jobs/batch', { jobs })).body.failed).toEqual([]);
  });

  test('an import ignores it with a warning', async () => {
    const project = await withJobs();
    const job = { id: 'J-1', status: 'DELIVERED', proofOfDelivery };
    const response = await project.sync('POST', '/jobs/batch', { jobs: [job] });
    expect(response.headers['x-sandbox-warnings']).toBe('1');
    expect(await project.job()).not.toHaveProperty('proofOfDelivery');
  });
});

describe('driver (null unassigns, a missing field changes nothing)', () => {
  const driver = { employeeId: 'D-0117', firstName: 'Liam' };
  const ways = [
    ['sync', '/jobs/batch', { jobs: [{ id: 'J-1', driver: null }] }, { jobs: [{ id: 'J-1', sequence: 4 }] }],
    ['sync', '/jobs', { id: 'J-1', status: 'PENDING', driver: null }, { id: 'J-1', status: 'PENDING' }],
    ['async', '/jobs', { jobs: [{ id: 'J-1', driver: null }] }, { jobs: [{ id: 'J-1', sequence: 4 }] }],
    ['async', '/jobs/J-1', { status: 'PENDING', driver: null }, { status: 'PENDING' }],
  ] as const;

  test.each(ways)('%s PATCH %s', async (mode, path, unassign, leave) => {
    const project = await withJobs({ id: 'J-1', driver });
    await project[mode]('PATCH', path, leave);
    expect((await project.job())?.['driver']).toEqual(driver);
    await project[mode]('PATCH', path, unassign);
    expect((await project.job())?.['driver'] ?? null).toBeNull();
  });

  test('accepts null when a job is created, alone or in a list', async () => {
    const project = await withJobs({ id: 'J-1', driver: null });
    const alone = await project.sync('POST', '/jobs', { id: 'J-2', address, status: 'PENDING', driver: null });
    expect(alone.status).toBe(201);
  });
});

describe('a single job', () => {
  const job = { id: 'J-1', address, status: 'PENDING' };

  test.each(['address', 'id', 'status'])('requires %s to create one', async (field) => {
    const project = await withJobs();
    const response = await project.sync('POST', '/jobs', { ...job, [field]: undefined });
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([{ path: `/${field}`, message: 'required, but missing' }]);
  });

  test('accepts READY only to create one', async () => {
    const project = await withJobs({ id: 'J-2' });
    expect((await project.sync('POST', '/jobs', { ...job, status: 'READY' })).status).toBe(201);
    expect(await project.job()).toMatchObject({ status: 'READY' });
    const ready = { id: 'J-2', status: 'READY' };
    expect((await project.sync('PATCH', '/jobs', ready)).status).toBe(400);
    expect((await project.async('PATCH', '/jobs/J-2', ready)).status).toBe(400);
    for (const method of ['POST', 'PATCH']) {
      expect((await project.sync(method, '/jobs/batch', { jobs: [ready] })).body.failed).toHaveLength(1);
      expect((await project.async(method, '/jobs', { jobs: [ready] })).body.failed).toHaveLength(1);
    }
  });

  test("the default deliveryDate is the project's time, only when a single job is created", async () => {
    const project = await withJobs({ id: 'J-2' });
    await sandbox.advance(project.project, '90m');
    await project.sync('POST', '/jobs', job);
    await project.sync('POST', '/jobs', { ...job, id: 'J-3', deliveryDate: '2026-03-05T10:00:00+10:00' });
    await project.async('POST', '/jobs', { jobs: [{ id: 'J-4' }] });
    expect((await project.job())?.['deliveryDate']).toBe('2026-03-02T11:00:00.000Z');
    expect((await project.job('J-3'))?.['deliveryDate']).toBe('2026-03-05T10:00:00+10:00');
    for (const id of ['J-2', 'J-4']) expect(await project.job(id)).not.toHaveProperty('deliveryDate');
  });
});
