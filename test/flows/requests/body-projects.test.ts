/** A project in the body has the limits, scenarios and checks of a project in the path. */
import { describe, expect, test } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { maxProjects } from '../../../src/project/registry.ts';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, type TestSandbox, useSandbox } from '../../harness/sandbox.ts';

const identifiers = { ...shippedProfile.identifiers, projectId: 'body' } as const;
const withBodies = (options: object = {}, more: object = {}): TestSandbox =>
  useSandbox(
    { clock: 'frozen', profile: writeProfile({ identifiers, ...more }), ...options },
    { ...shippedProfile, identifiers },
  );

const send = (sandbox: TestSandbox, projectId: string, more: object = {}, headers: Record<string, string> = {}) =>
  sandbox.api('POST', '/async/projects/jobs', { projectId, jobs: [{ id: 'J-1' }], ...more }, headers);

describe('the maximum of projects', () => {
  const sandbox = withBodies();

  test('rejects a further one while none is idle', async () => {
    const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
    const ask = async (projectId: string): Promise<number> => {
      const body = JSON.stringify({ projectId, jobs: [{ id: 'J-1' }] });
      const response = await fetch(`${sandbox.url()}/async/projects/jobs`, { method: 'POST', headers, body });
      await response.text();
      return response.status;
    };
    for (let count = 0; count < maxProjects; count += 1) expect(await ask(`full-${count}`)).toBe(202);
    expect([await ask('one-more'), await ask('full-1')]).toEqual([507, 202]);
  });
});

describe('rate', () => {
  const sandbox = withBodies({}, { rate: { requests: 2, per: '1m' } });

  test('counts the requests of each project', async () => {
    const project = freshProject();
    const statuses = [await send(sandbox, project), await send(sandbox, project), await send(sandbox, project)];
    expect(statuses.map(({ status }) => status)).toEqual([202, 202, 429]);
    expect((await send(sandbox, freshProject())).status).toBe(202);
    await sandbox.advance(project, '1m');
    expect((await send(sandbox, project)).status).toBe(202);
  });
});

describe('limits.project.requestsPerSecond', () => {
  const sandbox = withBodies({}, { limits: { project: { requestsPerSecond: 1 } } });

  test('limits each project', async () => {
    const project = freshProject();
    const all = await Promise.all(Array.from({ length: 5 }, () => send(sandbox, project)));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([202, 429]));
    expect((await send(sandbox, freshProject())).status).toBe(202);
  });
});

describe('a scenario in the header, and --strict', () => {
  const sandbox = withBodies({ strict: 'true' });

  test('apply to the request', async () => {
    const project = freshProject();
    const scenario = { name: 'busy', rules: [{ then: { respond: { status: 503 } } }] };
    await sandbox.control('PUT', '/scenarios/busy', scenario);
    expect((await send(sandbox, project, {}, { 'x-sandbox-scenario': 'busy' })).status).toBe(503);
    expect((await send(sandbox, project, {}, { 'x-sandbox-scenario': 'bussy' })).status).toBe(400);
    expect((await send(sandbox, project)).status).toBe(202);
    const unknown = await send(sandbox, project, { extra: 1 });
    expect(unknown).toMatchObject({ status: 400, body: { errors: [{ path: '/extra' }] } });
    expect(await sandbox.items(project, 'requests')).toHaveLength(4);
  });
});
