/** Splits long work into slices, so that one request does not block the others. */
import type { WallClock } from './time.ts';
import { nextTurn } from './timers.ts';

/** Maximum duration of a slice, in milliseconds. */
const maxSliceMs = 15;

/** Measures the slices of one long task. */
export interface Slices {
  /** Returns whether the slice has used its time; call `next` then. */
  isOver(): boolean;
  /** Lets the event loop run other work, then starts the next slice. */
  next(): Promise<void>;
}

/**
 * Starts the first slice now. Call `isOver` every few hundred steps: reading the clock takes about 50 ns. `waitForTurn` waits
 * for the next slice; by default it is in the next turn of the event loop.
 */
export function createSlices(wall: Pick<WallClock, 'elapsed'>, waitForTurn: () => Promise<unknown> = nextTurn): Slices {
  let startedAt = wall.elapsed();
  return {
    isOver: () => wall.elapsed() - startedAt >= maxSliceMs,
    next: async () => {
      await waitForTurn();
      startedAt = wall.elapsed();
    },
  };
}

/** Long work as a generator that yields between steps, so that it can run in slices or all at once. */
export type Steps<Result> = Generator<undefined, Result>;

/** Runs all steps without a pause. */
export function runAll<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs all steps, and lets the event loop run other work between slices: new ones, or those of a longer task. */
export async function runInSlices<Result>(
  steps: Steps<Result>,
  wall: Pick<WallClock, 'elapsed'> | Slices,
): Promise<Result> {
  const slices = 'isOver' in wall ? wall : createSlices(wall);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (slices.isOver()) await slices.next();
  }
}
