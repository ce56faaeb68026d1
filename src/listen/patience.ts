/** Waits that grow from one failure to the next, on a clock that is given. */
import type { WallClock } from '../base/time.ts';

const shortestMs = 500;
const longestMs = 15_000;

export interface Patience {
  /** Says why it waits, then waits: each time twice as long, up to a bound. Over at once where the signal has ended it. */
  wait(reason: string): Promise<void>;
  /** It went well: the next wait is a short one. */
  calm(): void;
}

export function createPatience(
  wall: WallClock,
  signal: AbortSignal,
  say: (reason: string, ms: number) => void,
): Patience {
  let nextMs = shortestMs;
  return {
    wait: (reason) => {
      if (signal.aborted) return Promise.resolve();
      const ms = nextMs;
      nextMs = Math.min(nextMs * 2, longestMs);
      say(reason, ms);
      return pause(wall, ms, signal);
    },
    calm: () => {
      nextMs = shortestMs;
    },
  };
}

function pause(wall: WallClock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      done();
    };
    const cancel = wall.after(ms, end);
    signal.addEventListener('abort', end);
  });
}
