/** Wall clock for a replay: its time never changes, and timers fire at once. */
import type { WallClock } from '../../lib/time.ts';

export function createReplayWall(nowMs: number): WallClock {
  return {
    now: () => nowMs,
    elapsed: () => 0,
    after: (_ms, run) => {
      const immediate = setImmediate(run);
      return () => clearImmediate(immediate);
    },
  };
}
