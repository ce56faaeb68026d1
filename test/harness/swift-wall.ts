/** A wall clock on which delays take no real time: only they move it, so that durations repeat. */
import { createWallClock, type WallClock } from '../../src/lib/time.ts';

/**
 * Skips delays of at most `maxMs` while `isSkipping` returns true: each ends in the next turn of the event loop. Longer
 * ones, such as the time limits of callbacks, take their time, and so does what they limit.
 */
export function createSwiftWall(
  maxMs: number,
  { now, isSkipping = () => true }: { readonly now?: () => number; readonly isSkipping?: () => boolean } = {},
): WallClock {
  const real = createWallClock();
  let elapsedMs = 0;
  return {
    now: now ?? real.now,
    elapsed: () => elapsedMs,
    after: (ms, run) => {
      if (ms > maxMs || !isSkipping()) return real.after(ms, run);
      const immediate = setImmediate(() => {
        elapsedMs += ms;
        run();
      });
      return () => clearImmediate(immediate);
    },
  };
}
