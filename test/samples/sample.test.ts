import { describe, expect, test } from 'vitest';
import { parseTimestamp } from '../../src/lib/time.ts';
import { type OperationId, operationIds, operations } from '../../src/operations/index.ts';
import { countProblem, sampleBody } from '../../src/samples/sample.ts';
import { amountOf } from '../harness/amounts.ts';
import { findings, valuesOf } from './validate.ts';

type Entry = Record<string, unknown> & { readonly id: string; readonly status?: string; readonly jobs?: Entry[] };

const seeds = ['sandbox', '1', '2', '', 'a longer seed, with ünusual characters'];
const lists = operationIds.filter((id) => operations[id].list !== undefined);
const singles = operationIds.filter((id) => operations[id].list === undefined);
const fourteenDaysMs = 14 * 86_400_000;

async function entriesOf(id: OperationId, count: number, seed = 'sandbox'): Promise<readonly Entry[]> {
  const body = await sampleBody(id, { count, seed });
  return body[operations[id].list ?? ''] as Entry[];
}

function idsOf(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) => [entry.id, ...idsOf(entry.jobs ?? [])]);
}

test('every operation has a sample', () => {
  expect(lists.length + singles.length).toBe(29);
});

describe.each(lists)('%s', (id) => {
  test.each([1, 3, 25])('creates exactly %i valid entries without a warning', async (count) => {
    for (const seed of seeds) {
      const body = await sampleBody(id, { count, seed });
      expect(findings(id, body), seed).toEqual([]);
      const entries = await entriesOf(id, count, seed);
      expect(id.includes('Routes') ? entries.flatMap(({ jobs = [] }) => jobs).length : entries.length).toBe(count);
    }
  });

  test('the same seed gives the same bytes, and another seed gives others', async () => {
    const [one, again, other] = await Promise.all(
      ['a', 'a', 'b'].map(async (seed) => JSON.stringify(await sampleBody(id, { count: 25, seed }))),
    );
    expect(again).toBe(one);
    expect(other).not.toBe(one);
  });
});

describe.each(singles)('%s', (id) => {
  test('creates a valid record without a warning', async () => {
    for (const seed of [...seeds, ...Array.from({ length: amountOf('sampleSeeds') }, (_, index) => `seed ${index}`)]) {
      expect(findings(id, await sampleBody(id, { count: 1, seed })), seed).toEqual([]);
    }
  });

  test('the same seed gives the same bytes, and another seed gives others', async () => {
    const bodies = await Promise.all(['a', 'a', 'b', 'c', 'd'].map((seed) => sampleBody(id, { count: 1, seed })));
    const [one, again, ...others] = bodies.map((body) => JSON.stringify(body));
    expect(again).toBe(one);
    expect(others.some((other) => other !== one)).toBe(true);
  });

  test('rejects a count of two', async () => {
    const message = `the body of ${id} is a single record, so count must be 1, got 2`;
    await expect(sampleBody(id, { count: 2, seed: 'a' })).rejects.toThrow(message);
    expect(countProblem(id, 2)).toBe(message);
  });
});

test.each([0, -1, 1.5, 10_001, Number.NaN])('rejects a count of %d', async (count) => {
  await expect(sampleBody('asyncImportJobs', { count, seed: 'a' })).rejects.toThrow(/whole number from 1 to 10000/);
});

test('creates unique, consecutive ids', async () => {
  for (const id of lists.filter((name) => name !== 'submitLocations')) {
    const ids = idsOf(await entriesOf(id, 100));
    expect(new Set(ids).size, id).toBe(ids.length);
  }
  const numbers = idsOf(await entriesOf('asyncImportOrders', 50)).map((name) => Number(name.replace('ORD-', '')));
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
});

test('with one seed, updates name the imported jobs, and routes have other jobs than lists', async () => {
  const imported = idsOf(await entriesOf('asyncImportJobs', 50));
  expect(idsOf(await entriesOf('syncUpdateJobs', 50))).toEqual(imported);
  const onRoutes = idsOf(await entriesOf('asyncImportRoutes', 50));
  expect(onRoutes.filter((name) => imported.includes(name))).toEqual([]);
});

