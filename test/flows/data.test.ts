/** Projects that outlive their server: what was answered is there again, and goes on as if nothing had been. */
import { describe, expect, test } from 'vitest';
import { createTestWall } from '../harness/wall.ts';
import { useFolders } from './data-steps.ts';

const { fresh, start } = useFolders();

/** The same sandbox again. */
async function restart(before: { close(): Promise<void> }, ...how: Parameters<typeof start>) {
  await before.close();
  return start(...how);
}

const instant = '2026-03-02T09:00:00.000Z';

test('records, clock, scenarios, their counts and the endpoint are there again; the journal begins anew', async () => {
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
  expect(after).toEqual({ ...before, counts: { ...before.counts, requests: 0 } });
  expect((await second.control('GET', '/projects/p/snapshot')).body).toEqual(snapshot);
  // The first request of the scenario was before, so this is its second.
  expect((await second.api('POST', '/sync/projects/p/orders', { orders: [{ id: 'O-2' }] })).status).toBe(503);
  expect((await second.api('POST', '/sync/projects/p/orders', { orders: [{ id: 'O-3' }] })).status).toBe(200);
});

test('ids of requests go on: none comes twice', async () => {
  const folder = fresh();
  const ids: (string | null)[] = [];
  for (let run = 0; run < 3; run += 1) {
    const kept = await start(folder);
    for (let n = 0; n < 2; n += 1) ids.push((await kept.api('POST', '/sync/projects/p/jobs', { nonsense: 1 })).id);
    await kept.close();
  }
  expect(new Set(ids).size).toBe(6);
});

describe('what is pending', () => {
  const jobs = (...names: string[]) => ({ jobs: names.map((id) => ({ id })) });

  test('on a frozen clock stays so, and happens when the clock is moved', async () => {
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

  test('on a real clock what fell due meanwhile runs before anything else, in order, once', async () => {
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

  test('a clock never goes back, also where the machine’s does between two runs', async () => {
    const folder = fresh();
    const first = await start(folder, {}, createTestWall(Date.parse(instant)));
    await first.api('POST', '/sync/projects/p/jobs/batch', jobs('A'));
    const second = await restart(first, folder, {}, createTestWall(Date.parse(instant) - 60_000));
    expect((await second.control('GET', '/projects/p/clock')).body.now).toBe(instant);
  });
});
