/** A project in the body has the limits of a project in the path. */
import { describe, expect, test } from 'vitest';
import { createWallClock } from '../../../src/lib/time.ts';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { maxProjects } from '../../../src/project/registry.ts';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, type TestSandbox, useSandbox } from '../../harness/sandbox.ts';
import { sendPipelined } from '../pipeline.ts';

const identifiers = { ...shippedProfile.identifiers, projectId: 'body' } as const;
const withBodies = (options: object = {}, more: object = {}, wall = createWallClock()): TestSandbox =>
  useSandbox(
    { clock: 'frozen', profile: writeProfile({ identifiers, ...more }), ...options },
    { ...shippedProfile, identifiers },
    wall,
  );

const send = (sandbox: TestSandbox, projectId: string, more: object = {}, headers: Record<string, string> = {}) =>
  sandbox.api('POST', '/async/projects/jobs', { projectId, jobs: [{ id: 'J-1' }], ...more }, headers);

describe('the maximum of projects', () => {
  const sandbox = withBodies();

  test('rejects a further one while none is idle', async () => {
    const projects = [...Array.from({ length: maxProjects }, (_, n) => `full-${n}`), 'one-more', 'full-1'];
    const statuses = await sendPipelined(
      sandbox.url(),
      projects.map((projectId) => ({
        method: 'POST',
        path: '/async/projects/jobs',
        body: { projectId, jobs: [{ id: 'J-1' }] },
      })),
    );
    expect(statuses).toEqual([...Array(maxProjects).fill(202), 507, 202]);
  });
});

describe('limits.project.requestsPerSecond', () => {
  // All requests arrive within one second.
  const wall = { ...createWallClock(), elapsed: () => 0 };
  const sandbox = withBodies({}, { limits: { project: { requestsPerSecond: 1 } } }, wall);

  test('limits each project', async () => {
    const project = freshProject();
    expect([(await send(sandbox, project)).status, (await send(sandbox, project)).status]).toEqual([202, 429]);
    expect((await send(sandbox, freshProject())).status).toBe(202);
  });
});
