/** Paths that a profile moved: the API answers there with the profile's statuses, and a query must name its project once. */
import { describe, expect, test } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { startWith } from '../data-steps.ts';

const changes = {
  basePath: '/field',
  operations: {
    asyncImportJobs: { path: '/v2/jobs?project={projectId}', method: 'PUT', status: 200, mode: 'sync' },
    asyncUpdateJob: { path: '/v2/jobs/one?project={projectId}&job={jobId}' },
  },
  errors: { ...shippedProfile.errors, invalid: 422, unknownKey: 403, notFound: 410 },
  limits: { ...shippedProfile.limits, entries: 3, body: '2kB', depth: 5 },
} as const;

const sandbox = useSandbox(
  { profile: writeProfile(changes), apiKeys: ['sandbox-key', 'one=p-one'] },
  {
    ...shippedProfile,
    ...changes,
  },
);

describe('an operation with its parameters in the query', () => {
  test('is applied as the profile defines', async () => {
    const project = `${freshProject()}/ä`;
    const at = encodeURIComponent(project);
    const answer = await sandbox.api('PUT', `/field/v2/jobs?project=${at}`, { jobs: [{ id: 'J-1' }] });
    expect(answer).toMatchObject({ status: 200, body: { jobsReceived: 1, failed: [] } });
    expect(await sandbox.items(at, 'jobs')).toMatchObject([{ id: 'J-1' }]);
    const update = { status: 'DISPATCH' };
    expect((await sandbox.api('PATCH', `/field/v2/jobs/one?job=J-1&project=${at}`, update)).status).toBe(202);
  });

  test('requires the key of its project', async () => {
    const ask = (project: string) =>
      sandbox.api('PUT', `/field/v2/jobs?project=${project}`, { jobs: [] }, { apikey: 'one' });
    expect((await ask('p-one')).status).toBe(200);
    expect((await ask('p-two')).status).toBe(403);
  });

  test.each(['', '?project=', '?project=a&project=b', '?projekt=a'])(
    'requires exactly one project, not %j',
    async (query) => {
      const projects = async () => (await sandbox.control('GET', '/projects')).body.items.length;
      const before = await projects();
      const answer = await sandbox.api('PUT', `/field/v2/jobs${query}`, { jobs: [] });
      expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: 'query:project' }] } });
      expect(await projects()).toBe(before);
    },
  );

  test('is served in the document', async () => {
    const { body } = await sandbox.control('GET', '/openapi.json');
    expect(Object.keys(body.paths['/field/v2/jobs'])).toEqual(['put']);
    expect(body.paths['/async/projects/{projectId}/jobs']).toBeUndefined();
  });
});

test.each<[string, number, string, string, unknown, string]>([
  ['a path that was', 410, 'POST', '/async/projects/p/jobs', { jobs: [] }, 'sandbox-key'],
  ['an unknown key', 403, 'POST', '/field/sync/projects/p/orders', { orders: [] }, 'unknown'],
  ['too many entries', 413, 'POST', '/field/sync/projects/p/orders', { orders: [1, 2, 3, 4] }, 'sandbox-key'],
  ['a large body', 413, 'POST', '/field/sync/projects/p/orders', { orders: ['x'.repeat(2048)] }, 'sandbox-key'],
  ['a deep body', 422, 'POST', '/field/sync/projects/p/orders', { orders: [{ user: [[[]]] }] }, 'sandbox-key'],
  ['a wrong body', 422, 'POST', '/field/sync/projects/p/orders', {}, 'sandbox-key'],
  ['an unknown order', 410, 'PATCH', '/field/sync/projects/p/orders/O-1', { status: 'READY' }, 'sandbox-key'],
])('%s gets the status of the profile, %i', async (_what, status, method, path, body, apikey) => {
  expect((await sandbox.api(method, path, body, { apikey })).status).toBe(status);
});

describe('an operation at a path for documents', () => {
  const atDocs = { operations: { submitLocation: { path: '/docs?project={projectId}' } } };
  const docs = useSandbox({ profile: writeProfile(atDocs) }, { ...shippedProfile, ...atDocs });

  test('wins over the redirect', async () => {
    expect((await docs.api('GET', '/docs')).status).toBe(405);
    expect((await docs.api('POST', '/docs?project=p', {})).status).toBe(400);
    expect((await docs.api('GET', '/openapi.json')).status).toBe(302);
  });
});

test('two operations with the same method and path fail at startup', async () => {
  const place = { path: '/v2/{projectId}' };
  const profile = writeProfile({ operations: { asyncImportJobs: place, syncCreateJobs: place } });
  const starting = startWith({ profile });
  await expect(starting).rejects.toMatchObject({
    name: 'ConfigError',
    mistakes: [
      expect.stringContaining(
        'syncCreateJobs and asyncImportJobs must differ in method or path, got POST /v2/{projectId} for both',
      ),
    ],
  });
});
