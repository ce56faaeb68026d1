/** The log of advances: under way, in parallel, and its length. flows/transcripts/advances.txt has what each did. */
import { expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { failLater, frozenProject } from '../callbacks/steps.ts';
import { sendPipelined } from '../pipeline.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

const listAdvances = async (project: string) =>
  (await sandbox.control('GET', `/projects/${project}/clock/advances`)).body.items;
const importJobs = (project: string, ...ids: readonly string[]) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });

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

test('an advance that is sent during another one starts where that ends, with its own work', async () => {
  const project = await frozenProject(sandbox, receiver.url());
  const started = Date.parse((await sandbox.control('GET', `/projects/${project}/clock`)).body.now);
  const advances: Promise<unknown>[] = [];
  receiver.handle(async () => {
    advances.push(sandbox.advance(project, '150ms'));
    // What is answered later was read later.
    await sandbox.control('GET', '/health');
    return 204;
  });
  await failLater(sandbox, project);
  await sandbox.advance(project, '250ms');
  await Promise.all(advances);
  const items: { readonly from: string; readonly to: string; readonly work: [] }[] = await listAdvances(project);
  expect(
    items.map(({ from, to, work }) => [Date.parse(from) - started, Date.parse(to) - started, work.length]),
  ).toEqual([
    [250, 400, 0],
    [0, 250, 2],
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
