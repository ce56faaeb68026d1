/** Jobs against what is stored: duplicates, unknown and pending ids, replaced fields, tracking ids. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const address = { streetAddress: '128 Adelaide Street', countryCode: 'AU' };

const post = (project: string, path: string, body: object) => sandbox.api('POST', path.replace(':p', project), body);
const patch = (project: string, path: string, body: object) => sandbox.api('PATCH', path.replace(':p', project), body);
const syncJobs = '/sync/projects/:p/jobs/batch';
const syncJob = '/sync/projects/:p/jobs';
const asyncJobs = '/async/projects/:p/jobs';

async function failures(project: string): Promise<unknown[]> {
  const callbacks = await sandbox.items(project, 'callbacks');
  return callbacks.map(({ body }) => (body as { data: { failed: unknown } }).data.failed);
}

describe('two imports of one id: the first wins', () => {
  const exists = { id: 'J-1', reason: 'job J-1 exists already' };

  test('a single create is a 409', async () => {
    const project = freshProject();
    const job = { id: 'J-1', address, status: 'PENDING' };
    expect((await post(project, syncJob, job)).status).toBe(201);
    const again = await post(project, syncJob, { ...job, status: 'READY' });
    expect(again.status).toBe(409);
    expect(again.body.message).toBe(exists.reason);
    expect(await sandbox.items(project, 'jobs')).toMatchObject([{ status: 'PENDING' }]);
  });

  test('ids are compared exactly', async () => {
    const project = freshProject();
    const jobs = ['J-1', 'j-1', ' J-1', 'J-1 '].map((id) => ({ id }));
    expect((await post(project, syncJobs, { jobs })).body.jobsReceived).toBe(4);
  });
});

test('decodes an id in the path: finds "J/1 ü"', async () => {
  const project = freshProject();
  await post(project, syncJobs, { jobs: [{ id: 'J/1 ü' }] });
  const response = await patch(project, `${asyncJobs}/${encodeURIComponent('J/1 ü')}`, { status: 'DISPATCH' });
  expect(response.body.jobs).toMatchObject([{ orderNumber: 'J/1 ü' }]);
  await sandbox.advance(project);
  expect(await sandbox.items(project, 'jobs')).toMatchObject([{ id: 'J/1 ü', status: 'DISPATCH' }]);
});

describe('a synchronous operation neither waits for nor sees pending commands', () => {
  const pending = 'job J-1 is unknown; an import of it was accepted and is still pending';

  test('an update of a pending job is a 404 that mentions it', async () => {
    const project = freshProject();
    await post(project, asyncJobs, { jobs: [{ id: 'J-1', status: 'PENDING' }] });
    const update = { id: 'J-1', status: 'DISPATCH' };
    const alone = await patch(project, syncJob, update);
    expect(alone.status).toBe(404);
    expect(alone.body.message).toBe(pending);
    const listed = await patch(project, syncJobs, { jobs: [update] });
    expect(listed.body).toMatchObject({ failed: [{ id: 'J-1', reason: pending }], jobsReceived: 0 });
    await sandbox.advance(project);
    expect((await patch(project, syncJob, update)).status).toBe(200);
    expect(await sandbox.items(project, 'jobs')).toMatchObject([{ status: 'DISPATCH' }]);
  });

  test('includes the jobs of a pending route', async () => {
    const project = freshProject();
    await post(project, '/async/projects/:p/routes', { routes: [{ id: 'R-1', jobs: [{ id: 'J-1' }] }] });
    const response = await patch(project, syncJob, { id: 'J-1', status: 'DISPATCH' });
    expect(response.body.message).toBe(pending);
  });

  test('includes a job whose failure is due later', async () => {
    const project = freshProject();
    const rules = [{ when: { operation: 'async*', item: 1 }, then: { fail: 'No capacity', after: '30s' } }];
    const scenarios = [{ name: 'first-fails-late', rules }];
    expect((await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios })).status).toBe(200);
    await post(project, asyncJobs, { jobs: [{ id: 'J-1' }] });
    const response = await patch(project, syncJob, { id: 'J-1', status: 'DISPATCH' });
    expect(response.body.message).toBe(pending);
  });

  test('does not treat a pending update as an import', async () => {
    const project = freshProject();
    await patch(project, asyncJobs, { jobs: [{ id: 'J-1' }] });
    const response = await patch(project, syncJob, { id: 'J-1', status: 'DISPATCH' });
    expect(response.status).toBe(404);
    expect(response.body.message).toBe('job J-1 is unknown');
  });

  test('creates a pending job at once, and the import fails later', async () => {
    const project = freshProject();
    await post(project, asyncJobs, { jobs: [{ id: 'J-1', status: 'DISPATCH' }] });
    expect((await post(project, syncJob, { id: 'J-1', address, status: 'READY' })).status).toBe(201);
    await sandbox.advance(project);
    expect(await failures(project)).toEqual([[{ id: 'J-1', reason: 'job J-1 exists already' }]]);
    expect(await sandbox.items(project, 'jobs')).toMatchObject([{ status: 'READY' }]);
  });
});

describe('an update', () => {
  const stored = {
    id: 'J-1',
    status: 'PENDING',
    address,
    tags: ['furniture', 'fragile'],
    attributes: { floor: 3, lift: false },
    customer: { firstName: 'Olivia', phone: '+61 491 570 156' },
    jobItems: [{ jobItemId: 'I-1' }, { jobItemId: 'I-2' }],
  };

  test.each([
    ['objects', { address: { locality: 'Brisbane' }, customer: { firstName: 'Mia' } }],
    ['free-form objects', { attributes: { lift: true } }],
    ['lists', { tags: ['fragile'], jobItems: [] }],
    ['plain values', { status: 'DISPATCH', sequence: 3 }],
  ])('replaces the given %s as a whole and keeps the others', async (_what, changes) => {
    const project = freshProject();
    await post(project, syncJobs, { jobs: [stored] });
    const [before] = await sandbox.items(project, 'jobs');
    await sandbox.advance(project, '5m');
    await patch(project, syncJobs, { jobs: [{ id: 'J-1', ...changes }] });
    const [after] = await sandbox.items(project, 'jobs');
    expect(after).toEqual({ ...before, ...changes, updatedAt: '2026-03-02T09:35:00.000Z' });
  });

  test.each(['sync', 'async'])('applies two entries of one id in order: %s', async (mode) => {
    const project = freshProject();
    await post(project, syncJobs, { jobs: [stored] });
    const jobs = [
      { id: 'J-1', status: 'DISPATCH', sequence: 1 },
      { id: 'J-1', status: 'ARRIVING' },
    ];
    const { body } = await patch(project, mode === 'sync' ? syncJobs : asyncJobs, { jobs });
    expect(body).toMatchObject({ failed: [], jobs: [{ orderNumber: 'J-1' }, { orderNumber: 'J-1' }], jobsReceived: 2 });
    await sandbox.advance(project);
    expect(await sandbox.items(project, 'jobs')).toMatchObject([{ status: 'ARRIVING', sequence: 1 }]);
  });
});

describe('trackingId', () => {
  test("is the entry's own, or a generated one that depends on the id", async () => {
    const project = freshProject();
    const { body } = await post(project, asyncJobs, {
      jobs: [{ id: 'J-1', trackingId: 'T-own' }, { id: 'J-2' }, { id: 'J-3' }],
    });
    const [own, second, third] = body.jobs.map(({ trackingId }: { trackingId: string }) => trackingId);
    expect(own).toBe('T-own');
    expect(second).toMatch(/^TRK-./);
    expect(third).not.toBe(second);
    await sandbox.advance(project);
    expect((await sandbox.items(project, 'jobs')).map(({ trackingId }) => trackingId)).toEqual([own, second, third]);
    const updated = await patch(project, syncJobs, { jobs: [{ id: 'J-1' }, { id: 'J-2' }] });
    expect(updated.body.jobs).toMatchObject([{ trackingId: 'T-own' }, { trackingId: second }]);
  });

  test('an update ignores it with a warning and keeps the stored one', async () => {
    const project = freshProject();
    await post(project, syncJobs, { jobs: [{ id: 'J-1', trackingId: 'T-own' }] });
    const updates = [
      await patch(project, syncJobs, { jobs: [{ id: 'J-1', trackingId: 'T-new' }] }),
      await patch(project, syncJob, { id: 'J-1', status: 'PENDING', trackingId: 'T-new' }),
      await patch(project, asyncJobs, { jobs: [{ id: 'J-1', trackingId: 'T-new' }] }),
      await patch(project, `${asyncJobs}/J-1`, { status: 'PENDING', trackingId: 'T-new' }),
    ];
    for (const { headers, status } of updates) {
      expect(status).toBeLessThan(300);
      expect(headers['x-sandbox-warnings']).toBe('1');
    }
    await sandbox.advance(project);
    expect(await sandbox.items(project, 'jobs')).toMatchObject([{ trackingId: 'T-own' }]);
  });

  test('of an update whose job is still pending is that of the import, and the subproject is, too', async () => {
    const project = freshProject();
    await post(project, '/async/projects/:p/subprojects/s-1/jobs', { jobs: [{ id: 'J-1', trackingId: 'T-own' }] });
    await post(project, asyncJobs, { jobs: [{ id: 'J-2' }, { id: 'J-1', trackingId: 'T-late' }, { id: 'FAIL-1' }] });
    const jobs = ['J-1', 'J-2', 'FAIL-1', 'J-unknown'].map((id) => ({ id }));
    const { body } = await patch(project, '/async/projects/:p/subprojects/s-2/jobs', { jobs });
    expect(body.jobs).toEqual([
      { orderNumber: 'J-1', subProjectId: 's-1', trackingId: 'T-own' },
      { orderNumber: 'J-2', trackingId: expect.stringMatching(/^TRK-./) },
      { orderNumber: 'FAIL-1' },
      { orderNumber: 'J-unknown' },
    ]);
    await sandbox.advance(project);
    expect(await sandbox.items(project, 'jobs')).toMatchObject([
      { id: 'J-1', subProjectId: 's-1', trackingId: 'T-own' },
      { id: 'J-2', trackingId: body.jobs[1].trackingId },
    ]);
    const later = await patch(project, '/async/projects/:p/subprojects/s-2/jobs', { jobs });
    expect(later.body).toEqual(body);
  });
});

test('an unassigned job whose route has a driver gets a warning: the route keeps it', async () => {
  const project = freshProject();
  const driver = { firstName: 'Mia' };
  await post(project, '/sync/projects/:p/routes/batch', { routes: [{ id: 'R-1', driver, jobs: [{ id: 'J-1' }] }] });
  await post(project, '/sync/projects/:p/routes/batch', { routes: [{ id: 'R-2', jobs: [{ id: 'J-2' }] }] });
  const answers = [];
  for (const id of ['J-1', 'J-2']) answers.push(await patch(project, syncJobs, { jobs: [{ id, driver: null }] }));
  expect(answers.map(({ headers }) => headers['x-sandbox-warnings'])).toEqual(['1', undefined]);
  const { body } = await sandbox.control('GET', `/requests/${answers[0]?.headers['x-request-id']}`);
  expect(body.warnings).toEqual(['job J-1 is unassigned; its route R-1 keeps its driver']);
  expect(await sandbox.items(project, 'routes')).toMatchObject([{ driver }, {}]);
});
