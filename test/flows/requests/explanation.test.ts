/** A request explains the steps of what happened to it. */
import { expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

const importJobs = async (project: string, body: unknown, headers?: Record<string, string>) => {
  const response = await sandbox.api('POST', `/async/projects/${project}/jobs`, body, headers);
  return String(response.headers['x-request-id']);
};
const explanationOf = async (project: string, id: string) =>
  (await sandbox.control('GET', `/projects/${project}/requests/${id}`)).body.explanation;

test('the steps are in order, from the request to the attempt that is due', async () => {
  const project = freshProject();
  await sandbox.freeze(project);
  receiver.handle(() => 503);
  await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
  const id = await importJobs(project, { jobs: [{ id: 'J-1' }, { id: 'FAIL-2' }] });
  const kinds = async () => (await explanationOf(project, id)).steps.map(({ kind }: { kind: string }) => kind);
  expect(await kinds()).toEqual(['request', 'processing']);
  expect((await explanationOf(project, id)).steps[1]).toMatchObject({ text: 'Processing, 2 entries pending' });
  await sandbox.advance(project, '1s');
  expect(await kinds()).toEqual(['request', 'processing', 'stored', 'failed', 'attempt', 'due']);
  const { steps, clock } = await explanationOf(project, id);
  expect(steps[1].endAt).toBe(steps[2].at);
  expect(steps[2].text).toBe('1 record created or updated');
  expect(steps[3]).toMatchObject({ text: '1 entry failed', failed: [{ id: 'FAIL-2' }], failedCount: 1 });
  expect(steps[4]).toMatchObject({ text: 'First attempt', status: 503, attempt: 1, callback: steps[3].callback });
  expect(steps[5]).toMatchObject({ attempt: 2 });
  expect(clock).toMatchObject({ mode: 'frozen', pending: 1 });
});
