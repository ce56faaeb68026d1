/** A wall clock on which nobody waits: it stands, and whatever is to happen later happens at once. */
import type { WallClock } from '../base/time.ts';

export function createReplayWall(nowMs: number): WallClock {
  return {
    now: () => nowMs,
    elapsed: () => 0,
    after: (_ms, run) => {
      const soon = setImmediate(run);
      return () => clearImmediate(soon);
    },
  };
}
