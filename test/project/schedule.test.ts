/** Due work by the project's clock, where flows do not see it. flows/transcripts/rates.txt and clock.txt have when it runs. */
import { expect, test } from 'vitest';
import { Disposed, DueList, type RunResult, Schedule, type ScheduleData } from '../../src/project/schedule.ts';
import { createTestWall, type TestWall } from '../harness/wall.ts';

interface Subject {
  readonly schedule: Schedule<string>;
  readonly wall: TestWall;
  readonly data: ScheduleData<string>;
  readonly log: string[];
  /** Advances a frozen clock by a span. */
  by(ms: number): Promise<object>;
  untilIdle(maxMs?: number): Promise<object>;
  /** Turns a real clock, as if its timers came late. */
  turn(aheadMs: number): void;
}

/** Creates a schedule at 1000 ms. Its log has what ran, and when. */
function setUp(
  mode: 'real' | 'frozen',
  run?: (what: string, subject: Subject) => RunResult | Promise<RunResult>,
): Subject {
  const wall = createTestWall(1000);
  const clock = mode === 'real' ? { mode, aheadMs: 0 } : { mode, nowMs: 1000 };
  const kindOf = (what: string) => (what.startsWith('send') ? 'send' : 'other');
  const data: ScheduleData<string> = { clock, due: new DueList(kindOf), dueCount: 0, shownMs: 0 };
  const log: string[] = [];
  const schedule = new Schedule<string>({
    data,
    wall,
    run: (what, now) => {
      log.push(`${what}@${now}`);
      return run?.(what, subject) ?? { processed: 1, delivered: 0 };
    },
    isSynchronous: (what) => !what.startsWith('send'),
    reportError: (error) => log.push(String(error)),
    settled: () => Promise.resolve(),
  });
  const advance = (ms: number, stopIdle: boolean) => schedule.advance(() => ({ to: schedule.now() + ms, stopIdle }));
  const subject: Subject = {
    ...{ schedule, wall, data, log },
    by: (ms) => advance(ms, false),
    untilIdle: (maxMs = 86_400_000) => advance(maxMs, true),
    turn: (aheadMs) => {
      data.clock = { mode: 'real', aheadMs };
    },
  };
  return subject;
}

test('what is done at once is caught up with, and nothing else', () => {
  const { schedule, log, turn } = setUp('real');
  for (const what of ['late', 'send', 'far']) schedule.add(what === 'far' ? 90_000 : 1500, what);
  schedule.add(1200, 'soon');
  turn(600);
  schedule.runDue();
  expect(log).toEqual(['soon@1200', 'late@1500']);
});

test('a backlog after one that took no time is caught up with in slices again', async () => {
  const { schedule, wall, log, turn } = setUp('real', () => {
    wall.pass(backlogMs);
    return { processed: 1, delivered: 0 };
  });
  let backlogMs = 0;
  for (let n = 0; n < 5; n += 1) schedule.add(1100, `first ${n}`);
  turn(200);
  await schedule.catchUp();
  expect(schedule.catchUp()).toBeUndefined();
  backlogMs = 20;
  log.length = 0;
  for (let n = 0; n < 9; n += 1) schedule.add(1100, `second ${n}`);
  const behind = schedule.catchUp();
  expect(log).toHaveLength(1);
  await behind;
  expect(schedule.catchUp()).toBeUndefined();
});

test('what is added during an advance runs in it, and each ends before the next begins', async () => {
  const { schedule, log, by } = setUp('frozen', async (what, subject) => {
    await Promise.resolve();
    subject.log.push(`end of ${what}`);
    if (what === 'first') for (const at of [1400, 1100, 9000]) schedule.add(at, `child`);
    return { processed: 0, delivered: 1 };
  });
  schedule.add(1200, 'first');
  schedule.add(1300, 'second');
  expect(await by(1000)).toEqual({ now: 2000, processed: 0, delivered: 4 });
  expect(log.filter((one) => one.includes('@'))).toEqual(['first@1200', 'child@1100', 'second@1300', 'child@1400']);
  expect(log.map((one) => one.startsWith('end'))).toEqual([false, true, false, true, false, true, false, true]);
});

test('an advance that fails does not stop the next one; one that is disposed ends', async () => {
  const { schedule, log, by } = setUp('frozen', (what) => {
    if (what === 'bad') throw new Error('bug');
    schedule.dispose();
    return { processed: 1, delivered: 0 };
  });
  schedule.add(1100, 'bad');
  await expect(by(200)).rejects.toThrow('bug');
  expect(await by(100)).toMatchObject({ now: 1200 });
  schedule.add(1300, 'last');
  schedule.add(1400, 'never');
  await expect(by(500)).rejects.toThrow(Disposed);
  expect(log).toEqual(['bad@1100', 'last@1300']);
});

test('long work is done in slices, on each kind of clock', async () => {
  const [frozen, real] = [setUp('frozen'), setUp('real')];
  for (const { schedule, wall } of [frozen, real]) {
    for (let n = 0; n < 1000; n += 1) schedule.add(1100, 'one');
    let elapsedMs = 0;
    Object.assign(wall, { elapsed: () => (elapsedMs += 5) });
  }
  const advanced = frozen.untilIdle();
  await new Promise<void>((turn) => setImmediate(turn));
  expect(frozen.log.length).toBeLessThan(1000);
  expect(await advanced).toMatchObject({ processed: 1000 });
  real.turn(5000);
  const ahead = real.schedule.catchUp();
  expect(real.log.length).toBeLessThan(1000);
  await ahead;
  real.schedule.runDue();
  expect(real.log).toHaveLength(1000);
});

test('an advance waits for its turn between pieces of its work', async () => {
  const { schedule, log } = setUp('frozen');
  for (const what of ['a', 'b', 'c']) schedule.add(1001, what);
  const advanced = schedule.advance(() => ({ to: 1001, stopIdle: false }), {
    isOver: () => true,
    next: async () => void log.push('turn'),
  });
  expect(await advanced).toMatchObject({ processed: 3 });
  expect(log).toEqual(['turn', 'a@1001', 'turn', 'b@1001', 'turn', 'c@1001', 'turn']);
});

test('a clock that is turned is noticed within five seconds, and never goes back', () => {
  const { schedule, wall, log } = setUp('real');
  schedule.add(3_600_000, 'it');
  expect(wall.timers()).toEqual([5000]);
  const { now } = wall;
  Object.assign(wall, { now: () => now() + 3_600_000 });
  wall.pass(5000);
  expect(log).toEqual(['it@3600000']);
  const before = schedule.now();
  Object.assign(wall, { now: () => 0 });
  wall.pass(300);
  expect(schedule.now()).toBe(before + 300);
});
