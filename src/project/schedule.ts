/** Runs what is due in a project by the project's clock, in the order of time and acceptance. */
import { type ClockState, rateOf, readClock, setClock } from '../lib/clock.ts';
import { createSlices, type Slices } from '../lib/slices.ts';
import type { WallClock } from '../lib/time.ts';
import type { DueList } from './due-list.ts';

export interface ScheduleData<What> {
  clock: ClockState;
  due: DueList<What>;
  dueCount: number;
  /** Latest time that the clock has shown, in milliseconds. */
  shownMs: number;
}

export interface RunResult {
  readonly processed: number;
  readonly delivered: number;
}

export interface ScheduleAdvance extends RunResult {
  /** The project's current time, in milliseconds. */
  readonly now: number;
}

/** Maximum sleep of a timer: timers do not notice that the wall clock is set forward or that the machine slept. */
const maxSleepMs = 5000;

/** Maximum number of items that `runDue` runs at once. Each may be the import of a large body. */
const maxAtOnce = 3;

/** Thrown to callers that wait for a disposed schedule. */
export class Disposed extends Error {}

export interface Schedule<What> {
  /** The project's current time, in milliseconds. */
  now(): number;
  add(dueAt: number, what: What): void;
  /** Runs all immediate work that is due, so that later changes come after it. Returns the project's current time. */
  runDue(): number;
  /** Runs due work in slices if there is too much for `runDue`. Returns undefined if there is little. */
  runDueAhead(): Promise<void> | undefined;
  /** Sets the timer again. Call it after changing the clock or the list directly. */
  rearm(): void;
  /**
   * Moves a frozen clock; with `stopIdle`, only until nothing is pending. Advances run one after another. `slices`:
   * those of the request, if they take turns with other requests.
   */
  advance(target: () => { readonly to: number; readonly stopIdle: boolean }, slices?: Slices): Promise<ScheduleAdvance>;
  isAdvancing(): boolean;
  dispose(): void;
}

interface Parts<What> {
  readonly data: () => ScheduleData<What>;
  readonly wall: WallClock;
  /** Runs one item at the project's time `now`. */
  run(what: What, now: number): RunResult | Promise<RunResult>;
  /** Whether `run` finishes this item before it returns. Only such items can be caught up on. */
  isSynchronous(what: What): boolean;
  reportError(error: unknown): void;
  /** Resolves when nothing that was started is still in progress. */
  settled(): Promise<void>;
}

