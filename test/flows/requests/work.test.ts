/**
 * How much of the source one request runs, and how long it holds the event loop: in functions and calls, which do not depend on
 * the speed of the machine.
 */
import { Session } from 'node:inspector';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWallClock } from '../../../src/lib/time.ts';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { useSandbox } from '../../harness/sandbox.ts';

const session = new Session();
const source = path.resolve('src');

/** A clock of which each look takes a millisecond, so that long work is split after the same steps on every machine. */
let looks = 0;
const wall = {
  ...createWallClock(),
  elapsed: () => {
    looks += 1;
    return looks;
  },
};
const sandbox = useSandbox({ clock: 'frozen' }, shippedProfile, wall);

beforeAll(() => {
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
});
afterAll(() => session.disconnect());

/** Returns the number of calls since the last time, by file of the source; `all`: also of functions without a name. */
function takeCalls(all = false): ReadonlyMap<string, number> {
  const calls = new Map<string, number>();
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    for (const { url, functions } of result) {
      const file = url.replace('file://', '');
      if (!file.startsWith(source)) continue;
      // The function without a name is the file itself, when it is loaded.
      const named = functions.filter(({ functionName }) => all || functionName !== '');
      const sum = named.reduce((total, { ranges: [range] }) => total + (range?.count ?? 0), 0);
      if (sum > 0) calls.set(path.relative(source, file), sum);
    }
  });
  return calls;
}

/** Returns the calls in each turn of the event loop until the result. */
async function takeTurns<Result>(
  pending: Promise<Result>,
  all = false,
): Promise<{ readonly result: Result; readonly turns: readonly number[] }> {
  takeCalls(all);
  let isSettled = false;
  const settled = pending.finally(() => {
    isSettled = true;
  });
  const turns: number[] = [];
  while (!isSettled) {
    await nextTurn();
    turns.push([...takeCalls(all).values()].reduce((sum, calls) => sum + calls, 0));
  }
  return { result: await settled, turns };
}

async function post(where: string, body: object): Promise<number> {
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  const response = await fetch(sandbox.url() + where, { method: 'POST', headers, body: JSON.stringify(body) });
  await response.arrayBuffer();
  return response.status;
}

const imports = '/async/projects/p/jobs';
const location = {
  deviceId: 'V',
  eventDateTime: '2026-03-02T09:30:00Z',
  geoJson: { type: 'Point', coordinates: [13.4, 52.5] },
};

describe('the number of source files of which a function runs may only fall', () => {
  /** Files that one request opens for a reader who follows it, from the head of the request to its entry in the journal. */
  const most = { location: 46, jobs: 46 };

  test.each([
    ['a location', '/projects/p/locations', location, 200, most.location],
    ['an asynchronous job', imports, { jobs: [{ id: 'J-1' }] }, 202, most.jobs],
  ])('%s', async (_, where, body, status, bound) => {
    // The first request loads what it needs.
    expect(await post(where, body)).toBe(status);
    takeCalls();
    expect(await post(where, body)).toBe(status);
    await nextTurn();
    expect([...takeCalls().keys()].length).toBeLessThanOrEqual(bound);
  });
});

describe('a body of 1 MB does not hold the event loop', () => {
  const fill = (entry: (n: number) => object): object => {
    const entries: object[] = [];
    for (let size = 0; size < 900_000; size += JSON.stringify(entries.at(-1)).length + 1)
      entries.push(entry(entries.length));
    return { jobs: entries };
  };

  const many = (entry: (n: number) => object): object[] => Array.from({ length: 10_000 }, (_, n) => entry(n));

  // The last number: calls of functions of the source in one turn. It may only fall. A body is read, checked and applied in one
  // turn; the shape of all its values is checked before the number of entries.
  test.each<[string, object, number, number]>([
    ['of jobs', fill((n) => ({ id: `J-${n}` })), 413, 720_000],
    ['of empty entries', fill(() => ({})), 413, 2_150_000],
    ['of entries with names of their own', fill((n) => ({ id: `J-${n}`, [`name-${n}`]: n })), 413, 560_000],
    [
      'of as many jobs as one request may have',
      { jobs: many((n) => ({ id: `J-${n}`, note: 'x'.repeat(60) })) },
      202,
      295_000,
    ],
    ['of as many entries with mistakes', { jobs: many((n) => ({ [`name-${n}`]: 'x'.repeat(60) })) }, 202, 375_000],
    ['of as many equal ids', { jobs: many(() => ({ id: 'J', note: 'x'.repeat(60) })) }, 202, 295_000],
  ])('%s', async (_, body, status, mostCalls) => {
    await post(imports, { jobs: [] });
    const { result, turns } = await takeTurns(post(imports, body));
    expect(result).toBe(status);
    expect(Math.max(...turns)).toBeLessThanOrEqual(mostCalls);
  });
});

test('thousands of changed entries are not each compared with thousands of mistakes', async () => {
  for (const kind of ['J', 'REFUSE']) {
    const jobs = Array.from({ length: 3000 }, (_, n) => ({ id: `${kind}-${n}` }));
    await post('/async/projects/difference/jobs', { jobs });
  }
  const [, refused] = await sandbox.items('difference', 'requests');
  const where = `/projects/difference/requests/${refused?.['id']}/difference`;
  const { result, turns } = await takeTurns(sandbox.control('GET', where), true);
  expect(result.body).toMatchObject({ rowCount: 3000, rows: [...Array(100)].map(() => ({ isError: true })) });
  expect(Math.max(...turns)).toBeLessThanOrEqual(150_000);
});
