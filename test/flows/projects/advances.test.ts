/** The log of advances: what each did, in its order, in memory until a reset. */
import { expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { failLater, frozenProject, onlyCallback } from '../callbacks/steps.ts';
import { sendPipelined } from '../pipeline.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

const listAdvances = async (project: string) =>
  (await sandbox.control('GET', `/projects/${project}/clock/advances`)).body.items;
const timeOf = async (project: string): Promise<string> =>
  (await sandbox.control('GET', `/projects/${project}/clock`)).body.now;
const importJobs = (project: string, ...ids: readonly string[]) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });

test('an advance lists the commands and attempts that it ran', async () => {
  const project = await frozenProject(sandbox, receiver.url());
  const from = await timeOf(project);
  receiver.answer(503, 204);
  const { headers } = await importJobs(project, 'A', 'FAIL-1');
  const result = await sandbox.advance(project, '10s');
  const { id, attempts } = await onlyCallback(sandbox, project);
  const of = { requestId: headers['x-request-id'], operation: 'asyncImportJobs' };
  const [first, second] = attempts.map(({ at }) => at);
  expect(await listAdvances(project)).toEqual([
    {
      number: 1,
      from,
      to: result.now,
      processed: 1,
      delivered: 1,
      pending: 0,
      work: [
        { at: first, kind: 'command', ...of, entries: 2, failed: 1 },
        { at: first, kind: 'callback', ...of, callbackId: id, status: 503 },
        { at: second, kind: 'callback', ...of, callbackId: id, status: 204 },
      ],
    },
  ]);
});

test('the newest comes first, and what ran between two advances is in neither', async () => {
  const project = await frozenProject(sandbox, 'http://127.0.0.1:9/');
  await failLater(sandbox, project);
  await sandbox.advance(project, '1s');
  const { id } = await onlyCallback(sandbox, project);
  await sandbox.control('POST', `/projects/${project}/callbacks/${id}/redeliver`);
  await sandbox.advance(project, '1s');
  const [second, first] = await listAdvances(project);
  expect([second, first]).toMatchObject([
    { number: 2, from: first.to, pending: 1, work: [] },
    { number: 1, pending: 1, work: [{ kind: 'command' }, { kind: 'callback', error: 'connection refused' }] },
  ]);
});

test('an attempt that was stored in the inbox has neither status nor error', async () => {
  const project = await frozenProject(sandbox);
  await failLater(sandbox, project);
  await sandbox.advance(project);
  const [{ work }] = await listAdvances(project);
  expect(Object.keys(work[1]).sort()).toEqual(['at', 'callbackId', 'kind', 'operation', 'requestId']);
});

test('a command that a receiver has sent meanwhile is listed', async () => {
  const project = await frozenProject(sandbox, receiver.url());
  receiver.handle(async () => {
    if (receiver.received.length === 1) await importJobs(project, 'FROM-RECEIVER');
    return 204;
  });
  await failLater(sandbox, project);
  const { processed } = await sandbox.advance(project, '5s');
  const [{ work }] = await listAdvances(project);
  expect(processed).toBe(2);
  expect(work.map(({ kind }: { kind: string }) => kind)).toEqual(['command', 'callback', 'command']);
});

test('parallel advances have their own work', async () => {
  const project = await frozenProject(sandbox, receiver.url());
  await failLater(sandbox, project);
  await Promise.all([sandbox.advance(project, '1s'), sandbox.advance(project, '1s'), sandbox.advance(project, '1s')]);
  const items = await listAdvances(project);
  expect(items.map(({ number, work }: { number: number; work: [] }) => [number, work.length])).toEqual([
    [3, 0],
    [2, 0],
    [1, 2],
  ]);
});

test('50 advances are stored, each with its first 200 items, and 1,000 items in all', async () => {
  const project = await frozenProject(sandbox);
  const path = `/async/projects/${project}/jobs`;
  for (let from = 0; from < 6; from += 1) {
    const toRequest = (_: unknown, n: number) => ({ method: 'POST', path, body: { jobs: [{ id: `${from}-${n}` }] } });
    await sendPipelined(sandbox.url(), Array.from({ length: 201 }, toRequest));
    await sandbox.advance(project);
  }
  const full = { processed: 201, work: { length: 200 }, workOmitted: 1 };
  const old = { processed: 201, work: [], workOmitted: 201 };
  expect(await listAdvances(project)).toMatchObject([full, full, full, full, full, old]);
  const metrics = () => sandbox.control('GET', '/metrics');
  const bytes = async () => Number(/^sandbox_memory_bytes (\d+)$/m.exec((await metrics()).text)?.[1]);
  const growth = async () => {
    const before = await bytes();
    await sandbox.advance(project, '1s');
    return (await bytes()) - before;
  };
  const early = await growth();
  for (let n = 0; n < 49; n += 1) await sandbox.advance(project, '1s');
  // The log counts 200 bytes for an advance. Now it drops one for each.
  expect(early - (await growth())).toBe(200);
  const items = await listAdvances(project);
  expect(items.map(({ number }: { number: number }) => number)).toEqual(Array.from({ length: 50 }, (_, n) => 57 - n));
  expect(items[0]).not.toHaveProperty('workOmitted');
});

test('a reset deletes the log', async () => {
  const project = await frozenProject(sandbox);
  await sandbox.advance(project, '1s');
  await sandbox.control('POST', `/projects/${project}/reset`);
  expect(await listAdvances(project)).toEqual([]);
  await sandbox.freeze(project);
  await sandbox.advance(project, '1s');
  expect(await listAdvances(project)).toMatchObject([{ number: 1 }]);
});
