/** Waits between requests to a sandbox that does not answer. */
import type { WallClock } from '../lib/time.ts';
import { type Answer, isTemporary } from './client.ts';

/** First delay of a backoff, in milliseconds. */
const minMs = 500;
/** Maximum delay, in milliseconds. */
const maxMs = 15_000;

/** Who waits for a sandbox. */
export interface Patience {
  readonly wall: WallClock;
  /** Ends each wait. */
  readonly signal: AbortSignal;
  /** Called before it waits. */
  waiting(reason: string, ms: number): void;
}

/** Exponential backoff between requests. */
export class Backoff {
  readonly #patience: Patience;
  #nextMs = minMs;

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** Reports the reason and waits. Each delay is twice the last, up to the maximum. */
  async wait(reason: string): Promise<void> {
    const { wall, signal, waiting } = this.#patience;
    if (signal.aborted) return;
    const ms = this.#nextMs;
    this.#nextMs = Math.min(ms * 2, maxMs);
    waiting(reason, ms);
    await pause(wall, ms, signal);
  }

  /** Resets the delay to the minimum after a success. */
  reset(): void {
    this.#nextMs = minMs;
  }
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

/** Asks again until the sandbox answers or refuses, or the signal is aborted. Returns the last answer. */
export async function askUntilAnswered<Body>(
  ask: () => Promise<Answer<Body>>,
  patience: Patience,
): Promise<Answer<Body>> {
  const backoff = new Backoff(patience);
  for (;;) {
    const answer = await ask();
    if (answer.ok || patience.signal.aborted || !isTemporary(answer)) return answer;
    await backoff.wait(answer.message);
  }
}
