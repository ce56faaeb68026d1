/** What is due runs by the project's clock: in the order of instant and acceptance, real or frozen. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { setClock } from '../../src/lib/clock.ts';
import { createWallClock } from '../../src/lib/time.ts';
import { createDueList } from '../../src/project/due-list.ts';
import { createSchedule, Disposed, type RunResult, type ScheduleData } from '../../src/project/schedule.ts';
import { createTestWall } from '../harness/wall.ts';

type Run = (what: string, now: number) => RunResult | Promise<RunResult>;

const kindOf = (what: string): string => (what.startsWith('send') ? 'send' : 'other');
const nothing = { processed: 0, delivered: 0 };

/** A schedule whose `log` tells what ran and when. */
function setUp(mode: 'real' | 'frozen', run: Run = () => ({ processed: 1, delivered: 0 })) {
  const wall = createTestWall(1000);
  const clock = mode === 'real' ? { mode, aheadMs: 0 } : { mode, nowMs: 1000 };
  const data: ScheduleData<string> = { clock, due: createDueList(kindOf), dueCount: 0, shownMs: 0 };
  const log: string[] = [];
  const schedule = createSchedule<string>({
    data: () => data,
    wall,
    run: (what, now) => {
      log.push(`${what}@${now}`);
      return run(what, now);
    },
    isSynchronous: (what) => !what.startsWith('send'),
    reportError: (error) => log.push(`bug: ${String(error)}`),
    settled: () => Promise.resolve(),
  });
  const by = (ms: number) => schedule.advance(() => ({ to: schedule.now() + ms, stopIdle: false }));
  const untilIdle = (max = 86_400_000) => schedule.advance(() => ({ to: schedule.now() + max, stopIdle: true }));
  return { wall, data, log, schedule, by, untilIdle };
}

test('things run in the order of their instants, those of one instant in the order in which they were added', async () => {
  const { schedule, log, untilIdle } = setUp('frozen');
  for (const [at, what] of [
    [1300, 'a'],
    [1200, 'b'],
    [1300, 'c'],
    [1200, 'd'],
    [1250, 'e'],
  ] as const) {
    schedule.add(at, what);
  }
  await untilIdle();
  expect(log).toEqual(['b@1200', 'd@1200', 'e@1250', 'a@1300', 'c@1300']);
});

test('any number of things run in that order, however many advances it takes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(500)), fc.array(fc.nat(200)), async (instants, steps) => {
      const { schedule, log, by } = setUp('frozen');
      instants.forEach((at, index) => {
        schedule.add(1000 + at, `${index}`);
      });
      for (const step of [...steps, 500]) await by(step);
      const wanted = instants
        .map((at, index) => ({ at: 1000 + at, index }))
        .toSorted((a, b) => a.at - b.at || a.index - b.index);
      expect(log).toEqual(wanted.map(({ at, index }) => `${index}@${at}`));
    }),
  );
});

test('on a real clock each thing runs when the wall says so, by one timer at a time', () => {
  const { schedule, wall, log } = setUp('real');
  schedule.add(1300, 'late');
  schedule.add(1200, 'soon');
  expect(wall.timers()).toEqual([200]);
  wall.pass(199);
  expect(log).toEqual([]);
  wall.pass(1);
  expect(log).toEqual(['soon@1200']);
  wall.pass(1000);
  expect(log).toEqual(['soon@1200', 'late@1300']);
  expect(wall.timers()).toEqual([]);
});

