/** `--demo`: one project in which something of everything has happened before anybody asks, the same for the same seed. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import supertest from 'supertest';
import { describe, expect, test } from 'vitest';
import { RecordingReader } from '../src/cli/replay/read.ts';
import { replayRecording } from '../src/cli/replay/replay.ts';
import type { OptionTexts } from '../src/config/options.ts';
import { useReceiver } from './harness/receiver.ts';
import { startOne } from './harness/start-sandbox.ts';

const receiver = useReceiver();

/** Asks the control API of a sandbox that was started so. */
async function start(more: OptionTexts = {}): Promise<(path: string) => Promise<Record<string, never>>> {
  const one = await startOne({ demo: 'true', ...more });
  return async (rest) => (await supertest(one.url).get(`/_sandbox${rest}`)).body;
}

type Item = { readonly [name: string]: never };
const itemsOf = async (ask: Awaited<ReturnType<typeof start>>, list: string) =>
  (await ask(`/projects/demo/${list}?limit=1000`))['items'] as unknown as readonly Item[];

test('without --demo there is no project', async () => {
  const ask = await start({ demo: 'false' });
  expect(await ask('/projects')).toEqual({ items: [] });
});

describe.each(['sandbox', 'a', 'b', 'another seed'])('seed %s', (seed) => {
  test('creates every kind of record around one city', async () => {
    const ask = await start({ seed });
    const { counts, clock, scenarios } = await ask('/projects/demo');
    expect(counts).toEqual({
      jobs: 24 + 16 + 1 + 3,
      orders: 8,
      routes: 2,
      users: 3,
      locations: 12,
      requests: 12,
      callbacks: 1,
      pending: 0,
    });
    expect({ clock, scenarios }).toMatchObject({ clock: { mode: 'real' }, scenarios: [] });
    const jobs = await itemsOf(ask, 'jobs');
    expect(new Set(jobs.flatMap(({ status }) => status ?? [])).size).toBe(9);
    const devices = (await itemsOf(ask, 'locations')).map(({ deviceId }) => String(deviceId));
    const trails = await Promise.all(devices.map((id) => ask(`/projects/demo/locations/${id}`)));
    const lengths = trails.map(({ items }) => (items as unknown as unknown[]).length);
    expect(lengths.filter((length) => length === 40)).toHaveLength(2);
    expect(Math.min(...lengths)).toBeGreaterThan(1);
    // One of the mistakes is of coordinates, and leads off the earth.
    const placed = jobs.filter(({ id }) => id !== 'DEMO-6');
    const all = JSON.stringify([placed, await itemsOf(ask, 'locations')]);
    const positions = [...all.matchAll(/"coordinates":\[([-\d.]+),([-\d.]+)\]/g)];
    expect(positions.length).toBeGreaterThan(50);
    for (const [, longitude, latitude] of positions) {
      expect(Math.abs(Number(longitude) - 153.03)).toBeLessThan(0.25);
      expect(Math.abs(Number(latitude) + 27.47)).toBeLessThan(0.25);
    }
  });

  test('creates one reported failure and one request with mistakes, and no other warnings', async () => {
    const ask = await start({ seed });
    const [callback] = await itemsOf(ask, 'callbacks');
    expect(callback).toMatchObject({
      state: 'inbox',
      body: {
        data: {
          failed: [{ id: 'FAIL-GEOCODE-1' }, { id: 'FAIL-CAPACITY-3' }, { reason: expect.stringMatching(/exist/) }],
        },
      },
    });
    const requests = await itemsOf(ask, 'requests');
    const strange = requests.filter(
      ({ warnings, status }) => (warnings as unknown as unknown[]).length > 0 || Number(status) >= 300,
    );
    expect(strange).toHaveLength(1);
    expect(strange[0]).toMatchObject({ operation: 'asyncImportJobs', status: 202 });
    const shown = JSON.stringify(strange);
    for (const words of ['did you mean DELIVERED?', 'did you mean address?', 'longitude'])
      expect(shown).toContain(words);
    expect(shown).not.toContain('sandbox-key');
  });
});

test('the same seed and clock create the same bytes; another seed creates others', async () => {
  const clock = '2026-03-02T09:00:00Z';
  const [one, again, other] = await Promise.all(
    ['a', 'a', 'b'].map(async (seed) => {
      const ask = await start({ seed, clock });
      const requests = await itemsOf(ask, 'requests');
      const stable = requests.map(({ durationMs: _, ...rest }) => rest);
      const lists = ['jobs', 'orders', 'routes', 'users', 'locations'].map((list) => itemsOf(ask, list));
      return JSON.stringify([stable, await Promise.all(lists), await ask('/projects/demo')]);
    }),
  );
  expect(again).toBe(one);
  expect(other).not.toBe(one);
  expect(one).toContain('"mode":"frozen","now":"2026-03-02T09:00:00.400Z"');
});

test('its recording can be replayed', async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'demo-')), 'demo.json');
  const ask = await start();
  writeFileSync(file, JSON.stringify(await ask('/projects/demo/recording')));
  const read = await new RecordingReader().readFile(file);
  if ('mistakes' in read) throw new Error(read.mistakes.join());
  expect(await replayRecording(read)).toEqual({ requests: 12, callbacks: 1, differences: [] });
});

test('with a receiver, the callback is sent to it', async () => {
  const ask = await start({ callbackUrl: receiver.url() });
  expect(receiver.received).toHaveLength(1);
  expect((await itemsOf(ask, 'callbacks'))[0]).toMatchObject({ state: 'delivered' });
});

test.each([
  ['strict', { strict: 'true' }],
  ['keys of other projects', { apiKeys: ['one=p-one'] }],
  ['an outage for all', { scenarios: ['outage'] }],
])('the options apply to it: %s', async (_, options) => {
  const ask = await start(options);
  expect((await itemsOf(ask, 'requests')).length).toBe(12);
});

test('it uses the paths of the profile', async () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'demo-')), 'profile.yaml');
  const operations = {
    asyncImportJobs: { path: '/v2/jobs?project={projectId}', method: 'PUT', status: 200, mode: 'sync' },
  };
  writeFileSync(file, JSON.stringify({ basePath: '/field', operations }));
  const ask = await start({ profile: file });
  const requests = (await itemsOf(ask, 'requests')).filter(({ operation }) => operation === 'asyncImportJobs');
  expect(requests.map(({ method, status }) => [method, status])).toEqual([1, 2, 3].map(() => ['PUT', 200]));
});
