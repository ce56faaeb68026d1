/** Projects that outlive their server: what was answered is there again, and goes on as if nothing had been. */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { startListening } from '../callbacks/listener-steps.ts';
import { type KeptSandbox, useFolders } from '../data-steps.ts';

const { fresh, start } = useFolders();

const at = ({ sandbox, control }: KeptSandbox) => ({ url: () => sandbox.url, control });

/** The same sandbox again. */
async function restart(before: { close(): Promise<void> }, ...how: Parameters<typeof start>) {
  await before.close();
  return start(...how);
}

/** What is there of projects, beside what the server has there for itself. */
const worldFiles = (folder: string) =>
  readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .sort();

const instant = '2026-03-02T09:00:00.000Z';

test('a callback of a listener waits for it after the restart, and is not sent again after 2xx', async () => {
  const folder = fresh();
  const first = await start(folder, { clock: instant });
  const listener = await startListening(at(first), 'p');
  await first.api('POST', '/async/projects/p/jobs', { jobs: [{ id: 'FAIL-A' }] });
  const advanced = first.control('POST', '/projects/p/clock/advance', { by: '1s' });
  await listener.answerNext(200);
  await advanced;
  await first.api('POST', '/async/projects/p/jobs', { jobs: [{ id: 'FAIL-B' }] });
  const unanswered = first.control('POST', '/projects/p/clock/advance', { by: '1s' }).catch(() => undefined);
  const { callbackId } = await listener.next();
  const second = await restart(first, folder, { clock: instant });
  expect(await listener.gone()).toEqual({ reason: 'stopping' });
  await unanswered;
  const again = await startListening(at(second), 'p');
  const resumed = second.control('POST', '/projects/p/clock/advance', { until: 'idle' });
  expect(await again.answerNext(200)).toMatchObject([{ callbackId, number: 1 }]);
  await resumed;
  const { items } = (await second.control('GET', '/projects/p/callbacks')).body;
  expect(items.map(({ state }: { state: string }) => state)).toEqual(['delivered', 'delivered']);
});

describe('callbacks', () => {
  const failing = { jobs: [{ id: 'FAIL-1' }] };
  const receiver = useReceiver();

  test('an interrupted attempt is repeated, with all pending copies', async () => {
    const folder = fresh();
    const first = await start(folder, { callbackUrl: receiver.url() });
    const scenario = { name: 'twice', rules: [{ then: { callback: { copies: 2 } } }] };
    await first.control('PUT', '/projects/p/scenarios', { scenarios: [scenario] });
    receiver.answer('hang');
    await first.api('POST', '/async/projects/p/jobs', failing);
    await receiver.waitFor(1);
    const second = await restart(first, folder, { callbackUrl: receiver.url() });
    await receiver.waitFor(3);
    const { body } = await second.control('GET', '/projects/p/callbacks?state=delivered&await=5s');
    expect(body.items).toHaveLength(1);
    const third = await restart(second, folder, { callbackUrl: receiver.url() });
    expect((await third.control('GET', '/projects/p/pending')).body.items).toEqual([]);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids)).toEqual(new Set([body.items[0].id]));
  });

  test('attempts are counted by the server that makes them, and only once', async () => {
    const folder = fresh();
    const options = { clock: instant, callbackUrl: receiver.url() };
    const first = await start(folder, options);
    receiver.answer(500, 500);
    await first.api('POST', '/async/projects/p/jobs', failing);
    await first.control('POST', '/projects/p/clock/advance', { by: '1s' });
    const second = await restart(first, folder, options);
    const counts = async (): Promise<string[]> =>
      (await (await fetch(`${second.sandbox.url}/_sandbox/metrics`)).text()).match(
        /^sandbox_callback_attempts_total.* [1-9]\d*$/gm,
      ) ?? [];
    const count = (outcome: string) => `sandbox_callback_attempts_total{outcome="${outcome}"} 1`;
    await second.control('POST', '/projects/p/clock/advance', { by: '5s' });
    expect(await counts()).toEqual([count('refused')]);
    await second.control('POST', '/projects/p/clock/advance', { until: 'idle' });
    expect(await counts()).toEqual([count('delivered'), count('refused')]);
    const covered = (await second.control('GET', '/projects/p/coverage')).body;
    expect(JSON.stringify(covered)).toContain('"retried"');
  });

  test('the secret of a project is in its file, that of the options is in none', async () => {
    const folder = fresh();
    const { api, control } = await start(folder, { clock: instant, callbackUrl: receiver.url() });
    await api('POST', '/async/projects/usual/jobs', failing);
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    await control('PUT', '/projects/own/callback-endpoint', { url: receiver.url(), secret });
    const texts = worldFiles(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
    expect(texts.join()).toContain(secret);
    expect(texts.join()).not.toContain(defaultSecret);
  });
});

