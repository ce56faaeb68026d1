/** Waits between requests to a sandbox that does not answer. */
import type { WallClock } from '../lib/time.ts';
import { type Answer, isTemporary } from './client.ts';

/** First delay of a backoff, in milliseconds. */
const minMs = 500;
/** Maximum delay, in milliseconds. */
const maxMs = 15_000;

/** Exponential backoff between requests. */
export interface Backoff {
  /** Reports the reason and waits. Each delay is twice the last, up to the maximum. An abort ends the wait. */
  wait(reason: string): Promise<void>;
  /** Resets the delay to the minimum after a success. */
  reset(): void;
}

export function createBackoff(
  wall: WallClock,
  signal: AbortSignal,
  onWait: (reason: string, ms: number) => void,
): Backoff {
  let nextMs = minMs;
  return {
    wait: (reason) => {
      if (signal.aborted) return Promise.resolve();
      const ms = nextMs;
      nextMs = Math.min(nextMs * 2, maxMs);
      onWait(reason, ms);
      return pause(wall, ms, signal);
    },
    reset: () => {
      nextMs = minMs;
    },
  };
}

/** Waits for a time, or until the signal is aborted. */
export function pause(wall: WallClock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      done();
    };
    const cancel = wall.after(ms, end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}

interface Patience {
  readonly wall: WallClock;
  readonly signal: AbortSignal;
  /** Called before it waits. */
  waiting(reason: string, ms: number): void;
}

/** Asks again until the sandbox answers or refuses, or the signal is aborted. Returns the last answer. */
export async function askUntilAnswered<Body>(
  ask: () => Promise<Answer<Body>>,
  { wall, signal, waiting }: Patience,
): Promise<Answer<Body>> {
  const backoff = createBackoff(wall, signal, waiting);
  for (;;) {
    const answer = await ask();
    if (answer.ok || signal.aborted || !isTemporary(answer)) return answer;
    await backoff.wait(answer.message);
  }
}
