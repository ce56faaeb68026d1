/** Identifiers outside of the path: query, headers and bodies name the project and the record, as a profile sets. */
import { describe, expect, test } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { startWith } from '../data-steps.ts';
import { replay } from '../replay-steps.ts';

const changes = {
  identifiers: { projectId: 'body', subProjectId: 'body', jobId: 'header:X-Job', orderId: 'query', username: 'body' },
  operations: {
    asyncUpdateJob: { path: '/async/job' },
    asyncUpdateJobInSubproject: { path: '/async/job/sub' },
    asyncUpdateOrder: { path: '/async/order' },
    syncUpdateOrder: { path: '/sync/order', identifiers: { projectId: 'header:x-project', orderId: 'path' } },
  },
  limits: { ...shippedProfile.limits, body: '2kB' },
} as const;
const wholeChanges = {
  ...changes,
  operations: {
    ...changes.operations,
    syncUpdateOrder: { ...changes.operations.syncUpdateOrder, path: '/sync/order/{orderId}' },
  },
} as const;

const sandbox = useSandbox(
  { profile: writeProfile(wholeChanges), apiKeys: ['sandbox-key', 'one=p-one'] },
  { ...shippedProfile, ...wholeChanges },
);

test('a project in a body that is too large counts only once the key is checked, and is not read', async () => {
  const large = { projectId: 'p-two', jobs: ['x'.repeat(3000)] };
  const ask = (apikey: string | undefined) => sandbox.api('POST', '/sync/projects/jobs/batch', large, { apikey });
  expect((await ask(undefined)).status).toBe(401);
  const { status, headers } = await ask('one');
  const { body } = await sandbox.control('GET', `/requests/${headers['x-request-id']}`);
  expect([status, body.project]).toEqual([413, null]);
});

describe('a long body with a project', () => {
  const roomy = useSandbox(
    { profile: writeProfile({ identifiers: { projectId: 'body' } }) },
    { ...shippedProfile, identifiers: { ...shippedProfile.identifiers, projectId: 'body' } },
  );

  // Longer bodies are validated, and still longer ones parsed, in slices.
  test.each([600, 2500])('of %i kB is applied', async (size) => {
    const projectId = freshProject();
    const jobs = Array.from({ length: size }, (_, n) => ({ id: `J-${n}`, customerInstructions: ['x'.repeat(1000)] }));
    const answer = await roomy.api('POST', '/sync/projects/jobs/batch', { jobs, projectId });
    expect(answer).toMatchObject({ status: 200, body: { jobsReceived: size } });
    expect(await roomy.items(projectId, 'jobs')).toHaveLength(Math.min(size, 1000));
  });
});

test('a recording of identifiers in bodies and headers replays', async () => {
  const projectId = freshProject();
  const user = { projectId, username: 'ana', password: 'Secret!', type: 'driver', visibleBy: 'S1', access: 'DRIVER' };
  await sandbox.api('POST', '/projects/users', user);
  await sandbox.api('POST', '/sync/projects/jobs/batch', {
    projectId,
    jobs: [{ id: 'J-1', colour: 'red' }, { id: 7 }],
  });
  await sandbox.api('PATCH', '/async/job', { projectId, status: 'DISPATCH' }, { 'x-job': 'J-1' });
  await sandbox.api('PATCH', '/async/job', { projectId, status: 'DISPATCH' });
  await sandbox.api('PATCH', '/sync/order/O-1', { status: 'READY' }, { 'x-project': projectId });
  const unreadable = { 'x-project': projectId, 'content-type': 'application/json' };
  expect((await sandbox.api('PATCH', '/sync/order/O-1', '{"status', unreadable)).status).toBe(400);
  const { body } = await sandbox.control('GET', `/projects/${projectId}/recording`);
  expect(await replay(body)).toMatchObject({ requests: 6, differences: [] });
  const [first] = body.changes;
  first.request.body = first.request.body.replace(projectId, 'other');
  expect((await replay(body)).differences[0]).toMatchObject({ part: 'status', recorded: '201', replayed: '400' });
});

describe('the served document', () => {
  test('has parameters and fields in their places, and no unused components', async () => {
    const { body } = await sandbox.control('GET', '/openapi.json');
    const update = body.paths['/async/job'].patch;
    expect(update.parameters).toEqual([expect.objectContaining({ name: 'x-job', in: 'header', required: true })]);
    const { $ref } = update.requestBody.content['application/json'].schema;
    expect($ref).toBe('#/components/schemas/SingleJobUpdateByPathWithProjectId');
    const schema = body.components.schemas.SingleJobUpdateByPathWithProjectId;
    expect(schema.required).toEqual(['projectId', 'status']);
    expect(schema.properties.projectId).toMatchObject({ type: 'string', minLength: 1 });
    const text = JSON.stringify(body);
    for (const [kind, group] of Object.entries<object>(body.components)) {
      if (kind === 'securitySchemes') continue;
      for (const name of Object.keys(group)) expect(text).toContain(`"#/components/${kind}/${name}"`);
    }
    const [example] = Object.values<{ value: object }>(update.requestBody.content['application/json'].examples);
    expect(example?.value).toHaveProperty('projectId');
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
