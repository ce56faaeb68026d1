/** A wall clock that a test advances: timers that become due run in order. */
import type { WallClock } from '../../src/lib/time.ts';

export interface TestWall extends WallClock {
  /** Advances the clock. Each timer runs at its own time, including timers that are set meanwhile. */
  pass(ms: number): void;
  /** Returns the delays of the timers that have not run yet, in milliseconds. */
  timers(): readonly number[];
}

export function createTestWall(startMs = 0): TestWall {
  let nowMs = startMs;
  const timers = new Set<{ readonly at: number; readonly ms: number; readonly run: () => void }>();

  function first(): { readonly at: number; readonly run: () => void } | undefined {
    return [...timers].toSorted((a, b) => a.at - b.at)[0];
  }

  return {
    now: () => nowMs,
    elapsed: () => nowMs - startMs,
    after: (ms, run) => {
      const timer = { at: nowMs + ms, ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pass: (ms) => {
      const end = nowMs + ms;
      for (let next = first(); next && next.at <= end; next = first()) {
        timers.delete(next as never);
        nowMs = Math.max(nowMs, next.at);
        next.run();
      }
      nowMs = end;
    },
    timers: () => [...timers].map(({ ms }) => ms),
  };
}
