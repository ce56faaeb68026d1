/** Runs at most a number of tasks at a time, in order. */
import pLimit from 'p-limit';
import { createSlices } from '../lib/slices.ts';
import type { WallClock } from '../lib/time.ts';

export interface Limiter {
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Resolves when no task is running or waiting. */
  idle(): Promise<void>;
}

/** Creates a limiter of `width` tasks. If tasks complete without waiting, it yields to other work now and then. */
export function createLimiter(width: number, wall: WallClock): Limiter {
  const limit = pLimit(width);
  let slices = createSlices(wall);
  const idleListeners: (() => void)[] = [];
  let count = 0;

  async function run<T>(task: () => Promise<T>): Promise<T> {
    if (count === 0) slices = createSlices(wall);
    count += 1;
    try {
      return await limit(async () => {
        if (slices.isOver()) await slices.next();
        return await task();
      });
    } finally {
      count -= 1;
      if (count === 0) for (const notify of idleListeners.splice(0)) notify();
    }
  }

  return {
    run,
    idle: () => (count === 0 ? Promise.resolve() : new Promise((notify) => idleListeners.push(notify))),
  };
}
