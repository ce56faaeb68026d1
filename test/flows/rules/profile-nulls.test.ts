/** `nulls: ignore`: null is read as absent, in objects at any depth. */
import { expect, test } from 'vitest';
import type { Json } from '../../../src/lib/json.ts';
import { freshProject } from '../../harness/sandbox.ts';
import { withProfile } from '../profile-steps.ts';

const sandbox = withProfile('nulls: ignore');
const job = {
  id: 'J-1',
  status: null,
  customer: { firstName: 'Ana', phone: null },
  attributes: { a: null, b: [null, { c: null }] },
  colour: null,
};

test('fields with null are neither mistakes nor stored', async () => {
  const project = freshProject();
  const body = { jobs: [job], dryRun: null };
  const response = await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, body);
  expect(response.body.failed).toEqual([]);
  expect(response.headers['x-sandbox-warnings']).toBeUndefined();
  const [stored] = await sandbox.items(project, 'jobs');
  expect(stored).toMatchObject({ customer: { firstName: 'Ana' }, attributes: { b: [null, {}] } });
  expect(JSON.stringify(stored)).not.toMatch(/"(?:status|phone|a|c|colour)":null/);
  const [request] = await sandbox.items(project, 'requests');
  expect(JSON.stringify(request)).not.toContain('removed');
});

test('large imports, which are stored as text, have none either', async () => {
  const project = freshProject();
  const jobs = Array.from({ length: 4000 }, (_, index) => ({ ...job, id: `J-${index}`, fulfiller: 'x'.repeat(150) }));
  const response = await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
  expect(response.body.jobsReceived).toBe(4000);
  const stored = await sandbox.items(project, 'jobs');
  expect(stored.filter((one) => 'status' in one || 'phone' in (one['customer'] as Json))).toEqual([]);
});

test('a required field with null is missing, and an item of a list cannot be null', async () => {
  const project = freshProject();
  const jobs = [{ id: null }, { id: 'J-2', tags: [null] }, null];
  const { body } = await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
  expect(body.failed).toEqual([
    { id: '', reason: 'id: required, but missing' },
    { id: 'J-2', reason: 'tags/0: expected a string, got null' },
    { id: '', reason: 'expected an object, got null' },
  ]);
  const user = await sandbox.api('POST', `/projects/${project}/users`, { username: 'ana', password: null });
  expect(user.body.errors).toContainEqual({ path: '/password', message: 'required, but missing' });
});

test('driver: null unassigns the driver of a job', async () => {
  const project = freshProject();
  await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, {
    jobs: [
      { id: 'J-1', driver: { firstName: 'Ana', phone: null } },
      { id: 'J-2', driver: { firstName: 'Bo' } },
    ],
  });
  await sandbox.api('PATCH', `/sync/projects/${project}/jobs`, { id: 'J-1', status: 'PENDING', driver: null });
  await sandbox.api('PATCH', `/sync/projects/${project}/jobs/batch`, { jobs: [{ id: 'J-2', driver: null }] });
  expect((await sandbox.items(project, 'jobs')).map(({ driver }) => driver)).toEqual([null, null]);
});

test('the served document has nullable types, in both versions', async () => {
  const schemas = async (query: string) =>
    (await sandbox.control('GET', `/openapi.json${query}`)).body.components.schemas;
  const newer = await schemas('');
  const { properties, required } = newer.JobCreate;
  expect(properties.fulfiller.type).toEqual(['string', 'null']);
  expect(properties.address.$ref).toBe('#/components/schemas/AddressOrNull');
  expect([required, properties.id.type]).toEqual([['id'], 'string']);
  const access = newer.UserRegistration.properties.access;
  expect(newer[access.$ref.split('/').at(-1)].anyOf).toContainEqual({ type: 'null' });
  const older = await schemas('?version=3.0');
  expect(older.UserRegistration.properties.access).toMatchObject({ type: 'array', nullable: true });
  expect(older.JobCreate.properties.fulfiller).toMatchObject({ type: 'string', nullable: true });
  expect(older.AddressOrNull).toMatchObject({ type: 'object', nullable: true });
});
