/** Asynchronous imports at the same time. transcripts/jobs.txt has the others. */
import { expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';
import { callbacksOf, frozenProject } from '../callbacks/steps.ts';

const sandbox = useSandbox();

const importJobs = (project: string, jobs: object[]) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });

test('of 50 parallel imports of one id, the first accepted one wins', async () => {
  const project = await frozenProject(sandbox);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, sequence) => importJobs(project, [{ id: 'A', sequence }])),
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
