/** An update that gives a record another subproject than that of the URL. */
import { expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';
import { frozenProject } from '../callbacks/steps.ts';

const sandbox = useSandbox();

test('an update that also moves a record to another subproject than that of the URL gives no warning', async () => {
  const project = await frozenProject(sandbox);
  const path = `/sync/projects/${project}/subprojects`;
  await sandbox.api('POST', `${path}/own/jobs/batch`, { jobs: [{ id: 'J' }] });
  const update = { id: 'J', status: 'PENDING' };
  const plain = await sandbox.api('PATCH', `${path}/url/jobs`, update);
  const moved = await sandbox.api('PATCH', `${path}/url/jobs`, { ...update, subProjectId: 'other' });
  const answers = [plain, moved].map(({ status, headers }) => [status, headers['x-sandbox-warnings']]);
  expect(answers).toEqual([
    [200, '1'],
    [200, undefined],
  ]);
});
