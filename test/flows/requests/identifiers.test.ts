/** Identifiers outside of the path: query, headers and bodies name the project and the record, as a profile sets. */
import { describe, expect, test } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
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
  { profile: writeProfile(wholeChanges), apiKeys: ['sandbox-key', 'one=p-one', 'eu@eu'] },
  { ...shippedProfile, ...wholeChanges },
);

/** Returns the journal's entry of a response. */
async function entryOf({ headers }: { readonly headers: Record<string, string> }) {
  return (await sandbox.control('GET', `/requests/${headers['x-request-id']}`)).body;
}

describe('a project in the body', () => {
  test('is found in a list body, and not stored', async () => {
    const projectId = freshProject();
    const answer = await sandbox.api('POST', '/sync/projects/jobs/batch', { projectId, jobs: [{ id: 'J-1' }] });
    expect(answer).toMatchObject({ status: 200, body: { jobsReceived: 1, failed: [] } });
    expect(answer.headers['x-sandbox-warnings']).toBeUndefined();
    expect(await sandbox.items(projectId, 'jobs')).toEqual([expect.not.objectContaining({ projectId })]);
    expect(await entryOf(answer)).toMatchObject({ project: projectId, operation: 'syncCreateJobs' });
  });

  test('is found in a single body, and not stored', async () => {
    const projectId = freshProject();
    const job = { projectId, id: 'J-1', address: {}, status: 'READY' };
    expect((await sandbox.api('POST', '/sync/projects/jobs', job)).status).toBe(201);
    const update = { projectId, id: 'J-1', status: 'DISPATCH' };
    expect((await sandbox.api('PATCH', '/sync/projects/jobs', update)).status).toBe(200);
    const [stored] = await sandbox.items(projectId, 'jobs');
    expect(stored).toMatchObject({ id: 'J-1', status: 'DISPATCH' });
    expect(stored).not.toHaveProperty('projectId');
  });

  test('stands beside a subproject, which is stored as today', async () => {
    const projectId = freshProject();
    const list = { projectId, subProjectId: 'chairs', jobs: [{ id: 'J-1' }, { id: 'J-2', subProjectId: 'tables' }] };
    expect((await sandbox.api('POST', '/sync/projects/subprojects/jobs/batch', list)).status).toBe(200);
    const single = { projectId, subProjectId: 'lamps', id: 'J-3', address: {}, status: 'READY' };
    expect((await sandbox.api('POST', '/sync/projects/subprojects/jobs', single)).status).toBe(201);
    const stored = await sandbox.items(projectId, 'jobs');
    expect(stored.map(({ id, subProjectId }) => `${id} ${subProjectId}`).sort()).toEqual([
      'J-1 chairs',
      'J-2 tables',
      'J-3 lamps',
    ]);
    const missing = await sandbox.api('POST', '/sync/projects/subprojects/jobs', {
      ...single,
      subProjectId: undefined,
    });
    expect(missing).toMatchObject({ status: 400, body: { errors: [{ path: '/subProjectId' }] } });
  });

  test.each<[string, unknown, string]>([
    ['without it', { jobs: [] }, '/projectId'],
    ['with an empty one', { projectId: '', jobs: [] }, '/projectId'],
    ['with a number', { projectId: 7, jobs: [] }, '/projectId'],
  ])('%s is a mistake with its place, and belongs to no project', async (_what, body, path) => {
    const projects = async () => (await sandbox.control('GET', '/projects')).body.items.length;
    const before = await projects();
    const answer = await sandbox.api('POST', '/sync/projects/jobs/batch', body);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path }] } });
    expect(await projects()).toBe(before);
    const entry = await entryOf(answer);
    expect(entry).toMatchObject({ operation: 'syncCreateJobs', status: 400 });
    expect(entry.project ?? null).toBeNull();
  });

  test('reports all other mistakes, too', async () => {
    const answer = await sandbox.api('POST', '/sync/projects/jobs', { id: 7 });
    const paths = answer.body.errors.map(({ path }: { path: string }) => path);
    expect(paths.sort()).toEqual(['/address', '/id', '/projectId', '/status']);
  });

  test.each<[string, number, unknown]>([
    ['that is no JSON', 400, '{"projectId": "p-one", '],
    ['that is no object', 400, '[]'],
    ['that is empty', 400, undefined],
    ['that is too large', 413, { projectId: 'p-one', jobs: [{ id: 'x'.repeat(3000) }] }],
  ])('a body %s is %i, without a project', async (_what, status, body) => {
    const answer = await sandbox.api('POST', '/sync/projects/jobs/batch', body, { 'content-type': 'application/json' });
    expect(answer.status).toBe(status);
    expect((await entryOf(answer)).project ?? null).toBeNull();
  });

  test('the key is checked before the body, its project after it', async () => {
    const ask = (body: unknown, headers: Record<string, string | undefined>) =>
      sandbox.api('POST', '/sync/projects/jobs/batch', body, { 'content-type': 'application/json', ...headers });
    const large = { projectId: 'p-two', jobs: ['x'.repeat(3000)] };
    expect((await ask(large, { apikey: undefined })).status).toBe(401);
    expect((await ask(large, { apikey: 'unknown' })).status).toBe(401);
    expect((await ask(large, { apikey: 'one' })).status).toBe(413);
    expect((await ask({ projectId: 'p-two', jobs: [] }, { apikey: 'one' })).status).toBe(403);
    expect((await ask({ jobs: [] }, { apikey: 'one' })).status).toBe(400);
    expect((await ask({ projectId: 'p-one', jobs: [] }, { apikey: 'one' })).status).toBe(200);
    expect((await ask({ projectId: 'p-one', jobs: [] }, { apikey: 'eu', host: 'au.localhost' })).status).toBe(403);
    expect((await ask({ jobs: [] }, { apikey: 'eu', host: 'au.localhost' })).status).toBe(403);
  });

  test('obeys scenarios of its project, magic ids and its header', async () => {
    const projectId = freshProject();
    const scenario = { name: 'busy', rules: [{ when: { where: { projectId } }, then: { respond: { status: 429 } } }] };
    const put = await sandbox.control('PUT', `/projects/${projectId}/scenarios`, { scenarios: [scenario] });
    expect(put.status).toBeLessThan(300);
    expect((await sandbox.api('POST', '/sync/projects/jobs/batch', { projectId, jobs: [] })).status).toBe(429);
    const other = freshProject();
    const failing = { projectId: other, jobs: [{ id: 'FAIL-GEOCODE-1' }] };
    const answer = await sandbox.api('POST', '/sync/projects/jobs/batch', failing);
    expect(answer.body.failed).toMatchObject([{ id: 'FAIL-GEOCODE-1' }]);
  });
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

