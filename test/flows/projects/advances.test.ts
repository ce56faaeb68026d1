/** The length of the log of advances. flows/transcripts/advances.txt and under-way.txt have what each did. */
import { expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';
import { frozenProject } from '../callbacks/steps.ts';
import { sendPipelined } from '../pipeline.ts';

const sandbox = useSandbox();

const listAdvances = async (project: string) =>
  (await sandbox.control('GET', `/projects/${project}/clock/advances`)).body.items;

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

test('an advance counts the callbacks of the inbox and failed attempts, also those beyond its items', async () => {
  const project = await frozenProject(sandbox);
  const ids = Array.from({ length: 201 }, (_, n) => `FAIL-GEOCODE-${n}`);
  const send = (id: string) => sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id }] });
  await Promise.all(ids.map(send));
  await sandbox.advance(project);
  const url = 'http://127.0.0.1:9/';
  await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url });
  await send('FAIL-GEOCODE-more');
  await sandbox.advance(project);
  const toInbox = { delivered: 201, inbox: 201, failedAttempts: 0, work: { length: 200 } };
  expect(await listAdvances(project)).toMatchObject([{ delivered: 0, inbox: 0, failedAttempts: 5 }, toInbox]);
});
