/** What a stranger does first: import jobs, see one fail downstream, see why, and find the callback in the inbox. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

test('an import is accepted, one job fails downstream, and the callback says why', async () => {
  const project = freshProject();
  await sandbox.freeze(project);
  const jobs = [{ id: 'ORD-1' }, { id: 'FAIL-GEOCODE-1' }, { id: 'ORD-3', status: 'DELIVERD' }];
  const response = await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });

  expect(response.status).toBe(202);
  expect(response.body.jobsReceived).toBe(2);
  expect(response.body.failed).toEqual([{ id: 'ORD-3', reason: expect.stringContaining('did you mean DELIVERED?') }]);
  expect(await sandbox.items(project, 'jobs')).toEqual([]);

  expect(await sandbox.advance(project)).toMatchObject({ processed: 1, delivered: 1, pending: 0 });
  expect(await sandbox.items(project, 'jobs')).toMatchObject([{ id: 'ORD-1' }]);
  const [callback] = await sandbox.items(project, 'callbacks');
  expect(callback).toMatchObject({
    state: 'inbox',
    type: 'jobs.import.failed',
    requestId: response.headers['x-request-id'],
    body: { data: { failed: [{ id: 'FAIL-GEOCODE-1', reason: 'Address could not be geocoded' }] } },
  });
});