/** Creates a schedule. With a real clock it sleeps until the first item is due; `advance` moves a frozen one. */
export function createSchedule<What>(parts: Parts<What>): Schedule<What> {
  const { data, wall, run, isSynchronous: isImmediate, reportError, settled } = parts;
  let cancelTimer: (() => void) | undefined;
  let advancing = false;
  let disposed = false;
  let queue: Promise<unknown> = Promise.resolve();
  /** When the clock was last read, in monotonic milliseconds. */
  let readAtMs = wall.elapsed();

  /** Number of commands run by catching up during an advance. They count towards that advance. */
  let processedByRunDue = 0;
  let catchingUp: Promise<void> | undefined;

  /** The wall clock may be set back. The project clock never goes back; it continues from its last time. */
  function now(): number {
    const current = data();
    const elapsedMs = wall.elapsed();
    if (current.clock.mode === 'real' && readClock(current.clock, wall) < current.shownMs) {
      // Waiting for the wall clock to catch up could stop the project for hours.
      const rate = rateOf(current.clock);
      const passedMs = Math.max(0, Math.floor((elapsedMs - readAtMs) * rate));
      current.clock = setClock('real', current.shownMs + passedMs, wall, rate);
    }
    readAtMs = elapsedMs;
    current.shownMs = Math.max(current.shownMs, readClock(current.clock, wall));
    return current.shownMs;
  }

  function rearm(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    const first = data().due.first();
    if (disposed || advancing || !first) return;
    const spanMs = Math.max(0, first.dueAt - now());
    const { clock } = data();
    if (spanMs > 0 && clock.mode !== 'real') return;
    const waitMs = spanMs === 0 ? 0 : Math.ceil(spanMs / rateOf(clock));
    cancelTimer = wall.after(Math.min(waitMs, maxSleepMs), onTimer);
  }

  function onTimer(): void {
    cancelTimer = undefined;
    if (disposed || advancing) return;
    const slices = createSlices(wall);
    let next = data().due.first();
    while (next && next.dueAt <= now() && !slices.isOver()) {
      data().due.removeFirst(next);
      start(next.what, next.dueAt);
      next = data().due.first();
    }
    rearm();
  }

  function runDue(): number {
    const at = now();
    while (!disposed && runNextDue(at));
    return at;
  }

  /** Runs the first immediate item that is due at that time. Returns whether there was one. */
  function runNextDue(at: number): boolean {
    const next = data().due.first(isImmediate);
    if (!next || next.dueAt > at) return false;
    data().due.removeFirst(next);
    processedByRunDue += start(next.what, next.dueAt);
    return true;
  }

  const isBehind = (): boolean => data().due.size > maxAtOnce && data().due.hasMoreThan(maxAtOnce, now(), isImmediate);

  async function runDueInSlices(): Promise<void> {
    const slices = createSlices(wall);
    while (!disposed && isBehind()) {
      runNextDue(now());
      if (slices.isOver()) await slices.next();
    }
    catchingUp = undefined;
  }

  function runDueAhead(): Promise<void> | undefined {
    // Callers that arrive during a catch-up wait for the same one.
    if (!catchingUp && isBehind()) catchingUp = runDueInSlices();
    return catchingUp;
  }

  /** Starts one item. Outside of a request, errors can only be logged; other due items still run. */
  function start(what: What, at: number): number {
    try {
      const running = run(what, at);
      if (!(running instanceof Promise)) return running.processed;
      running.catch(reportError);
    } catch (error) {
      reportError(error);
    }
    return 0;
  }

  function add(dueAt: number, what: What): void {
    const { due } = data();
    const item = { dueAt, order: data().dueCount++, what };
    due.add(item);
    if (due.first() === item) rearm();
  }

  async function runUntil(to: number, stopIdle: boolean, slices: Slices): Promise<ScheduleAdvance> {
    processedByRunDue = 0;
    let processed = 0;
    let delivered = 0;
    for (;;) {
      if (slices.isOver()) await slices.next();
      const result = await runNext(to);
      if (!result) break;
      processed += result.processed;
      delivered += result.delivered;
    }
    if (!stopIdle) setFrozen(to);
    return { now: now(), processed: processed + processedByRunDue, delivered };
  }

  /** Moves the clock to the first item that is due by `to`, and runs it. Returns undefined if there is none. */
  async function runNext(to: number): Promise<RunResult | undefined> {
    await settled();
    assertRunning();
    const next = data().due.first();
    if (!next || next.dueAt > to) return undefined;
    data().due.removeFirst(next);
    setFrozen(next.dueAt);
    const started = run(next.what, next.dueAt);
    const result = started instanceof Promise ? await started : started;
    assertRunning();
    return result;
  }

  /** Sets the frozen clock. It never goes back. */
  function setFrozen(at: number): void {
    data().clock = { mode: 'frozen', nowMs: Math.max(now(), at) };
  }

  /** @throws Disposed */
  function assertRunning(): void {
    if (disposed) throw new Disposed();
  }

  async function advance(
    target: () => { to: number; stopIdle: boolean },
    slices: Slices = createSlices(wall),
  ): Promise<ScheduleAdvance> {
    const previous = queue;
    const advanced = (async () => {
      await previous.catch(() => undefined);
      assertRunning();
      const { to, stopIdle } = target();
      advancing = true;
      try {
        return await runUntil(to, stopIdle, slices);
      } finally {
        advancing = false;
        rearm();
      }
    })();
    queue = advanced.catch(() => undefined);
    return advanced;
  }

  function dispose(): void {
    disposed = true;
    cancelTimer?.();
  }

  return { now, runDue, runDueAhead, add, rearm, advance, isAdvancing: () => advancing, dispose };
}
