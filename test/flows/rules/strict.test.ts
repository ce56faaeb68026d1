/** `--strict`: what is usually accepted with a warning is refused. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ strict: 'true' });

test('an unknown field rejects its entry, not the others', async () => {
  const project = freshProject();
  const jobs = [{ id: 'J-1', custmer: {} }, { id: 'J-2' }];
  const response = await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
  expect(response.headers).not.toHaveProperty('x-sandbox-warnings');
  const reason = 'custmer: unknown field "custmer", did you mean customer?';
  expect(response.body).toMatchObject({ failed: [{ id: 'J-1', reason }], jobsReceived: 1 });
});

test('an unknown field of a single record, or next to a list, is a 400', async () => {
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

test('an update through the URL of another subproject fails downstream', async () => {
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

test.each([{ deliveryDate: '2026-03-02' }, { langCode: 'english' }, { subProjectId: '' }])(
  'a value of unusual form rejects its entry: %j',
  async (fields) => {
    const jobs = [{ id: 'J-1', ...fields }];
    const response = await sandbox.api('POST', `/sync/projects/${freshProject()}/jobs/batch`, { jobs });
    expect(response.body).toMatchObject({ failed: [{ id: 'J-1' }], jobs: [] });
  },
);
