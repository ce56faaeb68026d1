/** Keeps what is due in a project, and runs it by the project's clock, in the order of time and acceptance. */
import { type ClockState, rateOf, readClock, setClock } from '../lib/clock.ts';
import { createSlices, type Slices } from '../lib/slices.ts';
import type { WallClock } from '../lib/time.ts';

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

/** Maximum number of items of each kind that `runDue` runs at once. Each may be the import of a large body. */
const maxAtOnce = 3;

/** The project was reset, or the sandbox stops. */
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
  /** Why nothing runs any more. */
  #end: Error | undefined;
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
    while (!this.#end && this.#runNextDue(at));
    return at;
  }

  /**
   * Runs due work in slices if there is too much for `runDue`. Returns undefined if there is little. Callers that arrive
   * meanwhile wait for the same work.
   */
  catchUp(): Promise<void> | undefined {
    if (!this.#catchingUp && this.#isBehind()) {
      this.#catchingUp = this.#runDueInSlices().finally(() => {
        this.#catchingUp = undefined;
      });
    }
    return this.#catchingUp;
  }

  /** Sets the timer again. Call it after changing the clock or the list directly. */
  rearm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const first = this.#data.due.first();
    if (this.#end || this.#isAdvancing || !first) return;
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

  hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** `error`: thrown to callers that wait. */
  dispose(error: Error = new Disposed()): void {
    this.#end ??= error;
    this.#cancelTimer?.();
  }

  #onTimer(): void {
    this.#cancelTimer = undefined;
    if (this.#end || this.#isAdvancing) return;
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
    while (!this.#end && this.#isBehind()) {
      this.#runNextDue(this.now());
      if (slices.isOver()) await slices.next();
    }
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

  /** @throws what the schedule was disposed with */
  #assertRunning(): void {
    if (this.#end) throw this.#end;
  }
}

/** An item that is due. It is serialisable, so that a project can be saved and resumed. */
export interface Due<What> {
  readonly dueAt: number;
  /** Position among items due at the same time: they run in the order in which they were added. */
  readonly order: number;
  readonly what: What;
}

interface DueWatcher<What> {
  added(item: Due<What>): void;
  removed(item: Due<What>): void;
}

/** A sorted list of due items. Each kind of item has its own queue, so that the first of a kind is found at once. */
export class DueList<What> implements Iterable<Due<What>> {
  readonly #kindOf: (what: What) => string;
  readonly #queues = new Map<string, Queue<What>>();
  readonly #watchers: DueWatcher<What>[] = [];

  /** Creates a list from items that are already sorted. */
  constructor(kindOf: (what: What) => string, items: Iterable<Due<What>> = []) {
    this.#kindOf = kindOf;
    for (const item of items) this.add(item);
  }

  get size(): number {
    let size = 0;
    for (const queue of this.#queues.values()) size += queue.size;
    return size;
  }

  count(kind: string): number {
    return this.#queues.get(kind)?.size ?? 0;
  }

  /** Returns the first item; with `isWanted`, the first item of the wanted kinds. */
  first(isWanted?: (what: What) => boolean): Due<What> | undefined {
    let earliest: Due<What> | undefined;
    for (const queue of this.#queues.values()) {
      const next = queue.at(0);
      if (!next || (isWanted && !isWanted(next.what))) continue;
      if (!earliest || compareDue(next, earliest) < 0) earliest = next;
    }
    return earliest;
  }

  /** Whether more than `max` items of one of the wanted kinds are due by `by`. */
  hasMoreThan(max: number, by: number, isWanted: (what: What) => boolean): boolean {
    for (const queue of this.#queues.values()) {
      const nextItem = queue.at(max);
      if (nextItem && nextItem.dueAt <= by && isWanted(nextItem.what)) return true;
    }
    return false;
  }

  /** Adds an item after those due at the same time. */
  add(item: Due<What>): void {
    this.#queueOf(item.what).add(item);
    for (const watcher of this.#watchers) watcher.added(item);
  }

  /** Removes the first item of the same kind as this one. */
  removeFirst(item: Due<What>): void {
    this.#queueOf(item.what).removeFirst();
    for (const watcher of this.#watchers) watcher.removed(item);
  }

  removeWhere(matches: (item: Due<What>) => boolean): void {
    const removed = [...this.#queues.values()].flatMap((queue) => queue.removeWhere(matches));
    for (const watcher of this.#watchers) for (const item of removed) watcher.removed(item);
  }

  watch(watcher: DueWatcher<What>): void {
    this.#watchers.push(watcher);
  }

  [Symbol.iterator](): Iterator<Due<What>> {
    return [...this.#queues.values()]
      .flatMap((queue) => queue.list())
      .sort(compareDue)
      .values();
  }

  #queueOf(what: What): Queue<What> {
    const kind = this.#kindOf(what);
    const queue = this.#queues.get(kind) ?? new Queue<What>();
    this.#queues.set(kind, queue);
    return queue;
  }
}

/** Compares items by time, then by order. */
export function compareDue(one: Pick<Due<unknown>, 'dueAt' | 'order'>, other: typeof one): number {
  return one.dueAt - other.dueAt || one.order - other.order;
}

/** Smaller gaps are not closed. */
const minGap = 1024;

/**
 * A queue in one array. Removed items leave a gap at the front; the queue closes the gap when it is half of the array, so
 * that the average cost of moving items is constant.
 */
class Queue<What> {
  #all: (Due<What> | undefined)[] = [];
  #gap = 0;

  get size(): number {
    return this.#all.length - this.#gap;
  }

  at(index: number): Due<What> | undefined {
    return this.#all[this.#gap + index];
  }

  list(): Due<What>[] {
    return this.#all.slice(this.#gap) as Due<What>[];
  }

  add(item: Due<What>): void {
    const { dueAt } = item;
    const all = this.#all;
    const index = (all.at(-1)?.dueAt ?? dueAt) <= dueAt ? all.length : this.#indexFor(dueAt);
    if (this.#gap > 0 && index - this.#gap < all.length - index) {
      all.copyWithin(this.#gap - 1, this.#gap, index);
      this.#gap -= 1;
      all[index - 1] = item;
    } else all.splice(index, 0, item);
  }

  removeFirst(): void {
    this.#all[this.#gap] = undefined;
    this.#gap += 1;
    if (this.#gap >= this.#all.length || this.#gap >= Math.max(minGap, this.#all.length / 2))
      this.#replace(this.list());
  }

  removeWhere(matches: (item: Due<What>) => boolean): readonly Due<What>[] {
    const all = this.list();
    const removed = all.filter(matches);
    if (removed.length > 0) this.#replace(all.filter((item) => !matches(item)));
    return removed;
  }

  #replace(all: Due<What>[]): void {
    this.#all = all;
    this.#gap = 0;
  }

  /** Returns the index for a new item: after all items that are due at the same time or earlier. */
  #indexFor(dueAt: number): number {
    let low = this.#gap;
    let high = this.#all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#all[middle] as Due<What>).dueAt <= dueAt) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