describe('a reset', () => {
  const job = { jobs: [{ id: 'A' }] };

  test('deletes the file before its response; later requests start fresh', async () => {
    const folder = fresh();
    const first = await start(folder);
    for (const project of ['p', 'q']) await first.api('POST', `/sync/projects/${project}/jobs/batch`, job);
    expect(worldFiles(folder)).toEqual(['p.json', 'q.json']);
    expect((await first.control('POST', '/projects/p/reset')).status).toBe(200);
    expect(worldFiles(folder)).toEqual(['q.json']);
    await first.api('POST', '/sync/projects/p/jobs/batch', { jobs: [{ id: 'B' }] });
    const second = await restart(first, folder);
    expect((await second.control('GET', '/projects/p/jobs')).body.items).toMatchObject([{ id: 'B' }]);
    expect((await second.control('POST', '/reset')).body.projects).toBe(2);
    expect(worldFiles(folder)).toEqual([]);
    await second.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('during other requests leaves nothing of the earlier state', async () => {
    const folder = fresh();
    const first = await start(folder);
    const importing = Array.from({ length: 20 }, () => first.api('POST', '/sync/projects/p/jobs/batch', job));
    const resets = Array.from({ length: 5 }, () => first.control('POST', '/projects/p/reset'));
    for (const told of await Promise.all([...importing, ...resets])) expect(told.status).toBe(200);
    await first.control('POST', '/projects/p/reset');
    const second = await restart(first, folder);
    expect((await second.control('GET', '/projects')).body.items).toEqual([]);
  });
});

test('restores all parallel requests, each answered after it was written', async () => {
  const folder = fresh();
  const first = await start(folder);
  const imports = Array.from({ length: 50 }, (_, n) =>
    first.api('POST', '/sync/projects/p/jobs/batch', { jobs: [{ id: `J-${n}` }] }).then(({ status }) => {
      expect(readFileSync(path.join(folder, 'p.json'), 'utf8')).toContain(`"J-${n}"`);
      return status;
    }),
  );
  expect(new Set(await Promise.all(imports))).toEqual(new Set([200]));
  const second = await restart(first, folder);
  expect((await second.control('GET', '/projects/p')).body.counts.jobs).toBe(50);
});

describe("if the file can't be written", () => {
  /** A folder in the place of what is written keeps it from being written, whoever runs the test. */
  const block = (folder: string) => mkdirSync(blockOf(folder));
  const unblock = (folder: string) => rmdirSync(blockOf(folder));
  const blockOf = (folder: string) =>
    path.join(folder, readdirSync(folder).find((name) => name.startsWith('.writing-')) ?? '', 'p.json');

  test('a request gets 500 with its id, the log has the reason, and the next write contains everything', async () => {
    const folder = fresh();
    const first = await start(folder);
    block(folder);
    const told = await first.api('POST', '/sync/projects/p/jobs/batch', { jobs: [{ id: 'A' }] });
    expect(told.status).toBe(500);
    expect(told.body.message).toContain(told.id);
    expect(first.remarks).toContainEqual(
      `responded to ${told.id} with 500: ${folder}/p.json: can't be written (EISDIR)`,
    );
    const looked = await first.control('GET', '/projects/p/jobs');
    expect([looked.status, looked.body.message]).toEqual([500, expect.stringContaining(looked.id ?? 'none')]);
    unblock(folder);
    expect((await first.api('POST', '/sync/projects/p/jobs/batch', { jobs: [{ id: 'B' }] })).status).toBe(200);
    const journal = (await first.control('GET', '/projects/p/requests')).body.items;
    expect(journal.map(({ status }: { status: number }) => status)).toEqual([500, 200]);
    const second = await restart(first, folder);
    expect((await second.control('GET', '/projects/p/jobs')).body.items).toMatchObject([{ id: 'A' }, { id: 'B' }]);
  });

  test('other projects and the server are not affected', async () => {
    const folder = fresh();
    const first = await start(folder);
    block(folder);
    await first.api('POST', '/sync/projects/p/jobs/batch', { jobs: [{ id: 'A' }] });
    expect((await first.api('POST', '/sync/projects/q/jobs/batch', { jobs: [{ id: 'A' }] })).status).toBe(200);
    expect((await first.control('GET', '/health')).status).toBe(200);
    expect((await first.control('POST', '/reset')).status).toBe(200);
    unblock(folder);
  });
});

test('a reset while a client waits for callbacks leaves nothing of the project', async () => {
  const { control } = await start(fresh(), { clock: instant });
  await control('POST', '/projects/p/callbacks', { type: 'jobs.import.failed' });
  const waiting = control('GET', '/projects/p/callbacks?await=1m&min=2');
  while ((await control('GET', '/projects/p')).body.usage.waiting === 0);
  await control('POST', '/projects/p/reset');
  expect((await waiting).body).toEqual({ satisfied: false, items: [] });
  expect((await control('GET', '/projects')).body.items).toEqual([]);
});

test('after another server has taken the folder, no request is confirmed as saved, and one log line reports it', async () => {
  const folder = fresh();
  const first = await start(folder);
  const job = (id: string) => ({ jobs: [{ id }] });
  expect((await first.api('POST', '/sync/projects/p/jobs/batch', job('A'))).status).toBe(200);
  const other = JSON.stringify({ id: 'other', pid: 1, beganAt: 1, host: 'there', space: 'theirs' });
  writeFileSync(path.join(folder, '.lock'), other);
  for (const name of readdirSync(folder))
    if (name.startsWith('.writing-')) rmSync(path.join(folder, name), { recursive: true });
  const before = readFileSync(path.join(folder, 'p.json'), 'utf8');
  for (const [method, where] of [
    ['POST', '/sync/projects/p/jobs/batch'],
    ['PATCH', '/sync/projects/p/jobs/batch'],
    ['POST', '/async/projects/new/jobs'],
  ] as const) {
    const told = await first.api(method, where, job('B'));
    expect([told.status, told.body.message]).toEqual([500, expect.stringContaining(told.id ?? 'none')]);
  }
  expect((await first.control('POST', '/projects/p/reset')).status).toBe(500);
  const taken = `--data: ${folder} was taken over by a sandbox on there (process 1), because this server did not refresh its lock in time`;
  expect(first.remarks.filter((text) => !text.startsWith('responded to '))).toEqual([taken]);
  await first.close();
  expect(readFileSync(path.join(folder, 'p.json'), 'utf8')).toBe(before);
  expect(readFileSync(path.join(folder, '.lock'), 'utf8')).toBe(other);
});

test('a file that has become long by changes is written again', async () => {
  const folder = fresh();
  const first = await start(folder, { clock: instant });
  const sizes: number[] = [];
  const attributes = { padding: 'x'.repeat(50_000) };
  for (let n = 0; n < 8; n += 1) {
    const orders = [{ id: `O-${n}`, attributes }];
    expect((await first.api('POST', '/sync/projects/p/orders', { orders })).body.failed).toEqual([]);
    const change = { status: 'DISPATCH', attributes };
    expect((await first.api('PATCH', '/sync/projects/p/orders/O-0', change)).status).toBe(200);
    sizes.push(statSync(path.join(folder, 'p.json')).size);
  }
  // It grows by each change, until the changes are longer than 256 kB and the whole project.
  expect(sizes[2]).toBeGreaterThan(250_000);
  expect(Math.max(...sizes)).toBeLessThan(600_000);
  await first.close();
  const second = await start(folder, { clock: instant });
  expect((await second.control('GET', '/projects/p')).body.counts.orders).toBe(8);
});

test('two servers never share a folder, even in one process; a failed start releases it', async () => {
  const folder = fresh();
  const first = await start(folder);
  await expect(start(folder)).rejects.toThrow(`--data: ${folder} is in use by another sandbox of this process`);
  const port = new URL(first.sandbox.url).port;
  const other = fresh();
  await expect(start(other, { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await (await start(other)).close();
});