describe('on a clock with a rate', () => {
  test('each thing runs at its time on that clock, after that share of real time', () => {
    const { schedule, wall, data, log } = setUp('real');
    data.clock = setClock('real', 1000, wall, 20);
    schedule.add(601_000, 'end of an outage');
    schedule.add(1030, 'soon');
    expect(wall.timers()).toEqual([2]);
    wall.pass(2);
    expect(log).toEqual(['soon@1030']);
    wall.pass(29_997);
    expect(log).toHaveLength(1);
    wall.pass(1);
    expect(log).toEqual(['soon@1030', 'end of an outage@601000']);
    expect(schedule.now()).toBe(601_000);
  });

  test.each([0.1, 0.3, 7, 1000])('nothing runs early, and no timer is set over and over: %d', (rate) => {
    const { schedule, wall, data, log } = setUp('real');
    data.clock = setClock('real', 1000, wall, rate);
    schedule.add(11_000, 'it');
    const wallMs = Math.ceil(10_000 / rate);
    wall.pass(wallMs - 2);
    expect(log).toEqual([]);
    wall.pass(2);
    expect([log, wall.timers()]).toEqual([['it@11000'], []]);
  });

  test('a change of the rate moves the timer, and the clock goes on from its time', () => {
    const { schedule, wall, data, log } = setUp('real');
    schedule.add(61_000, 'it');
    wall.pass(30_000);
    data.clock = setClock('real', schedule.now(), wall, 30);
    schedule.rearm();
    expect(schedule.now()).toBe(31_000);
    expect(wall.timers()).toEqual([1000]);
    wall.pass(500);
    data.clock = setClock('real', schedule.now(), wall, 0.1);
    schedule.rearm();
    expect(schedule.now()).toBe(46_000);
    wall.pass(149_999);
    expect(log).toEqual([]);
    wall.pass(1);
    expect(log).toEqual(['it@61000']);
  });

  test('an advance of the clock once frozen runs the rest', async () => {
    const { schedule, wall, data, log, untilIdle } = setUp('real');
    data.clock = setClock('real', 1000, wall, 20);
    schedule.add(100_000, 'far');
    wall.pass(1000);
    data.clock = setClock('frozen', schedule.now(), wall);
    schedule.rearm();
    expect([schedule.now(), wall.timers()]).toEqual([21_000, []]);
    expect(await untilIdle()).toMatchObject({ now: 100_000, processed: 1 });
    expect(log).toEqual(['far@100000']);
  });
});

test('a timer that comes late runs everything overdue at the instants it was due', () => {
  const { schedule, wall, data, log } = setUp('real');
  schedule.add(1200, 'a');
  schedule.add(1300, 'b');
  data.clock = { mode: 'real', aheadMs: 5000 };
  schedule.rearm();
  wall.pass(0);
  expect(log).toEqual(['a@1200', 'b@1300']);
});

test('on a frozen clock nothing runs, however much real time passes', () => {
  const { schedule, wall, log } = setUp('frozen');
  schedule.add(1200, 'a');
  wall.pass(1_000_000);
  expect(log).toEqual([]);
  expect(schedule.now()).toBe(1000);
});

test('an advance by a span stops there, and runs what is due up to that very instant', async () => {
  const { schedule, log, by, data } = setUp('frozen');
  schedule.add(1500, 'within');
  schedule.add(1501, 'beyond');
  expect(await by(500)).toEqual({ now: 1500, processed: 1, delivered: 0 });
  expect(log).toEqual(['within@1500']);
  expect(data.due.size).toBe(1);
});

test('an advance until idle stops at the last thing, and before what lies too far ahead', async () => {
  const { schedule, log, untilIdle } = setUp('frozen');
  schedule.add(1700, 'a');
  schedule.add(9000, 'far');
  expect(await untilIdle(1000)).toMatchObject({ now: 1700, processed: 1 });
  expect(log).toEqual(['a@1700']);
});

test('an advance to where the clock has come already leaves it there', async () => {
  const { schedule, by } = setUp('frozen');
  await by(500);
  expect((await schedule.advance(() => ({ to: 1200, stopIdle: false }))).now).toBe(1500);
});

test('what is added while advancing, and due within the span, runs in the same advance', async () => {
  const { schedule, log, by, data } = setUp('frozen', (what) => {
    if (what === 'first') {
      schedule.add(1400, 'child');
      schedule.add(1100, 'overdue');
      schedule.add(9000, 'beyond');
    }
    return nothing;
  });
  schedule.add(1200, 'first');
  schedule.add(1300, 'second');
  await by(1000);
  expect(log).toEqual(['first@1200', 'overdue@1100', 'second@1300', 'child@1400']);
  expect(Array.from(data.due, ({ what }) => what)).toEqual(['beyond']);
});

test('each thing ends before the next begins, and the results are summed', async () => {
  const ended: string[] = [];
  const { schedule, by } = setUp('frozen', async (what) => {
    await Promise.resolve();
    ended.push(what);
    return { processed: 0, delivered: 1 };
  });
  schedule.add(1001, 'a');
  schedule.add(1002, 'b');
  const advanced = by(10);
  expect(schedule.now()).toBe(1000);
  expect(await advanced).toEqual({ now: 1010, processed: 0, delivered: 2 });
  expect(ended).toEqual(['a', 'b']);
});

