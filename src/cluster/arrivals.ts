/** Waits until load balancers send a replica that stops no more requests. Until then it forwards them. */
import type { WallClock } from '../lib/time.ts';

export interface Arrivals {
  /** Notes that a request has arrived. */
  note(): void;
  /** Resolves when no request has arrived for two seconds, after four seconds at the latest. */
  drain(): Promise<void>;
}

/** Longer than load balancers take to notice that a server is not ready, in milliseconds. */
const quietMs = 2000;
const maxDrainMs = 4000;
const checkMs = 100;

export function createArrivals(wall: WallClock): Arrivals {
  let lastMs = 0;
  return {
    note: () => {
      lastMs = wall.elapsed();
    },
    drain: async () => {
      const startedMs = wall.elapsed();
      const isOver = (nowMs: number): boolean =>
        nowMs - Math.max(lastMs, startedMs) >= quietMs || nowMs - startedMs >= maxDrainMs;
      while (!isOver(wall.elapsed())) await new Promise<void>((resolve) => wall.after(checkMs, resolve));
    },
  };
}
