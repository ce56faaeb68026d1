/** The soak test's checks report each kind of fault, because a check that reports nothing would hide it. */
import { expect, test } from 'vitest';
import { type Check, checks, createFindings } from './findings.ts';
import { type Arrival, createLedger, type Ledger } from './ledger.ts';
import { judgeLag, judgeMemory, judgeRest } from './verdict.ts';
import type { Sample } from './watch.ts';

const expected = (times: number, ids: readonly string[] = ['A']) => ({ requestId: 'req_1', ids, times });
const arrival = (atMs: number, id = 'msg_1', ids: readonly string[] = ['A']): Arrival => ({
  id,
  requestId: 'req_1',
  ids,
  atMs,
});

test.each<[callback: string, found: readonly Check[], play: (ledger: Ledger) => void]>([
  [
    'arrives once, after one rejected attempt',
    [],
    (ledger) => [ledger.expect(expected(1)), ledger.received(arrival(1), true), ledger.received(arrival(1), false)],
  ],
  ['never arrives', ['lost'], (ledger) => [ledger.expect(expected(1))]],
  [
    'arrives twice',
    ['surplus'],
    (ledger) => [ledger.expect(expected(1)), ledger.received(arrival(1), false), ledger.received(arrival(1), false)],
  ],
  [
    'arrives under two ids',
    ['surplus'],
    (ledger) => [
      ledger.expect(expected(2)),
      ledger.received(arrival(1), false),
      ledger.received(arrival(1, 'msg_2'), false),
    ],
  ],
  ['was not expected', ['unasked'], (ledger) => [ledger.received(arrival(1), false)]],
  [
    'reports the wrong entries',
    ['lost', 'unasked'],
    (ledger) => [ledger.expect(expected(1)), ledger.received(arrival(1, 'msg_1', ['B']), false)],
  ],
  [
    'arrives after a later one',
    ['order'],
    (ledger) => [
      ...[ledger.expect(expected(1)), ledger.expect(expected(1, ['B']))],
      ...[ledger.received(arrival(2), false), ledger.received(arrival(1, 'msg_2', ['B']), false)],
    ],
  ],
])('the ledger of a callback that %s reports %j', (_callback, found, play) => {
  const findings = createFindings();
  const ledger = createLedger('p', findings);
  play(ledger);
  ledger.close();
  expect((Object.keys(checks) as Check[]).filter((check) => findings.count(check) > 0)).toEqual(found);
});

const mb = 1024 ** 2;
const seconds = Array.from({ length: 620 }, (_, second) => second);
const toSample = (at: number, rss: number, lagMost = 1): Sample => ({
  ...{ at, rss, lagMost },
  ...{ heapUsed: 0, external: 0, lagP99: 1 },
});

test.each<[memory: string, passed: boolean, bytesAt: (second: number) => number]>([
  ['grows at first only', true, (second) => Math.min(second, 150) * mb],
  ['grows until the load ends', false, (second) => (second > 600 ? 0 : 100 + second / 10) * mb],
  ['is unknown', false, () => Number.NaN],
])('memory that %s passes: %s', (_memory, passed, bytesAt) => {
  const samples = seconds.map((second) => toSample(second, bytesAt(second)));
  const live = seconds.filter((second) => second % 40 === 20).map((at) => ({ at, bytes: bytesAt(at) }));
  expect(judgeMemory({ samples, live }, 600).map((verdict) => verdict.passed)).toEqual([passed, passed]);
});

test('memory, descriptors and projects that are left at the end fail', () => {
  const first = { liveBytes: 50 * mb, descriptors: 30, metrics: '' };
  const verdicts = judgeRest(first, { liveBytes: 60 * mb, descriptors: 40, metrics: 'sandbox_worlds 1' });
  expect(verdicts.map(({ passed }) => passed)).toEqual([false, false, false]);
});

test.each([
  [true, [...Array.from({ length: 200 }, () => 40), 900]],
  [false, [...Array.from({ length: 200 }, () => 40), 1100]],
  [false, Array.from({ length: 200 }, (_, second) => (second % 20 === 0 ? 300 : 40))],
])('an event loop that is held too long or too often fails: %s', (passed, lags) => {
  expect(judgeLag(lags.map((lag, at) => toSample(at, 0, lag))).passed).toBe(passed);
});
