/** Durations as people write them, and due work as marks on an axis. */
import { expect, test } from 'vitest';
import {
  countWork,
  periodFor,
  shareOf,
  toDueWork,
  toMarks,
  toOutages,
} from '../../src/console/screens/clock/due-work.ts';
import { toDuration } from '../../src/console/screens/clock/duration.ts';

test.each([
  ['90s', '90s'],
  ['10 minutes', '10m'],
  ['10 Min.', '10m'],
  ['1.5 h', '1.5h'],
  ['1 day', '1d'],
  ['200 ms', '200ms'],
  ['10', undefined],
  ['soon', undefined],
  ['-5 s', undefined],
  ['10 fort nights', undefined],
])('the duration %s is %s', (text, duration) => expect(toDuration(text)).toBe(duration));

const now = Date.parse('2040-01-01T00:00:00Z');
const after = (ms: number) => new Date(now + ms).toISOString();
const work = toDueWork(
  [
    { dueAt: after(-5000), kind: 'instruction', operation: 'asyncImportJobs', entries: 1 },
    { dueAt: after(30_000), kind: 'attempt', callbackId: 'msg_1' },
    { dueAt: after(30_100), kind: 'attempt', callbackId: 'msg_2' },
    { dueAt: after(30_200), kind: 'attempt', callbackId: 'msg_3' },
    { dueAt: after(90_000), kind: 'release' },
  ],
  new Set(['msg_2', 'msg_3']),
);

test('work of one kind that is due at about the same time is one mark; late work is at the start', () => {
  const marks = toMarks(work, now, 60_000).map(({ kind, share, work: of }) => [kind, share, of.length]);
  expect(marks).toEqual([
    ['command', 0, 1],
    ['callback', 0.5, 1],
    ['retry', expect.closeTo(0.5, 2), 2],
  ]);
});

test('the period is the shortest that shows all work', () => {
  const times = work.map(({ at }) => at);
  expect(periodFor(times, now).name).toBe('10 min');
  expect(periodFor(times.slice(0, 4), now).name).toBe('1 min');
  expect(periodFor([], now).name).toBe('10 min');
  expect(periodFor([now + 1e12], now).name).toBe('7 d');
});

test('counts work by kind', () => {
  expect(countWork(work)).toBe('1 command, 2 callbacks, 2 retries');
  expect(countWork([])).toBe('nothing');
});

test('an outage is the part of its time span that is on the axis', () => {
  const rule = (window?: { from: string; to?: string }) => ({
    ...{ scenario: 'outage', rule: 'down', met: 0, acted: 0, left: null },
    ...(window && { window }),
  });
  const outages = toOutages([
    rule(),
    rule({ from: after(-5000), to: after(-1) }),
    rule({ from: after(-5000), to: after(15_000) }),
    rule({ from: after(30_000) }),
    rule({ from: after(90_000), to: after(95_000) }),
  ]);
  expect(outages.map((outage) => shareOf(outage, now, 60_000))).toEqual([
    undefined,
    { start: 0, end: 0.25 },
    { start: 0.5, end: 1 },
    undefined,
  ]);
});
