/** A reader of the API sees its operations with every reference resolved, and gets requests that can be sent as they are. */
import { expect, test } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { operationIds } from '../../../src/operations/index.ts';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, type TestSandbox, useSandbox } from '../../harness/sandbox.ts';

const changes = {
  identifiers: { projectId: 'body', jobId: 'header:x-job' },
  operations: {
    asyncUpdateJob: { path: '/job' },
    asyncUpdateJobInSubproject: { path: '/subprojects/{subProjectId}/job' },
  },
} as const;

const sandbox = useSandbox();
const moved = useSandbox({ profile: writeProfile(changes) }, { ...shippedProfile, ...changes });

const operation = async (id: string, { control } = sandbox) =>
  (await control('GET', `/openapi.json?view=operations&operation=${id}`)).body.operations[0];
const sample = async (project: string, id: string, query = '', { control } = sandbox) =>
  (await control('GET', `/projects/${project}/samples/${id}${query}`)).body;

/** Sends a sample as it is, and returns the status. */
async function send(project: string, id: string, query = '', from: TestSandbox = sandbox): Promise<number> {
  const { method, url, headers, body } = await sample(project, id, query, from);
  return (await from.api(method, url, body, headers)).status;
}

test('lists all operations and the callback, sorted by heading', async () => {
  const { body } = await sandbox.control('GET', '/openapi.json?view=operations');
  expect(body).toMatchObject({ keyHeader: 'apikey' });
  expect(body.servers[0].url).toBe(sandbox.url());
  const ids = body.operations.map(({ id }: { id: string }) => id);
  expect([...ids].sort()).toEqual([...operationIds, 'downstreamFailed'].sort());
  const tags: string[] = body.operations.map(({ tag }: { tag: string }) => tag);
  expect(tags.filter((tag, index) => tag !== tags[index - 1])).toHaveLength(new Set(tags).size);
});

test('describes one operation with its fields, values, rules, assumptions, responses and callbacks', async () => {
  const { detail } = await operation('asyncImportJobs');
  const [jobs, id, ...others] = detail.body.fields;
  expect(jobs).toMatchObject({ name: 'jobs', type: 'object[]', isRequired: true, level: 0 });
  expect(id).toMatchObject({ name: 'id', isRequired: true, limits: ['not empty'], example: 'JOB-20931', level: 1 });
  const field = (name: string, level = 1) =>
    others.find((one: { name: string; level: number }) => one.name === name && one.level === level);
  expect(field('status').values).toContainEqual({ value: 'DISPATCH', description: 'On its way.' });
  expect(field('address').type).toBe('object');
  expect(field('streetAddress', 2).type).toBe('string');
  expect(detail.parameters).toMatchObject([{ name: 'projectId', place: 'path', identifier: 'projectId' }]);
  expect(detail.responses.map(({ status }: { status: string }) => status)).toContain('503');
  expect(detail.callbacks).toEqual(['downstreamFailed']);
  const { detail: user } = await operation('registerUser');
  expect(user.body.rules).toContain(
    'A driver needs `visibleBy`, the locations that can see the driver, such as ["BNE-014"].',
  );
  expect(user.body.fields).toContainEqual(expect.objectContaining({ name: 'DriverRegistration', type: 'one of' }));
  expect(await operation('fly')).toBeUndefined();
});

test('every sample is accepted, once there are records to update, and again with new ids', async () => {
  const project = freshProject();
  // What is accepted for later waits, so that the latest records do not depend on the time.
  await sandbox.freeze(project);
  const first = ['syncCreateJobs', 'syncImportOrders', 'registerUser', 'syncCreateJobsInSubproject'];
  for (const id of [...first, ...operationIds, ...operationIds]) {
    expect(await send(project, id), id).toBeLessThan(300);
  }
  const requests = await sandbox.items(project, 'requests');
  expect(requests.filter(({ entries }) => (entries as { refused: number }).refused > 0)).toEqual([]);
});

test('examples keep what decides about their ids, and name the operation that an update needs first', async () => {
  const project = freshProject();
  // Change 1 of the project.
  await sandbox.freeze(project);
  expect(await sample(project, 'asyncImportJobs', '?example=failingJob')).toMatchObject({
    url: `/async/projects/${project}/jobs`,
    body: { jobs: [{ id: 'FAIL-GEOCODE-2', status: 'PENDING' }] },
    newIds: ['FAIL-GEOCODE-2'],
  });
  expect(await sample(project, 'syncUpdateOrder')).toMatchObject({
    missing: { collection: 'orders', createdBy: 'syncImportOrders' },
  });
  expect(await send(project, 'syncImportOrders')).toBe(200);
  const [order] = await sandbox.items(project, 'orders');
  const update = await sample(project, 'syncUpdateOrder');
  expect(update.parameters).toEqual({ projectId: project, orderId: order?.['id'] });
  expect(update.missing).toBeUndefined();
});

test('a profile moves the identifiers of samples', async () => {
  const project = freshProject();
  expect(await send(project, 'syncCreateJobs', '?example=oneJob', moved)).toBe(200);
  const [{ id } = {}] = await moved.items(project, 'jobs');
  const update = await sample(project, 'asyncUpdateJob', '?example=deliverJob', moved);
  expect(update).toMatchObject({
    url: '/job',
    headers: { 'x-job': id },
    body: { projectId: project, status: 'DELIVERED' },
    parameters: { jobId: id },
  });
  const { detail } = await operation('asyncUpdateJob', moved);
  expect(detail.parameters).toMatchObject([{ name: 'x-job', place: 'header', identifier: 'jobId' }]);
  expect(await send(project, 'asyncUpdateJob', '', moved)).toBe(202);
});