test('routes have about eight stops in order of time', async () => {
  const routes = await entriesOf('asyncImportRoutes', 100);
  expect(routes).toHaveLength(13);
  for (const { jobs = [], routeDate } of routes) {
    expect(jobs.length).toBeGreaterThanOrEqual(7);
    expect(jobs.length).toBeLessThanOrEqual(8);
    expect(jobs.map(({ sequence }) => sequence)).toEqual(jobs.map((_, index) => index + 1));
    const times = [routeDate, ...jobs.map(({ plannedEta }) => plannedEta)].map((at) => parseTimestamp(String(at)) ?? 0);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  }
});

test('new entries are pending; a single new job may be ready', async () => {
  for (const id of lists.filter((name) => /Import|Create/.test(name))) {
    const entries = (await entriesOf(id, 50)).flatMap((entry) => entry.jobs ?? [entry]);
    expect(new Set(entries.map(({ status }) => status)), id).toEqual(new Set(['PENDING']));
  }
  const alone = seeds.map(async (seed) => (await sampleBody('syncCreateJob', { count: 1, seed }))['status']);
  for (const status of await Promise.all(alone)) expect(['PENDING', 'READY']).toContain(status);
});

test('updates have every status, and delivery attempts have proof', async () => {
  const entries = await entriesOf('asyncUpdateJobs', 300);
  expect(new Set(entries.map(({ status }) => status)).size).toBe(8);
  for (const { status, proofOfDelivery } of entries) {
    expect(proofOfDelivery !== undefined).toBe(status === 'DELIVERED' || status === 'UNDELIVERED');
  }
});

test('the promised window starts after the delivery date and contains the planned arrival', async () => {
  for (const entry of await entriesOf('asyncImportJobs', 200)) {
    const { etaFrom, etaTo } = entry['plannedEtaWindow'] as Record<string, string>;
    const times = [entry['deliveryDate'], etaFrom, entry['plannedEta'], etaTo].map((at) => parseTimestamp(String(at)));
    expect(times).toEqual([...times].sort((a, b) => (a ?? 0) - (b ?? 0)));
  }
});

test('positions are in the city, longitude first', async () => {
  const bodies = [await entriesOf('asyncImportJobs', 500), await entriesOf('submitLocations', 2000)];
  const positions = valuesOf(bodies, 'coordinates') as readonly (readonly [number, number])[];
  expect(positions).toHaveLength(2500);
  const far = positions.filter(([x, y]) => Math.abs(x - 153.03) > 0.25 || Math.abs(y + 27.47) > 0.25);
  expect(far).toEqual([]);
});

test('locations are in order of time, until now', async () => {
  const now = '2026-07-01T12:00:00+10:00';
  const { locations } = await sampleBody('submitLocations', { count: 500, seed: 'a', now });
  const times = valuesOf(locations, 'eventDateTime').map((at) => parseTimestamp(String(at)) ?? 0);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(times.at(-1)).toBe(parseTimestamp(now));
});

test('all times are near now, in the local time of the city', async () => {
  const summer = JSON.stringify(await entriesOf('asyncImportJobs', 100));
  expect(new Set(summer.match(/\+\d\d:\d\d(?=")/g))).toEqual(new Set(['+10:00']));
  const now = '2030-07-01T00:00:00Z';
  const body = await sampleBody('asyncImportOrders', { count: 100, seed: 'a', now });
  for (const at of valuesOf(body, 'scheduledDate')) {
    expect(at).toMatch(/\+10:00$/);
    const away = (parseTimestamp(String(at)) ?? 0) - (parseTimestamp(now) ?? 0);
    expect(away > 0 && away < fourteenDaysMs).toBe(true);
  }
});

test('now must be a timestamp with offset', async () => {
  const options = { count: 1, seed: 'a', now: '2026-03-02' };
  await expect(sampleBody('submitLocation', options)).rejects.toThrow(/timestamp with offset/);
});

test('some seeds register attendants, others drivers', async () => {
  const users = seeds.map((seed) => sampleBody('registerUser', { count: 1, seed }));
  expect(new Set((await Promise.all(users)).map(({ type }) => type))).toEqual(new Set(['attendant', 'driver']));
});

test.each(['asyncImportJobs', 'asyncImportRoutes', 'syncImportOrders'] as const)(
  '%s of 10,000 entries is valid and small enough to send',
  async (id) => {
    const body = await sampleBody(id, { count: 10_000, seed: 'many' });
    expect(findings(id, body)).toEqual([]);
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(16_000_000);
    const ids = idsOf(body[operations[id].list ?? ''] as Entry[]);
    expect(new Set(ids).size).toBe(ids.length);
  },
);