test('a second advance waits for the first, and starts from where that one ended', async () => {
  const { schedule, log, by } = setUp('frozen', async () => nothing);
  schedule.add(1100, 'a');
  schedule.add(1600, 'b');
  const results = await Promise.all([by(500), by(500)]);
  expect(results.map(({ now }) => now)).toEqual([1500, 2000]);
  expect(log).toEqual(['a@1100', 'b@1600']);
});

test('an advance that fails does not stop the next one', async () => {
  const { schedule, by } = setUp('frozen', (what) => {
    if (what === 'bad') throw new Error('bug');
    return nothing;
  });
  schedule.add(1100, 'bad');
  await expect(by(200)).rejects.toThrow('bug');
  expect(await by(100)).toMatchObject({ now: 1200 });
  expect(schedule.isAdvancing()).toBe(false);
});

test('once disposed it runs nothing, and whoever advances is told', async () => {
  const { schedule, wall, log } = setUp('real');
  schedule.add(1200, 'a');
  schedule.dispose();
  schedule.add(1100, 'b');
  wall.pass(10_000);
  expect(log).toEqual([]);
  await expect(schedule.advance(() => ({ to: 2000, stopIdle: false }))).rejects.toThrow(Disposed);
});

test('an advance under way ends when it is disposed, and runs nothing more', async () => {
  let finish = (): void => undefined;
  const { schedule, log, by } = setUp(
    'frozen',
    () =>
      new Promise((done) => {
        finish = () => done(nothing);
      }),
  );
  schedule.add(1100, 'a');
  schedule.add(1200, 'b');
  const advanced = by(500);
  await new Promise<void>((turn) => setImmediate(turn));
  schedule.dispose();
  finish();
  await expect(advanced).rejects.toThrow(Disposed);
  expect(log).toEqual(['a@1100']);
});

test('what is due in more than 2^31 ms does not run at once', async () => {
  const ms = 2 ** 31 + 5000;
  const { schedule, wall, log } = setUp('real');
  schedule.add(1000 + ms, 'far');
  wall.pass(ms - 1);
  expect(log).toEqual([]);
  wall.pass(1);
  expect(log).toEqual([`far@${1000 + ms}`]);

  let fired = false;
  const cancel = createWallClock().after(ms, () => {
    fired = true;
  });
  await new Promise<void>((turn) => setTimeout(turn, 5));
  cancel();
  expect(fired).toBe(false);
});

test('a timer that fires too early is set again', () => {
  const { schedule, wall, data, log } = setUp('real');
  schedule.add(2000, 'a');
  data.clock = { mode: 'real', aheadMs: -500 };
  wall.pass(1000);
  expect(log).toEqual([]);
  expect(wall.timers()).toEqual([500]);
  wall.pass(500);
  expect(log).toEqual(['a@2000']);
});

test('what fails on a real clock is noted, and what is due after it runs', async () => {
  const { schedule, wall, log } = setUp('real', (what) => {
    if (what === 'broken') throw new Error('a bug');
    return what === 'rejected' ? Promise.reject(new Error('another')) : nothing;
  });
  for (const what of ['broken', 'rejected', 'sound']) schedule.add(2000, what);
  wall.pass(1000);
  await Promise.resolve();
  expect(log).toEqual(['broken@2000', 'bug: Error: a bug', 'rejected@2000', 'sound@2000', 'bug: Error: another']);
});

test('catching up runs what is due and done at once, in order, and leaves the rest where it was', async () => {
  const { schedule, data, log } = setUp('real');
  for (const [at, what] of [
    [1300, 'later'],
    [1100, 'send'],
    [1100, 'a'],
    [1050, 'b'],
  ] as const)
    schedule.add(at, what);
  // Time has passed, and no timer has fired yet.
  data.clock = { mode: 'real', aheadMs: 200 };
  expect(schedule.runDue()).toBe(1200);
  expect(log).toEqual(['b@1050', 'a@1100']);
  expect(Array.from(data.due, ({ what }) => what)).toEqual(['send', 'later']);
});

/** A schedule on whose wall every look at the time takes 5 ms, so that slices end soon. */
function setUpSlow(count: number) {
  const { wall, schedule, data, log, untilIdle } = setUp('frozen');
  for (let n = 0; n < count; n += 1) schedule.add(1100, `${n}`);
  let elapsed = 0;
  Object.assign(wall, { elapsed: () => (elapsed += 5) });
  return { schedule, data, log, untilIdle };
}

