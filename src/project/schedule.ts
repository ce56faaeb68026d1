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

interface Parts<What> {
  readonly data: ScheduleData<What>;
  readonly wall: WallClock;
  /** Runs one item at the project's time `now`. */
  run(what: What, now: number): RunResult | Promise<RunResult>;
  /** Whether `run` finishes this item before it returns. Only such items can be caught up on. */
  isSynchronous(what: What): boolean;
  reportError(error: unknown): void;
  /** Resolves when nothing that was started is still in progress. */
  settled(): Promise<void>;
}

/** With a real clock, a schedule sleeps until the first item is due; `advance` moves a frozen one. */
export class Schedule<What> {
  readonly #parts: Parts<What>;
  readonly #data: ScheduleData<What>;
  #cancelTimer: (() => void) | undefined;
  #isAdvancing = false;
  #isDisposed = false;
  #advances: Promise<unknown> = Promise.resolve();
  /** When the clock was last read, in monotonic milliseconds. */
  #readAtMs: number;
  /** Number of commands run by catching up during an advance. They count towards that advance. */
  #processedByRunDue = 0;
  #catchingUp: Promise<void> | undefined;

  constructor(parts: Parts<What>) {
    this.#parts = parts;
    this.#data = parts.data;
    this.#readAtMs = parts.wall.elapsed();
  }

  /** The project's current time, in milliseconds. The wall clock may be set back; this one continues from its last time. */
  now(): number {
    const { wall } = this.#parts;
    const data = this.#data;
    const elapsedMs = wall.elapsed();
    if (data.clock.mode === 'real' && readClock(data.clock, wall) < data.shownMs) {
      // Waiting for the wall clock to catch up could stop the project for hours.
      const rate = rateOf(data.clock);
      const passedMs = Math.max(0, Math.floor((elapsedMs - this.#readAtMs) * rate));
      data.clock = setClock('real', data.shownMs + passedMs, wall, rate);
    }
    this.#readAtMs = elapsedMs;
    data.shownMs = Math.max(data.shownMs, readClock(data.clock, wall));
    return data.shownMs;
  }

  add(dueAt: number, what: What): void {
    const { due } = this.#data;
    const item = { dueAt, order: this.#data.dueCount++, what };
    due.add(item);
    if (due.first() === item) this.rearm();
  }

  /** Runs all immediate work that is due, so that later changes come after it. Returns the project's current time. */
  runDue(): number {
    const at = this.now();
    while (!this.#isDisposed && this.#runNextDue(at));
    return at;
  }

  /**
   * Runs due work in slices if there is too much for `runDue`. Returns undefined if there is little. Callers that arrive
   * meanwhile wait for the same work.
   */
  catchUp(): Promise<void> | undefined {
    if (!this.#catchingUp && this.#isBehind()) this.#catchingUp = this.#runDueInSlices();
    return this.#catchingUp;
  }

  /** Sets the timer again. Call it after changing the clock or the list directly. */
  rearm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const first = this.#data.due.first();
    if (this.#isDisposed || this.#isAdvancing || !first) return;
    const spanMs = Math.max(0, first.dueAt - this.now());
    const { clock } = this.#data;
    if (spanMs > 0 && clock.mode !== 'real') return;
    const waitMs = spanMs === 0 ? 0 : Math.ceil(spanMs / rateOf(clock));
    this.#cancelTimer = this.#parts.wall.after(Math.min(waitMs, maxSleepMs), () => this.#onTimer());
  }

  /**
   * Moves a frozen clock; with `stopIdle`, only until nothing is pending. Advances run one after another. `slices`:
   * those of the request, if they take turns with other requests.
   */
  advance(
    target: () => { readonly to: number; readonly stopIdle: boolean },
    slices: Slices = createSlices(this.#parts.wall),
  ): Promise<ScheduleAdvance> {
    const advanced = this.#advances.then(async () => {
      this.#assertRunning();
      const { to, stopIdle } = target();
      this.#isAdvancing = true;
      try {
        return await this.#runUntil(to, stopIdle, slices);
      } finally {
        this.#isAdvancing = false;
        this.rearm();
      }
    });
    this.#advances = advanced.catch(() => undefined);
    return advanced;
  }

  isAdvancing(): boolean {
    return this.#isAdvancing;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#cancelTimer?.();
  }

  #onTimer(): void {
    this.#cancelTimer = undefined;
    if (this.#isDisposed || this.#isAdvancing) return;
    const slices = createSlices(this.#parts.wall);
    const { due } = this.#data;
    let next = due.first();
    while (next && next.dueAt <= this.now() && !slices.isOver()) {
      due.removeFirst(next);
      this.#start(next.what, next.dueAt);
      next = due.first();
    }
    this.rearm();
  }

  /** Runs the first immediate item that is due at that time. Returns whether there was one. */
  #runNextDue(at: number): boolean {
    const { due } = this.#data;
    const next = due.first(this.#parts.isSynchronous);
    if (!next || next.dueAt > at) return false;
    due.removeFirst(next);
    this.#processedByRunDue += this.#start(next.what, next.dueAt);
    return true;
  }

  #isBehind(): boolean {
    const { due } = this.#data;
    return due.size > maxAtOnce && due.hasMoreThan(maxAtOnce, this.now(), this.#parts.isSynchronous);
  }

  async #runDueInSlices(): Promise<void> {
    const slices = createSlices(this.#parts.wall);
    while (!this.#isDisposed && this.#isBehind()) {
      this.#runNextDue(this.now());
      if (slices.isOver()) await slices.next();
    }
    this.#catchingUp = undefined;
  }

  /** Starts one item. Outside of a request, errors can only be logged; other due items still run. */
  #start(what: What, at: number): number {
    const { run, reportError } = this.#parts;
    try {
      const running = run(what, at);
      if (!(running instanceof Promise)) return running.processed;
      running.catch(reportError);
    } catch (error) {
      reportError(error);
    }
    return 0;
  }

  async #runUntil(to: number, stopIdle: boolean, slices: Slices): Promise<ScheduleAdvance> {
    this.#processedByRunDue = 0;
    let processed = 0;
    let delivered = 0;
    for (;;) {
      if (slices.isOver()) await slices.next();
      const result = await this.#runNext(to);
      if (!result) break;
      processed += result.processed;
      delivered += result.delivered;
    }
    if (!stopIdle) this.#setFrozen(to);
    return { now: this.now(), processed: processed + this.#processedByRunDue, delivered };
  }

  /** Moves the clock to the first item that is due by `to`, and runs it. Returns undefined if there is none. */
  async #runNext(to: number): Promise<RunResult | undefined> {
    await this.#parts.settled();
    this.#assertRunning();
    const next = this.#data.due.first();
    if (!next || next.dueAt > to) return undefined;
    this.#data.due.removeFirst(next);
    this.#setFrozen(next.dueAt);
    const started = this.#parts.run(next.what, next.dueAt);
    const result = started instanceof Promise ? await started : started;
    this.#assertRunning();
    return result;
  }

  /** Sets the frozen clock. It never goes back. */
  #setFrozen(at: number): void {
    this.#data.clock = { mode: 'frozen', nowMs: Math.max(this.now(), at) };
  }

  /** @throws Disposed */
  #assertRunning(): void {
    if (this.#isDisposed) throw new Disposed();
  }
}
