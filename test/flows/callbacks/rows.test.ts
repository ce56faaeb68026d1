/** Lists of callbacks as rows of a table: filtered, newest first, and with counts for each filter. */
import { expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { failLater, frozenProject } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

const list = async (project: string, query: string) =>
  (await sandbox.control('GET', `/projects/${project}/callbacks?${query}`)).body;
const idsOf = async (project: string, query: string): Promise<string[]> =>
  (await list(project, `view=rows&${query}`)).items.map((row: { ids: string[] }) => row.ids[0]);

/** A project with an import that was delivered at the second attempt, one that fails, and a failed update. */
async function projectOfThree() {
  const project = await frozenProject(sandbox, receiver.url());
  receiver.answer({ status: 500, headers: {}, body: Buffer.from('busy') }, 204);
  const first = await failLater(sandbox, project, '1');
  await sandbox.advance(project);
  receiver.handle(() => 500);
  await failLater(sandbox, project, '2');
  await sandbox.advance(project);
  const jobs = [{ id: 'FAIL-3', status: 'DISPATCH' }];
  await sandbox.api('PATCH', `/async/projects/${project}/jobs`, { jobs });
  await sandbox.advance(project, '1s');
  return { project, first };
}

test('a row has the ids, and of each attempt the status and the latency', async () => {
  const { project, first } = await projectOfThree();
  const { items } = await list(project, 'view=rows');
  expect(items).toHaveLength(3);
  expect(items[0]).toEqual({
    id: expect.stringMatching(/^msg_/),
    at: items[0].attempts[0].at,
    project,
    type: 'jobs.import.failed',
    state: 'delivered',
    requestId: first,
    operation: 'asyncImportJobs',
    dueAt: expect.any(String),
    ids: ['FAIL-1'],
    idCount: 1,
    attempts: [
      { at: expect.any(String), cause: 'schedule', status: 500, durationMs: expect.any(Number) },
      { at: expect.any(String), cause: 'schedule', status: 204, durationMs: expect.any(Number) },
    ],
    attemptCount: 2,
  });
});

test('a row has the first three ids, and the last 20 attempts', async () => {
  const project = await frozenProject(sandbox, receiver.url());
  const jobs = Array.from({ length: 4 }, (_, n) => ({ id: `FAIL-${n}` }));
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });
  await sandbox.advance(project);
  const { items } = await list(project, 'view=rows');
  for (let n = 0; n < 20; n += 1) {
    await sandbox.control('POST', `/projects/${project}/callbacks/${items[0].id}/redeliver`);
  }
  const [row] = (await list(project, 'view=rows')).items;
  expect(row).toMatchObject({ ids: ['FAIL-0', 'FAIL-1', 'FAIL-2'], idCount: 4, attemptCount: 21 });
  expect(row.attempts.map(({ cause }: { cause: string }) => cause)).toEqual(Array(20).fill('redelivery'));
});

test('filters combine: several values of one are alternatives', async () => {
  const { project, first } = await projectOfThree();
  expect(await idsOf(project, 'state=delivered,failed')).toEqual(['FAIL-1', 'FAIL-2']);
  expect(await idsOf(project, 'type=jobs.update.failed,orders.import.failed')).toEqual(['FAIL-3']);
  expect(await idsOf(project, 'operation=asyncImportJobs&state=failed')).toEqual(['FAIL-2']);
  expect(await idsOf(project, `requestId=${first},req_0`)).toEqual(['FAIL-1']);
  expect(await idsOf(project, 'entity=FAIL-3,FAIL-1')).toEqual(['FAIL-1', 'FAIL-3']);
  expect(await idsOf(project, 'entity=FAIL')).toEqual([]);
  expect(await idsOf(project, 'contains=fail-2')).toEqual(['FAIL-2']);
  expect(await idsOf(project, `contains=${first}`)).toEqual(['FAIL-1']);
  expect(await idsOf(project, 'contains=JOBS.update&state=failed')).toEqual([]);
  const [{ id }] = (await list(project, 'view=rows')).items;
  expect(await idsOf(project, `since=${id}`)).toEqual(['FAIL-2', 'FAIL-3']);
});

test('the newest come first in pages', async () => {
  const { project } = await projectOfThree();
  const first = await list(project, 'view=rows&order=newest&limit=2');
  expect(first.items.map((row: { ids: string[] }) => row.ids[0])).toEqual(['FAIL-3', 'FAIL-2']);
  expect(await idsOf(project, `order=newest&limit=2&cursor=${first.next}`)).toEqual(['FAIL-1']);
});

test('each group is counted under all filters except its own', async () => {
  const { project } = await projectOfThree();
  expect((await list(project, 'counts=true')).counts).toEqual({
    total: 3,
    state: { delivered: 1, failed: 1, scheduled: 1 },
    type: { 'jobs.import.failed': 2, 'jobs.update.failed': 1 },
    operation: { asyncImportJobs: 2, asyncUpdateJobs: 1 },
  });
  expect((await list(project, 'counts=true&state=failed&view=rows')).counts).toEqual({
    total: 1,
    state: { delivered: 1, failed: 1, scheduled: 1 },
    type: { 'jobs.import.failed': 1 },
    operation: { asyncImportJobs: 1 },
  });
  expect(await list(project, 'limit=1')).not.toHaveProperty('counts');
});

test('counts are in the order of their values, as those of requests are', async () => {
  const project = await frozenProject(sandbox);
  const path = `/async/projects/${project}/jobs`;
  for (const method of ['PATCH', 'POST']) {
    await sandbox.api(method, path, { jobs: [{ id: 'FAIL-1', status: 'DISPATCH' }] });
    await sandbox.advance(project);
  }
  const { counts } = await list(project, 'counts=true');
  expect(Object.keys(counts.type)).toEqual(['jobs.import.failed', 'jobs.update.failed']);
  expect(Object.keys(counts.operation)).toEqual(['asyncImportJobs', 'asyncUpdateJobs']);
});

test('without callbacks, all counts are empty', async () => {
  const project = await frozenProject(sandbox);
  expect((await list(project, 'counts=true')).counts).toEqual({ total: 0, state: {}, type: {}, operation: {} });
});

test('an unknown state, type or operation is an error with a suggestion', async () => {
  const project = await frozenProject(sandbox);
  for (const [query, path, said] of [
    ['state=failed,lost', 'query:state', 'expected scheduled, delivered'],
    ['type=jobs.import.failed,job.import.failed', 'query:type', 'did you mean jobs.import.failed?'],
    ['operation=asyncImportJob', 'query:operation', 'did you mean asyncImportJobs?'],
    ['since=msg_none', 'query:since', 'expected the id of a callback'],
    ['since=msg_none&type=none', 'query:type', 'expected a type of callbacks'],
  ] as const) {
    const { status, body } = await sandbox.control('GET', `/projects/${project}/callbacks?${query}`);
    expect([status, body.errors[0].path]).toEqual([400, path]);
    expect(body.message).toContain(said);
  }
});
