/** A clock with a rate: a client that cannot advance it sees ten minutes in half a minute. */
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, test } from 'vitest';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { createTestWall } from '../../harness/wall.ts';
import { type KeptSandbox, useFolders } from '../data-steps.ts';
import { replay } from '../replay-steps.ts';

const { fresh, start } = useFolders();
const receiver = useReceiver();
const startMs = Date.parse('2026-03-02T09:00:00.000Z');
const open: KeptSandbox[] = [];
afterAll(() => Promise.all(open.map((sandbox) => sandbox.close())));

/** A sandbox on a wall clock that the test moves. */
async function setUp(clock = 'real', folder = fresh(), wall = createTestWall(startMs)) {
  const kept = await start(folder, { clock }, wall);
  open.push(kept);
  const put = (body: object, project = 'p') => kept.control('PUT', `/projects/${project}/clock`, body);
  const clockOf = async (project = 'p') => (await kept.control('GET', `/projects/${project}/clock`)).body;
  const importJobs = (ids: readonly string[], project = 'p') =>
    kept.api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });
  const use = (rules: readonly object[]) =>
    kept.control('PUT', '/projects/p/scenarios', { scenarios: [{ name: 'it', rules }] });
  /** A request whose headers matter. */
  const send = () => fetch(`${kept.sandbox.url}/sync/projects/p/jobs/batch`, { method: 'POST', ...batch });
  return { ...kept, folder, wall, put, clockOf, importJobs, use, send };
}

const batch = {
  headers: { apikey: 'sandbox-key', 'content-type': 'application/json' },
  body: JSON.stringify({ jobs: [{ id: 'J' }] }),
};

const at = (ms: number) => new Date(startMs + ms).toISOString();

describe('a clock with a rate', () => {
  test('runs that many times faster than real time', async () => {
    const { put, wall, clockOf } = await setUp();
    expect((await put({ mode: 'real', rate: 20 })).body).toEqual({ mode: 'real', rate: 20, now: at(0), pending: 0 });
    wall.pass(30_000);
    expect(await clockOf()).toEqual({ mode: 'real', rate: 20, now: at(600_000), pending: 0 });
  });

  test('goes on from its time when the rate changes, and when it is frozen and resumed', async () => {
    const { put, wall, clockOf } = await setUp();
    await put({ mode: 'real', rate: 20 });
    wall.pass(1000);
    expect((await put({ mode: 'real', rate: 0.5 })).body).toMatchObject({ rate: 0.5, now: at(20_000) });
    wall.pass(1000);
    expect((await put({ mode: 'frozen' })).body).toEqual({ mode: 'frozen', now: at(20_500), pending: 0 });
    wall.pass(1000);
    expect((await put({ mode: 'real', rate: 1000 })).body.now).toBe(at(20_500));
    wall.pass(1);
    expect((await clockOf()).now).toBe(at(21_500));
    expect((await put({ mode: 'real', now: at(60_000) })).body).toEqual({
      mode: 'real',
      rate: 1,
      now: at(60_000),
      pending: 0,
    });
  });

  test('cannot be advanced until it is frozen', async () => {
    const { put, control, wall, importJobs } = await setUp('20x');
    const advance = () => control('POST', '/projects/p/clock/advance', { until: 'idle' });
    await importJobs(['FAIL-1']);
    wall.pass(5);
    expect((await advance()).body.message).toContain('freeze it first');
    await put({ mode: 'frozen' });
    expect((await advance()).body).toEqual({ now: at(200), processed: 1, delivered: 1, pending: 0 });
  });

  test('is the default of all projects with --clock, also after a freeze and a reset', async () => {
    const { put, control, clockOf } = await setUp('20x');
    expect(await clockOf()).toMatchObject({ mode: 'real', rate: 20 });
    await put({ mode: 'frozen' });
    expect((await put({ mode: 'real' })).body).toMatchObject({ mode: 'real', rate: 20 });
    await put({ mode: 'real', rate: 2 });
    await control('POST', '/projects/p/reset');
    expect(await clockOf()).toMatchObject({ mode: 'real', rate: 20 });
    expect((await control('GET', '/settings')).body).toMatchObject({ clock: 'real', clockRate: 20 });
  });

  test('is that of one project only', async () => {
    const { put, wall, clockOf } = await setUp();
    await put({ mode: 'real', rate: 20 }, 'fast');
    await put({ mode: 'real', rate: 0.1 }, 'slow');
    await put({ mode: 'frozen' }, 'frozen');
    wall.pass(10_000);
    const times = await Promise.all(['fast', 'slow', 'frozen', 'unused'].map(async (one) => (await clockOf(one)).now));
    expect(times).toEqual([at(200_000), at(1000), at(0), at(10_000)]);
  });

  test('survives a restart, and time passes during the stop', async () => {
    const first = await setUp('20x');
    await first.put({ mode: 'real', rate: 5 });
    await first.importJobs(['J']);
    first.wall.pass(1000);
    await first.close();
    const second = await setUp('20x', first.folder, createTestWall(startMs + 3000));
    expect(await second.clockOf()).toMatchObject({ mode: 'real', rate: 5, now: at(15_000) });
    second.wall.pass(1000);
    expect((await second.clockOf()).now).toBe(at(20_000));
    const [job] = (await second.control('GET', '/projects/p/jobs')).body.items;
    expect(job.createdAt).toBe(at(200));
  });
});

