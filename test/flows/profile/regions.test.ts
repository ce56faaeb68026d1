/** Regions have one host each. They share projects, with a warning, unless the profile separates them. */
import { describe, expect, test } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, type TestSandbox, useSandbox } from '../../harness/sandbox.ts';
import { callbacksOf } from '../callbacks/steps.ts';
import { replayProject } from '../replay-steps.ts';

const regions = { separate: true };
const shared = useSandbox({ clock: 'frozen' });
const separate = useSandbox({ clock: 'frozen', profile: writeProfile({ regions }) }, { ...shippedProfile, regions });

const importJobs = (sandbox: TestSandbox, project: string, host: string, ids: readonly string[], headers = {}) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) }, { host, ...headers });

test('a request through a second region gets a warning, and finds what the first one stored', async () => {
  const project = freshProject();
  const warnings: unknown[] = [];
  for (const host of ['AU.localhost', 'au.localhost:4600', '127.0.0.1', 'eu.localhost', 'au.localhost']) {
    warnings.push((await importJobs(shared, project, host, ['J-1'])).headers['x-sandbox-warnings']);
  }
  expect(warnings).toEqual([undefined, undefined, undefined, '1', undefined]);
  const requests = await shared.items(project, 'requests');
  expect(requests[3]?.['warnings']).toEqual([
    'header:host: this project was used through the region au before, and now through eu; the profile\'s "regions.separate" keeps regions apart',
  ]);
});

test('separate regions have a project each, of the same name, with callbacks of their own', async () => {
  const project = freshProject();
  for (const [host, ids] of [
    ['au.localhost', ['A', 'FAIL-1']],
    ['eu.localhost', ['B', 'FAIL-1']],
    ['127.0.0.1', ['C']],
  ] as const) {
    const { status, headers } = await importJobs(separate, project, host, ids);
    expect([status, headers['x-sandbox-warnings']]).toEqual([202, undefined]);
  }
  const callbackIds: string[] = [];
  for (const [id, jobs] of [
    [`${project}@au`, ['A']],
    [`${project}@eu`, ['B']],
    [project, ['C']],
  ] as const) {
    await separate.advance(id);
    expect((await separate.items(id, 'jobs')).map((job) => job['id'])).toEqual(jobs);
    for (const callback of await callbacksOf(separate, id)) {
      expect(callback.body.data).toMatchObject({ projectId: project });
      callbackIds.push(callback.id);
    }
  }
  expect(new Set(callbackIds).size).toBe(2);
  const inRegion = await separate.control('GET', `/projects/${project}/jobs`, undefined, { host: 'eu.localhost' });
  expect(inRegion.body.items).toMatchObject([{ id: 'B' }]);
  const requests = await separate.control('GET', `/requests?project=${project}`, undefined, { host: 'eu.localhost' });
  expect(requests.body.items).toMatchObject([{ project: `${project}@eu` }]);
});

test('a recording of a region is replayed, and the id of a region is the same at every host', async () => {
  const project = freshProject();
  await importJobs(separate, project, 'eu.localhost', ['A']);
  await separate.advance(`${project}@eu`);
  for (const host of ['eu.localhost', 'au.localhost', '127.0.0.1']) {
    const { body } = await separate.control('GET', `/projects/${project}@eu/jobs`, undefined, { host });
    expect(body.items).toMatchObject([{ id: 'A' }]);
  }
  const { differences } = await replayProject(separate, `${project}@eu`);
  expect(differences).toEqual([]);
});

describe('a key of one region', () => {
  const guarded = useSandbox(
    { adminToken: 'token', apiKeys: ['mine@eu=acme'], profile: writeProfile({ regions }) },
    { ...shippedProfile, regions },
  );
  const key = { apikey: 'mine' };

  test('opens the project of its region by either name, and no other', async () => {
    await importJobs(guarded, 'acme', 'eu.localhost', ['A'], key);
    const read = async (id: string, host: string) =>
      (await guarded.control('GET', `/projects/${id}/jobs`, undefined, { ...key, host })).status;
    expect(await read('acme', 'eu.localhost')).toBe(200);
    expect(await read('acme@eu', '127.0.0.1')).toBe(200);
    expect(await read('acme@au', '127.0.0.1')).toBe(403);
    const { body } = await guarded.control('GET', '/projects', undefined, key);
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(['acme@eu']);
  });
});

test('a rule names the project as the API does', async () => {
  const project = freshProject();
  const rule = { when: { project }, then: { respond: { status: 503 } } };
  await separate.control(
    'PUT',
    `/projects/${project}/scenarios`,
    { scenarios: [{ name: 'down', rules: [rule] }] },
    {
      host: 'eu.localhost',
    },
  );
  expect((await importJobs(separate, project, 'eu.localhost', ['A'])).status).toBe(503);
  expect((await importJobs(separate, project, 'au.localhost', ['A'])).status).toBe(202);
});
