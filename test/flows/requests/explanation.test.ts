/** One request explains its mistakes, each at its place, what happened to it, and what changed since it last worked. */
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
const differenceOf = async (project: string, id: string, query = '') =>
  (await sandbox.control('GET', `/projects/${project}/requests/${id}/difference${query}`)).body;

test('mistakes of entries, of the request and of its text have their places', async () => {
  const project = freshProject();
  const entries = await explanationOf(
    project,
    await importJobs(project, { jobs: [{ id: 'J-1' }, { id: 'J-2', status: 'DELIVERD' }], colour: 'red' }),
  );
  expect(entries.errors).toEqual([
    { kind: 'failed', path: '/jobs/1/status', message: expect.stringContaining('DELIVERD') },
    { kind: 'warning', path: '/colour', message: expect.stringContaining('unknown field') },
  ]);
  expect(entries.failed).toEqual([{ id: 'J-2', reason: expect.any(String) }]);
  expect(entries.ids).toEqual(['J-1', 'J-2']);

  const whole = await explanationOf(project, await importJobs(project, { jobs: 1 }));
  expect(whole.errors[0]).toMatchObject({ kind: 'mistake', path: '/jobs' });
  expect(whole.message).not.toBe('');
  const torn = await explanationOf(project, await importJobs(project, '{\n  "jobs": [,]}'));
  expect(torn.errors[0]).toMatchObject({ kind: 'mistake', path: '', line: 2, column: 12 });
});

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

test('a request is compared with the last one of its operation that was accepted as a whole', async () => {
  const project = freshProject();
  const headers = { 'x-version': '1' };
  expect((await differenceOf(project, await importJobs(project, { jobs: 1 }))).to).toBeNull();
  const good = await importJobs(project, { jobs: [{ id: 'J-1', status: 'DISPATCH', notes: 'a' }] }, headers);
  await sandbox.api('POST', `/async/projects/${project}/orders`, { orders: [{ id: 'O-1' }] });
  await importJobs(project, { jobs: [{ id: 'J-2', status: 'DELIVERD' }] });
  const bad = await importJobs(project, { jobs: [{ id: 'J-3', status: 'DELIVERD', priority: 2 }] });
  const { to, rows, rowCount } = await differenceOf(project, bad);
  expect(to).toMatchObject({ id: good, status: 202 });
  expect(rows[0]).toEqual({ part: 'body', path: '/jobs/0/status', from: 'DISPATCH', to: 'DELIVERD', isError: true });
  expect(rows.slice(1)).toEqual([
    { part: 'header', path: 'x-version', from: '1', isError: false },
    { part: 'body', path: '/jobs/0/id', from: 'J-1', to: 'J-3', isError: false },
    { part: 'body', path: '/jobs/0/notes', from: 'a', isError: false },
    { part: 'body', path: '/jobs/0/priority', to: 2, isError: false },
  ]);
  expect(rowCount).toBe(5);
  expect((await differenceOf(project, bad, `?to=${bad}`)).rows).toEqual([]);
  const missing = await sandbox.control('GET', `/projects/${project}/requests/${bad}/difference?to=req_0`);
  expect(missing.status).toBe(404);
});
