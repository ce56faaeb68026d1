/** Runs at most a number of tasks at a time, in order. */
import { createSlices } from '../lib/slices.ts';
import type { WallClock } from '../lib/time.ts';

export interface Limiter {
  /** Runs the task when it is its turn, and returns its result. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Resolves when no task is running or waiting. */
  idle(): Promise<void>;
}

/** Minimum number of started tasks before they are removed from the queue, because removal moves the others. */
const minStarted = 1024;

/** Creates a limiter of `width` tasks. If tasks complete without waiting, it yields to other work now and then. */
export function createLimiter(width: number, wall: WallClock): Limiter {
  let waiting: (() => void)[] = [];
  /** Number of tasks at the front of `waiting` that have started. */
  let started = 0;
  const idleListeners: (() => void)[] = [];
  let running = 0;
  let slices = createSlices(wall);

  function takeNext(): (() => void) | undefined {
    const next = waiting[started];
    started += 1;
    if (started < waiting.length && started < Math.max(minStarted, waiting.length / 2)) return next;
    waiting = waiting.slice(started);
    started = 0;
    return next;
  }

  function startNext(): void {
    const next = takeNext();
    if (!next) running -= 1;
    else if (slices.isOver()) void slices.next().then(next);
    else next();
    if (running === 0) for (const notify of idleListeners.splice(0)) notify();
  }

  async function run<T>(task: () => Promise<T>): Promise<T> {
    if (running >= width) await new Promise<void>((resolve) => waiting.push(resolve));
    else {
      if (running === 0) slices = createSlices(wall);
      running += 1;
    }
    try {
      return await task();
    } finally {
      startNext();
    }
  }

  return {
    run,
    idle: () => (running === 0 ? Promise.resolve() : new Promise((notify) => idleListeners.push(notify))),
  };
}
