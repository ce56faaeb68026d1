/** What is due later in one project, in the order of time and acceptance; runs it by the project's clock. */
import { type ClockState, readClock, setClock } from '../base/clock.ts';
import type { WallClock } from '../base/time.ts';

/** Something due: serialisable, so that a world can be kept and taken up again. */
export interface Due<What> {
  readonly dueAt: number;
  /** Things due at one instant run in the order in which they were added. */
  readonly order: number;
  readonly what: What;
}

/** The part of a world that a schedule works on. */
export interface ScheduleData<What> {
  clock: ClockState;
  due: Due<What>[];
  dueCount: number;
  /** The latest that the clock has shown, in milliseconds. */
  shownMs: number;
}

/** What running one thing came to; a promise where it has to be waited for. */
export interface RunResult {
  readonly processed: number;
  readonly delivered: number;
}

export interface AdvanceResult extends RunResult {
  /** The project's now in milliseconds. */
  readonly now: number;
}

/** A timer knows nothing of a wall's clock that is set forward, or of a machine that slept: it is looked at again by then. */
const longestSleepMs = 5000;

/** Thrown into whoever waits for a schedule that was disposed. */
export class Disposed extends Error {}

export interface Schedule<What> {
  /** The project's now. */
  now(): number;
  add(dueAt: number, what: What): void;
  /** Runs all that is due by now and done at once, so that what comes next comes after it. Gives back the project's now. */
  catchUp(): number;
  /** To be called when the clock or the list was changed from outside. */
  rearm(): void;
  /** Moves a frozen clock to an instant, or until nothing is pending before it; queues behind other advances. */
  advance(target: () => { readonly to: number; readonly stopIdle: boolean }): Promise<AdvanceResult>;
  isAdvancing(): boolean;
  dispose(): void;
}

interface Parts<What> {
  readonly data: () => ScheduleData<What>;
  readonly wall: WallClock;
  /** Runs one thing at the project's `now`. */
  run(what: What, now: number): RunResult | Promise<RunResult>;
  /** Whether running this is done when it returns: such things can be caught up with. */
  isDoneAtOnce(what: What): boolean;
  /** Notes a bug of ours. */
  bug(error: unknown): void;
  /** Resolves when nothing that was started is still under way. */
  settled(): Promise<void>;
}

/** A schedule over a world's data. On a real clock it sleeps until the first thing is due; a frozen one is advanced. */
export function createSchedule<What>({ data, wall, run, isDoneAtOnce, bug, settled }: Parts<What>): Schedule<What> {
  let cancelTimer: (() => void) | undefined;
  let advancing = false;
  let disposed = false;
  let queue: Promise<unknown> = Promise.resolve();
  /** When the clock was looked at last, in milliseconds that only grow. */
  let shownAtMs = wall.elapsed();

  /** What was caught up with while the clock is advanced belongs to that advance. */
  let caughtUp = 0;

  /** The wall's clock may be set back; a project's never goes back, and goes on from where it was. */
  function now(): number {
    const known = data();
    const elapsedMs = wall.elapsed();
    if (known.clock.mode === 'real' && readClock(known.clock, wall) < known.shownMs) {
      // If it waited until the wall's has caught up, nothing would happen for hours.
      known.clock = setClock('real', known.shownMs + Math.max(0, Math.floor(elapsedMs - shownAtMs)), wall);
    }
    shownAtMs = elapsedMs;
    known.shownMs = Math.max(known.shownMs, readClock(known.clock, wall));
    return known.shownMs;
  }

  function rearm(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    const first = data().due[0];
    if (disposed || advancing || !first) return;
    const wait = first.dueAt - now();
    if (wait > 0 && data().clock.mode !== 'real') return;
    cancelTimer = wall.after(Math.min(Math.max(0, wait), longestSleepMs), fire);
  }

  function fire(): void {
    cancelTimer = undefined;
    if (disposed || advancing) return;
    let next = data().due[0];
    while (next && next.dueAt <= now()) {
      data().due.shift();
      start(next.what, next.dueAt);
      next = data().due[0];
    }
    rearm();
  }

  function catchUp(): number {
    const at = now();
    for (let place = 0; ; ) {
      const next = data().due[place];
      if (disposed || !next || next.dueAt > at) return at;
      if (!isDoneAtOnce(next.what)) {
        place += 1;
        continue;
      }
      data().due.splice(place, 1);
      caughtUp += start(next.what, next.dueAt);
      // It may have added something before this place.
      place = 0;
    }
  }

  /** Outside of any request there is nobody to tell of a bug but the log; what else is due goes on. */
  function start(what: What, at: number): number {
    try {
      const running = run(what, at);
      if (!(running instanceof Promise)) return running.processed;
      running.catch(bug);
    } catch (error) {
      bug(error);
    }
    return 0;
  }

  function add(dueAt: number, what: What): void {
    const { due } = data();
    const item = { dueAt, order: data().dueCount++, what };
    let place = due.length;
    while (place > 0 && (due[place - 1] as Due<What>).dueAt > dueAt) place -= 1;
    if (place === due.length) due.push(item);
    else due.splice(place, 0, item);
    if (place === 0) rearm();
  }

  async function runUntil(to: number, stopIdle: boolean): Promise<AdvanceResult> {
    caughtUp = 0;
    let processed = 0;
    let delivered = 0;
    for (;;) {
      await settled();
      if (disposed) throw new Disposed();
      const next = data().due[0];
      if (!next || next.dueAt > to) break;
      data().due.shift();
      data().clock = { mode: 'frozen', nowMs: Math.max(now(), next.dueAt) };
      const started = run(next.what, next.dueAt);
      const result = started instanceof Promise ? await started : started;
      if (disposed) throw new Disposed();
      processed += result.processed;
      delivered += result.delivered;
    }
    if (!stopIdle) data().clock = { mode: 'frozen', nowMs: Math.max(now(), to) };
    return { now: now(), processed: processed + caughtUp, delivered };
  }

  async function advance(target: () => { to: number; stopIdle: boolean }): Promise<AdvanceResult> {
    const before = queue;
    const mine = (async () => {
      await before.catch(() => undefined);
      if (disposed) throw new Disposed();
      const { to, stopIdle } = target();
      advancing = true;
      try {
        return await runUntil(to, stopIdle);
      } finally {
        advancing = false;
        rearm();
      }
    })();
    queue = mine.catch(() => undefined);
    return mine;
  }

  function dispose(): void {
    disposed = true;
    cancelTimer?.();
  }

  return { now, catchUp, add, rearm, advance, isAdvancing: () => advancing, dispose };
}
