/** A project in the body counts for the maximum of projects. flows/transcripts/rates.txt has its other limits. */
import { expect, test } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { maxProjects } from '../../../src/project/registry.ts';
import { writeProfile } from '../../harness/profile.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { sendPipelined } from '../pipeline.ts';

const identifiers = { ...shippedProfile.identifiers, projectId: 'body' } as const;
const sandbox = useSandbox(
  { clock: 'frozen', profile: writeProfile({ identifiers }) },
  { ...shippedProfile, identifiers },
);

test('a further project, or a fork, is rejected while none is idle', async () => {
  const projects = [...Array.from({ length: maxProjects }, (_, n) => `full-${n}`), 'one-more', 'full-1'];
  const toRequest = (projectId: string) => ({
    method: 'POST',
    path: '/async/projects/jobs',
    body: { projectId, jobs: [{ id: 'J-1' }] },
  });
  const statuses = await sendPipelined(sandbox.url(), projects.map(toRequest));
  expect(statuses).toEqual([...Array(maxProjects).fill(202), 507, 202]);
  expect((await sandbox.control('POST', '/projects/full-0/fork', { to: 'fork' })).status).toBe(507);
});
