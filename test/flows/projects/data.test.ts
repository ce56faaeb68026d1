/** Projects that outlive their server: what was answered is there again, and goes on as if nothing had been. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { createTestWall } from '../../harness/wall.ts';
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

test('restores records, clock, scenarios, their counts and the endpoint; the journal is empty', async () => {
  const folder = fresh();
  const first = await start(folder, { clock: instant });
  await first.api('POST', '/sync/projects/p/jobs/batch', { jobs: [{ id: 'A', tags: ['x'] }, { id: '__proto__' }] });
  await first.api('POST', '/projects/p/locations', { deviceId: 'D', eventDateTime: instant });
  await first.control('PUT', '/projects/p/scenarios', {
    scenarios: [{ name: 'second', rules: [{ when: { request: { nth: 2 } }, then: { respond: { status: 503 } } }] }],
  });
  await first.control('PUT', '/projects/p/callback-endpoint', { url: 'http://127.0.0.1:9/', disabled: true });
  await first.control('POST', '/projects/p/clock/advance', { by: '90m' });
  expect((await first.api('POST', '/sync/projects/p/orders', { orders: [{ id: 'O' }] })).status).toBe(200);
  const before = (await first.control('GET', '/projects/p')).body;
  const snapshot = (await first.control('GET', '/projects/p/snapshot')).body;
  expect(before.clock.now).toBe('2026-03-02T10:30:00.000Z');

  const second = await restart(first, folder, { clock: instant });
  expect((await second.control('GET', '/projects')).body.items.map(({ id }: { id: string }) => id)).toEqual(['p']);
  const after = (await second.control('GET', '/projects/p')).body;
  // What the journal held is no longer counted.
  const usage = { ...before.usage, bytes: after.usage.bytes };
  expect(after).toEqual({ ...before, usage, counts: { ...before.counts, requests: 0 } });
  expect((await second.control('GET', '/projects/p/snapshot')).body).toEqual(snapshot);
  // The first request of the scenario was before, so this is its second.
  expect((await second.api('POST', '/sync/projects/p/orders', { orders: [{ id: 'O-2' }] })).status).toBe(503);
  expect((await second.api('POST', '/sync/projects/p/orders', { orders: [{ id: 'O-3' }] })).status).toBe(200);
});

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

test('a scenario continues with its expressions, chances and expectations', async () => {
  const folder = fresh();
  const scenario = {
    name: 'own',
    rules: [
      { name: 'by id', when: { item: { where: { id: { matches: '^X-[0-9]+$' } } } }, then: { refuse: 'no X' } },
      { name: 'by chance', chance: 0.5, when: { operation: 'syncImportOrders' }, then: { respond: { status: 503 } } },
    ],
    expect: [{ requests: { operation: 'syncCreateJobs', count: 2 } }],
  };
  const play = async (restartsAt: number) => {
    const project = `p${restartsAt}`;
    let kept = await start(folder, { clock: instant });
    await kept.control('PUT', `/projects/${project}/scenarios`, { scenarios: [scenario] });
    const answers: unknown[] = [];
    for (let n = 0; n < 12; n += 1) {
      if (n === restartsAt) kept = await restart(kept, folder, { clock: instant });
      const jobs = n % 6 === 0 ? [{ id: `X-${n}` }, { id: `Y-${n}` }] : undefined;
      const told = jobs
        ? await kept.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs })
        : await kept.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: `O-${n}` }] });
      answers.push([told.status, told.body.failed]);
    }
    const { items } = (await kept.control('GET', `/projects/${project}/expectations`)).body;
    await kept.close();
    return { answers, met: items.map(({ met, count }: { met: boolean; count: number }) => [met, count]) };
  };
  const whole = await play(99);
  expect(whole.answers).toContainEqual([200, [{ id: 'X-6', reason: 'no X' }]]);
  expect(new Set(whole.answers.map((one) => (one as number[])[0]))).toEqual(new Set([200, 503]));
  expect(await play(5)).toEqual(whole);
});

test.each([1, 4])("a window of the profile's rate continues after %i requests", async (restartsAfter) => {
  const folder = fresh();
  const profile = path.join(fresh(), 'profile.yaml');
  mkdirSync(path.dirname(profile), { recursive: true });
  writeFileSync(profile, 'rate: { requests: 3, per: 1m }');
  let kept = await start(folder, { clock: instant, profile });
  const statuses: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    if (n === restartsAfter) kept = await restart(kept, folder, { clock: instant, profile });
    statuses.push((await kept.api('POST', '/sync/projects/p/orders', { orders: [] })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
});

test('request ids continue without duplicates', async () => {
  const folder = fresh();
  const ids: (string | null)[] = [];
  for (let run = 0; run < 3; run += 1) {
    const kept = await start(folder);
    for (let n = 0; n < 2; n += 1) ids.push((await kept.api('POST', '/sync/projects/p/jobs', { nonsense: 1 })).id);
    await kept.close();
  }
  expect(new Set(ids).size).toBe(6);
});

describe('pending work', () => {
  const jobs = (...names: string[]) => ({ jobs: names.map((id) => ({ id })) });

  test('stays pending on a frozen clock until the clock advances', async () => {
    const folder = fresh();
    const first = await start(folder, { clock: 'frozen' });
    await first.api('POST', '/async/projects/p/jobs', jobs('A', 'FAIL-1'));
    const second = await restart(first, folder, { clock: 'frozen' });
    expect((await second.control('GET', '/projects/p/jobs')).body.items).toEqual([]);
    const { processed, delivered } = (await second.control('POST', '/projects/p/clock/advance', { until: 'idle' }))
      .body;
    expect([processed, delivered]).toEqual([1, 1]);
    const third = await restart(second, folder);
    expect((await third.control('GET', '/projects/p/jobs')).body.items).toHaveLength(1);
    expect((await third.control('GET', '/projects/p/callbacks')).body.items).toMatchObject([{ state: 'inbox' }]);
  });

  test('on a real clock, work that became due runs first, in order, once', async () => {
    const folder = fresh();
    const wall = createTestWall(Date.parse(instant));
    const first = await start(folder, {}, wall);
    await first.api('POST', '/async/projects/p/jobs', jobs('A', 'B'));
    wall.pass(100);
    await first.api('PATCH', '/async/projects/p/jobs', { jobs: [{ id: 'A', status: 'DISPATCH' }] });
    await first.close();
    const later = createTestWall(Date.parse(instant) + 3_600_000);
    const second = await start(folder, {}, later);
    // The request itself comes after: it finds both, and what was due was carried out at its own instant.
    const { body } = await second.api('POST', '/sync/projects/p/jobs/batch', jobs('A'));
    expect(body.failed).toMatchObject([{ id: 'A' }]);
    const [a, b] = (await second.control('GET', '/projects/p/jobs')).body.items;
    expect([a.createdAt, a.updatedAt]).toEqual(['2026-03-02T09:00:00.200Z', '2026-03-02T09:00:00.300Z']);
    expect([a.status, b.createdAt]).toEqual(['DISPATCH', '2026-03-02T09:00:00.200Z']);
    later.pass(1000);
    expect((await second.control('GET', '/projects/p/pending')).body.items).toEqual([]);
    expect((await second.control('GET', '/projects/p/callbacks')).body.items).toEqual([]);
  });

  test("a clock never goes back, even if the machine's clock does between two runs", async () => {
    const folder = fresh();
    const first = await start(folder, {}, createTestWall(Date.parse(instant)));
    await first.api('POST', '/sync/projects/p/jobs/batch', jobs('A'));
    const second = await restart(first, folder, {}, createTestWall(Date.parse(instant) - 60_000));
    expect((await second.control('GET', '/projects/p/clock')).body.now).toBe(instant);
  });
});

describe('callbacks', () => {
  const failing = { jobs: [{ id: 'FAIL-1' }] };
  const receiver = useReceiver();

  test('retries continue after a restart with the same id and times', async () => {
    const folder = fresh();
    const first = await start(folder, { clock: 'frozen', callbackUrl: receiver.url() });
    receiver.answer(503);
    await first.api('POST', '/async/projects/p/jobs', failing);
    await first.control('POST', '/projects/p/clock/advance', { by: '1s' });
    const second = await restart(first, folder, { clock: 'frozen', callbackUrl: receiver.url() });
    await second.control('POST', '/projects/p/clock/advance', { until: 'idle' });
    const [callback] = (await second.control('GET', '/projects/p/callbacks')).body.items;
    expect(callback).toMatchObject({ state: 'delivered', attempts: [{ status: 503 }, { status: 204 }] });
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([callback.id, callback.id]);
  });

  test('attempts have the response of the receiver after a restart', async () => {
    const folder = fresh();
    const options = { clock: 'frozen', callbackUrl: receiver.url() };
    const first = await start(folder, options);
    receiver.answer({ status: 503, headers: { 'x-reason': 'busy' }, body: Buffer.from('try \u0000 later') }, 204);
    await first.api('POST', '/async/projects/p/jobs', failing);
    await first.control('POST', '/projects/p/clock/advance', { until: 'idle' });
    const before = (await first.control('GET', '/projects/p/callbacks')).body.items;
    expect(before[0].attempts[0].response).toMatchObject({ headers: { 'x-reason': 'busy' }, body: 'try \u0000 later' });
    const second = await restart(first, folder, options);
    expect((await second.control('GET', '/projects/p/callbacks')).body.items).toEqual(before);
  });

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

  test('a configured endpoint is restored; one from the options follows the options at each start', async () => {
    const folder = fresh();
    const first = await start(folder, { callbackUrl: 'http://127.0.0.1:9/first' });
    await first.api('POST', '/async/projects/usual/jobs', failing);
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    await first.control('PUT', '/projects/own/callback-endpoint', { url: receiver.url(), secret });
    const second = await restart(first, folder, { clock: 'frozen', callbackUrl: 'http://127.0.0.1:9/second' });
    const urlOf = async (project: string) =>
      (await second.control('GET', `/projects/${project}/callback-endpoint`)).body.url;
    expect([await urlOf('usual'), await urlOf('own')]).toEqual(['http://127.0.0.1:9/second', receiver.url()]);
    await second.api('POST', '/async/projects/own/jobs', failing);
    await receiver.waitFor(1);
    const [sent] = receiver.received;
    expect(() => new Webhook(secret).verify(sent?.body ?? '', sent?.headers as Record<string, string>)).not.toThrow();
    // The options' own secret is in no file.
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
      const files = ['p.json', 'p.json.log'].map((name) => path.join(folder, name)).filter((file) => existsSync(file));
      expect(files.map((file) => readFileSync(file, 'utf8')).join()).toContain(`"J-${n}"`);
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

describe('changed options at the next start', () => {
  const answer = (status: number) =>
    JSON.stringify({ name: 'busy', rules: [{ times: 2, then: { respond: { status } } }] });
  const job = { jobs: [{ id: 'A' }] };

  test('counts of the same scenarios continue; those of others start at zero', async () => {
    const folder = fresh();
    const statuses: number[] = [];
    let kept = await start(folder, { scenarios: [answer(503)] });
    for (const scenario of [answer(503), answer(503), answer(502), answer(502)]) {
      statuses.push((await kept.api('POST', '/sync/projects/p/jobs/batch', job)).status);
      kept = await restart(kept, folder, { scenarios: [scenario] });
    }
    statuses.push((await kept.api('POST', '/sync/projects/p/jobs/batch', job)).status);
    expect(statuses).toEqual([503, 503, 200, 502, 502]);
  });

  test('clock and seed apply to new projects; restored ones continue', async () => {
    const folder = fresh();
    const first = await start(folder, { clock: instant });
    const known = (await first.api('POST', '/sync/projects/p/jobs/batch', job)).id;
    const second = await restart(first, folder, { clock: 'real', seed: 'another' });
    expect((await second.control('GET', '/projects/p/clock')).body).toMatchObject({ mode: 'frozen', now: instant });
    expect((await second.control('GET', '/projects/new/clock')).body.mode).toBe('real');
    expect((await second.api('POST', '/sync/projects/p/jobs/batch', job)).id).not.toBe(known);
  });

  test('a restored demo is not filled again', async () => {
    const folder = fresh();
    const first = await start(folder, { demo: 'true' });
    const { counts } = (await first.control('GET', '/projects/demo')).body;
    const second = await restart(first, folder, { demo: 'true' });
    const after = (await second.control('GET', '/projects/demo')).body.counts;
    expect(after).toEqual({ ...counts, requests: 0 });
  });
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
