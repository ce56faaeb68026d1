/** How the figures of a soak are judged. */
import { expect, test } from 'vitest';
import { judgeLag, judgeMemory, judgeRest } from './verdict.ts';
import { median, type Sample } from './watch.ts';

const mb = 1024 ** 2;
const quiet = { heapUsed: 0, external: 0, lagMost: 1, lagP99: 1 };

/** A load of 600 seconds whose memory at each second is what this says. */
const watched = (bytesAt: (second: number) => number) => {
  const seconds = Array.from({ length: 620 }, (_, second) => second);
  return {
    samples: seconds.map((second): Sample => ({ ...quiet, at: second, rss: bytesAt(second) })),
    live: seconds.filter((second) => second % 40 === 20).map((second) => ({ at: second, bytes: bytesAt(second) })),
  };
};

test.each([
  ['grows at first, and then stays', true, (second: number) => Math.min(second, 150) * mb],
  ['saws', true, (second: number) => (100 + (second % 37) / 10) * mb],
  ['shrinks', true, (second: number) => (1000 - second) * mb],
  ['grows all the time', false, (second: number) => (100 + second / 10) * mb],
  [
    'grows all the time, and is let go when the load has ended',
    false,
    (second: number) => (second > 600 ? 0 : 100 + second / 10) * mb,
  ],
])('memory that %s: %s', (_name, passed, bytesAt) => {
  expect(judgeMemory(watched(bytesAt), 600).map((verdict) => verdict.passed)).toEqual([passed, passed]);
});

test('memory of which nothing is known is not taken for flat', () => {
  expect(judgeMemory({ samples: [], live: [] }, 600).map(({ passed }) => passed)).toEqual([false, false]);
});

const metrics = [
  'sandbox_worlds 0',
  'sandbox_event_followers 0',
  'sandbox_queue_depth{kind="instruction"} 0',
  'sandbox_queue_depth{kind="callback"} 0',
].join('\n');
const rest = { liveBytes: 50 * mb, descriptors: 30, metrics };

test.each([
  ['nothing', [], rest],
  ['a little memory', [], { ...rest, liveBytes: 53 * mb }],
  ['memory', ['nothing is left of projects that are reset'], { ...rest, liveBytes: 60 * mb }],
  ['descriptors', ['no descriptor is left open'], { ...rest, descriptors: 40 }],
  [
    'a project',
    ['its own figures say that nothing is held'],
    { ...rest, metrics: metrics.replace('worlds 0', 'worlds 1') },
  ],
])('%s left over', (_name, failed, last) => {
  expect(
    judgeRest(rest, last)
      .filter(({ passed }) => !passed)
      .map(({ name }) => name),
  ).toEqual(failed);
});

test.each([
  ['short', true, Array.from({ length: 200 }, () => 40)],
  ['long once', true, [...Array.from({ length: 200 }, () => 40), 900]],
  ['too long once', false, [...Array.from({ length: 200 }, () => 40), 1100]],
  ['long too often', false, Array.from({ length: 200 }, (_, second) => (second % 20 === 0 ? 300 : 40))],
])('a loop that is held up: %s', (_name, passed, lags) => {
  const samples = lags.map((lagMost, at): Sample => ({ ...quiet, at, rss: 0, lagMost }));
  expect(judgeLag(samples).passed).toBe(passed);
});

test('the middle of some numbers', () => {
  expect([median([3, 1, 2]), median([])]).toEqual([2, Number.NaN]);
});
