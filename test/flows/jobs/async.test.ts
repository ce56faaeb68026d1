/** Asynchronous operations accept at once, carry out later, and tell of failures by callback. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { callbacksOf, frozenProject, onlyCallback } from '../callbacks/steps.ts';

const sandbox = useSandbox();

const ids = Array.from({ length: 1000 }, (_, index) => `J-${index + 1}`);
const toJobs = (names: readonly string[], more = {}) => names.map((id) => ({ id, ...more }));
const importJobs = (project: string, jobs: object[], headers = {}) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs }, headers);
const updateJobs = (project: string, jobs: object[]) =>
  sandbox.api('PATCH', `/async/projects/${project}/jobs`, { jobs });

function swap(at: Readonly<Record<number, string>>): string[] {
  return ids.map((id, index) => at[index + 1] ?? id);
}

test('an import accepts 1,000 jobs, and one callback reports the three that exist already', async () => {
  const project = await frozenProject(sandbox);
  await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: toJobs(['Z', 'M', 'A']) });
  const response = await importJobs(project, toJobs(swap({ 7: 'Z', 500: 'A', 1000: 'M' })));

  expect(response.status).toBe(202);
  expect(response.body).toMatchObject({ jobsReceived: 1000, failed: [] });
  expect(response.body.jobs).toHaveLength(1000);
  expect(await sandbox.items(project, 'jobs')).toHaveLength(3);
  expect(await callbacksOf(sandbox, project)).toEqual([]);

  expect(await sandbox.advance(project, '199ms')).toMatchObject({ processed: 0, pending: 1 });
  expect(await sandbox.advance(project, '1ms')).toMatchObject({ processed: 1, delivered: 1, pending: 0 });
  const callback = await onlyCallback(sandbox, project);
  expect(callback.body.data.failed.map(({ id }) => id)).toEqual(['Z', 'A', 'M']);
  expect(callback.body.data.failed[0]?.reason).toBe('job Z exists already');
  const counts = (await sandbox.control('GET', `/projects/${project}`)).body.counts;
  expect(counts).toMatchObject({ jobs: 1000, callbacks: 1, pending: 0 });
});

test('one callback reports the three unknown of 1,000 updated jobs, in the order of the request', async () => {
  const project = await frozenProject(sandbox);
  await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: toJobs(ids) });
  const response = await updateJobs(project, toJobs(swap({ 1: 'U-3', 2: 'U-1', 999: 'U-2' }), { status: 'DELIVERED' }));
  expect(response.status).toBe(202);
  expect(response.body.failed).toEqual([]);

  await sandbox.advance(project);
  const callback = await onlyCallback(sandbox, project);
  expect(callback.type).toBe('jobs.update.failed');
  expect(callback.body.data.failed).toEqual(
    ['U-3', 'U-1', 'U-2'].map((id) => ({ id, reason: `job ${id} is unknown` })),
  );
  const delivered = (await sandbox.items(project, 'jobs')).filter(({ status }) => status === 'DELIVERED');
  expect(delivered).toHaveLength(997);
});

test('of 50 parallel imports of one id, the first accepted one wins', async () => {
  const project = await frozenProject(sandbox);
  const answers = await Promise.all(
    ids.slice(0, 50).map((_, sequence) => importJobs(project, [{ id: 'A', sequence }])),
  );
  const requests = await sandbox.items(project, 'requests');
  expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(50);
  await sandbox.advance(project);
  const [job] = await sandbox.items(project, 'jobs');
  const callbacks = await callbacksOf(sandbox, project);
  expect(callbacks).toHaveLength(49);
  const failed = new Set(callbacks.map(({ requestId }) => requestId));
  const winners = requests.filter(({ id }) => !failed.has(String(id)));
  expect(winners).toMatchObject([
    { request: { body: JSON.stringify({ jobs: [{ id: 'A', sequence: job?.['sequence'] }] }) } },
  ]);
});

test('a real clock applies commands without an advance', async () => {
  const project = freshProject();
  await importJobs(project, [{ id: 'A' }, { id: 'FAIL-1' }]);
  const path = `/projects/${project}/callbacks?await=10s&state=inbox`;
  expect((await sandbox.control('GET', path)).body).toMatchObject({ satisfied: true, items: [{ state: 'inbox' }] });
  expect(await sandbox.items(project, 'jobs')).toMatchObject([{ id: 'A' }]);
});