describe('identifiers of records', () => {
  test('in a header', async () => {
    const projectId = freshProject();
    await sandbox.api('POST', '/sync/projects/jobs/batch', { projectId, jobs: [{ id: 'J-1' }] });
    const body = { projectId, status: 'DISPATCH' };
    const missing = await sandbox.api('PATCH', '/async/job', body);
    expect(missing).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'header:x-job', message: 'required, but missing' }] },
    });
    const update = await sandbox.api('PATCH', '/async/job', body, { 'X-Job': 'J-1' });
    expect(update.status).toBe(202);
    const wrong = await sandbox.api('PATCH', '/async/job', { ...body, id: 'J-2' }, { 'X-Job': 'J-1' });
    expect(wrong.body.errors).toEqual([{ path: '/id', message: 'expected "J-1" as in the header x-job, got "J-2"' }]);
    const named = await sandbox.control(
      'GET',
      `/projects/${projectId}/requests?record=jobs/J-1&operation=asyncUpdateJob`,
    );
    expect(named.body.items).toMatchObject([{ id: update.headers['x-request-id'] }, { status: 400 }]);
  });

  test('in the query and the path, with the project in a header', async () => {
    const projectId = freshProject();
    await sandbox.api('POST', '/sync/projects/orders', { projectId, orders: [{ id: 'O-1' }] });
    const project = { 'x-project': projectId };
    expect((await sandbox.api('PATCH', '/sync/order/O-1', { status: 'READY' }, project)).status).toBe(200);
    const missing = await sandbox.api('PATCH', '/sync/order/O-1', { status: 'READY' });
    expect(missing).toMatchObject({ status: 400, body: { errors: [{ path: 'header:x-project' }] } });
    const byQuery = await sandbox.api('PATCH', '/async/order?orderId=O-1', { projectId, status: 'READY' });
    expect(byQuery.status).toBe(202);
    const none = await sandbox.api('PATCH', '/async/order', { projectId, status: 'READY' });
    expect(none).toMatchObject({ status: 400, body: { errors: [{ path: 'query:orderId' }] } });
  });

  test('in the body of a user', async () => {
    const projectId = freshProject();
    const user = { projectId, username: 'ana', password: 'Secret!', type: 'driver', visibleBy: 'S1', access: 'DRIVER' };
    expect((await sandbox.api('POST', '/projects/users', user)).status).toBe(201);
    const change = await sandbox.api('PATCH', '/projects/users', { projectId, username: 'ana', firstName: 'Ana' });
    expect(change.status).toBe(200);
    const reset = await sandbox.api('PATCH', '/projects/users', { projectId, username: 'ana', password: 'Secret!' });
    expect(reset.headers['x-sandbox-warnings']).toBeUndefined();
    expect(await sandbox.items(projectId, 'users')).toMatchObject([{ username: 'ana', firstName: 'Ana' }]);
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

  test('is also OpenAPI 3.0', async () => {
    const { body } = await sandbox.control('GET', '/openapi.json?version=3.0');
    expect(body.components.schemas.JobCreateListWithProjectIdAndSubProjectId.required).toEqual([
      'projectId',
      'subProjectId',
      'jobs',
    ]);
  });
});