describe('with a rate of 20', () => {
  test('an outage of ten minutes takes half a minute, also for a client that honours retry-after', async () => {
    const { use, send, wall } = await setUp('20x');
    const respond = { status: 503, headers: { 'Retry-After': '600' } };
    await use([{ when: { during: { afterRequests: 1, for: '10m' } }, then: { respond } }]);
    expect((await send()).status).toBe(200);
    const rejected = await send();
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '30']);
    wall.pass(29_999);
    expect((await send()).status).toBe(503);
    wall.pass(1);
    expect((await send()).status).toBe(200);
  });

  test('a client that waits for the retry-after of a limit is within the limit again', async () => {
    const { use, send, wall } = await setUp('20x');
    await use([{ then: { limit: { requests: 1, per: '1m' } } }]);
    await send();
    wall.pass(100);
    const rejected = await send();
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '3']);
    wall.pass(2000);
    expect((await send()).status).toBe(429);
    wall.pass(1000);
    expect((await send()).status).toBe(200);
  });

  test('deferred commands, and callbacks with their retries, take a twentieth', async () => {
    const { put, control, wall, importJobs } = await setUp('20x');
    receiver.answer(500);
    await control('PUT', '/projects/p/callback-endpoint', { url: receiver.url() });
    await importJobs(['FAIL-1']);
    wall.pass(9);
    expect((await control('GET', '/projects/p/clock')).body).toMatchObject({ now: at(180), pending: 1 });
    wall.pass(1);
    await receiver.waitFor(1);
    const dueAt = async () => (await control('GET', '/projects/p/pending')).body.items[0]?.dueAt;
    await expect.poll(dueAt).toBe(at(5200));
    wall.pass(249);
    expect(receiver.received).toHaveLength(1);
    wall.pass(1);
    await receiver.waitFor(2);
    // The body has the project's time, the signature that of the receiver's clock.
    const [, { headers, body }] = receiver.received as [never, (typeof receiver.received)[number]];
    expect(JSON.parse(body).timestamp).toBe(at(200));
    expect(Number(headers['webhook-timestamp'])).toBe(startMs / 1000);
    expect(() => new Webhook(defaultSecret).sign(String(headers['webhook-id']), new Date(startMs), body)).not.toThrow();
    await put({ mode: 'frozen' });
  });

  test('the retry-after of a receiver is real time', async () => {
    const { control, wall, importJobs } = await setUp('20x');
    receiver.answer({ status: 503, headers: { 'retry-after': '3' } });
    await control('PUT', '/projects/p/callback-endpoint', { url: receiver.url() });
    await importJobs(['FAIL-1']);
    wall.pass(10);
    await receiver.waitFor(1);
    const dueAt = async () => (await control('GET', '/projects/p/pending')).body.items[0]?.dueAt;
    await expect.poll(dueAt).toBe(at(60_200));
    wall.pass(3000);
    await receiver.waitFor(2);
  });
});

test('a recording with changes of the rate replays exactly', async () => {
  const { put, use, control, send, wall, importJobs } = await setUp('7x');
  await use([
    { when: { operation: 'syncCreateJobs' }, then: { limit: { requests: 1, per: '1m' } } },
    { when: { operation: 'asyncImportJobs' }, then: { fail: 'late', after: '30s' } },
  ]);
  for (const change of [
    {},
    { mode: 'real', rate: 20 },
    { mode: 'frozen' },
    { mode: 'real', rate: 0.1 },
    { mode: 'real' },
  ]) {
    if ('mode' in change) await put(change);
    await importJobs(['A', 'FAIL-1']);
    wall.pass(1333);
    await send();
    await send();
    wall.pass(2777);
  }
  const recording = (await control('GET', '/projects/p/recording')).body;
  expect(recording.complete).toBe(true);
  const changes: { kind: string; mode?: string; rate?: number }[] = recording.changes;
  expect(changes.filter(({ kind }) => kind === 'clock').map(({ mode, rate }) => [mode, rate])).toEqual([
    ['real', 20],
    ['frozen', undefined],
    ['real', 0.1],
    ['real', 7],
  ]);
  const texts = changes.map((change) => JSON.stringify(change)).filter((text) => text.includes('try again in'));
  expect(new Set(texts.map((text) => /try again in (\d+) s/.exec(text)?.[1])).size).toBeGreaterThan(2);
  const { requests, callbacks, differences } = await replay(recording);
  expect({ requests, differences }).toEqual({ requests: 15, differences: [] });
  expect(callbacks).toBeGreaterThan(1);
});