test('others have their turn during a long advance', async () => {
  const { log, untilIdle } = setUpSlow(1000);
  const advanced = untilIdle();
  await new Promise<void>((turn) => setImmediate(turn));
  const ranBefore = log.length;
  expect(await advanced).toMatchObject({ processed: 1000 });
  expect(ranBefore).toBeLessThan(1000);
});

test('a real clock runs what is overdue in slices', () => {
  const { wall, data, log, schedule } = setUp('real');
  for (let n = 0; n < 1000; n += 1) schedule.add(1100, `${n}`);
  const { elapsed } = wall;
  let looks = 0;
  Object.assign(wall, { elapsed: () => elapsed() + 5 * looks++ });
  data.clock = { mode: 'real', aheadMs: 5000 };
  schedule.rearm();
  // All timers are of this very instant: each runs one slice and sets the next.
  wall.pass(0);
  expect(log).toHaveLength(1000);
  expect(looks).toBeGreaterThan(1000);
});

test('catching up ahead leaves little to be done at once, and gives others their turn', async () => {
  const { schedule, data, log } = setUpSlow(1000);
  expect(schedule.runDueAhead()).toBeUndefined();
  data.clock = { mode: 'frozen', nowMs: 1100 };
  const first = schedule.runDueAhead();
  // Who comes later waits as well, so that nobody is overtaken.
  expect(schedule.runDueAhead()).toBe(first);
  expect(log.length).toBeLessThan(1000);
  await first;
  expect(data.due.size).toBe(3);
  expect(schedule.runDueAhead()).toBeUndefined();
  schedule.runDue();
  expect(log).toEqual(Array.from({ length: 1000 }, (_, n) => `${n}@1100`));
});

test('what is caught up with during an advance is counted by it', async () => {
  const sends: (() => void)[] = [];
  const { schedule, untilIdle } = setUp('frozen', (what) => {
    if (what !== 'send') return { processed: 1, delivered: 0 };
    sends.push(() => {
      schedule.add(1100, 'a');
      schedule.runDue();
    });
    return Promise.resolve().then(() => {
      sends.shift()?.();
      return { processed: 0, delivered: 1 };
    });
  });
  schedule.add(1100, 'send');
  expect(await untilIdle()).toMatchObject({ processed: 1, delivered: 1 });
});

describe('where the wall is turned', () => {
  function setUp(rate?: number) {
    const wall = { atMs: 5000, elapsedMs: 0 };
    const timers: number[] = [];
    const after = (ms: number) => {
      timers.push(ms);
      return () => undefined;
    };
    const clock = setClock('real', 5000, { now: () => 5000 }, rate);
    const data: ScheduleData<string> = { clock, due: createDueList(kindOf), dueCount: 0, shownMs: 0 };
    const schedule = createSchedule<string>({
      data: () => data,
      wall: { now: () => wall.atMs, elapsed: () => wall.elapsedMs, after },
      run: () => nothing,
      isSynchronous: () => true,
      reportError: () => undefined,
      settled: () => Promise.resolve(),
    });
    return { wall, timers, schedule };
  }

  test('a clock never goes back, and goes on from where it was', () => {
    const { wall, schedule } = setUp();
    expect(schedule.now()).toBe(5000);
    Object.assign(wall, { atMs: 4000, elapsedMs: 300 });
    expect(schedule.now()).toBe(5300);
    Object.assign(wall, { atMs: 4100, elapsedMs: 400 });
    expect(schedule.now()).toBe(5400);
    Object.assign(wall, { atMs: 9000, elapsedMs: 500 });
    expect(schedule.now()).toBe(10_300);
  });

  test('a clock keeps its rate', () => {
    const { wall, schedule } = setUp(20);
    expect(schedule.now()).toBe(5000);
    Object.assign(wall, { atMs: 4000, elapsedMs: 300 });
    expect(schedule.now()).toBe(11_000);
    Object.assign(wall, { atMs: 4100, elapsedMs: 400 });
    expect(schedule.now()).toBe(13_000);
  });

  test('what is due is looked at every five seconds, since no timer knows of it', () => {
    const { wall, timers, schedule } = setUp();
    schedule.add(5000 + 3_600_000, 'later');
    expect(timers).toEqual([5000]);
    wall.atMs += 3_599_000;
    schedule.rearm();
    expect(timers).toEqual([5000, 1000]);
  });
});
