/** The recording of a region is replayed, and its project has one id at every host. */
import { expect, test } from 'vitest';
import { freshProject } from '../../harness/sandbox.ts';
import { withProfile } from '../profile-steps.ts';
import { replayProject } from '../replay-steps.ts';

const sandbox = withProfile({ regions: { separate: true } });

test('a recording of a region is replayed, and the id of a region is the same at every host', async () => {
  const project = freshProject();
  const headers = { host: 'eu.localhost' };
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'A' }] }, headers);
  await sandbox.advance(`${project}@eu`);
  for (const host of ['eu.localhost', 'au.localhost', '127.0.0.1']) {
    const { body } = await sandbox.control('GET', `/projects/${project}@eu/jobs`, undefined, { host });
    expect(body.items).toMatchObject([{ id: 'A' }]);
  }
  const { differences } = await replayProject(sandbox, `${project}@eu`);
  expect(differences).toEqual([]);
});
