/**
 * Serves queued waiters with a limited number of steps per turn of the event loop, so that they do not block others.
 */
import { timers } from '../lib/timers.ts';

export interface SendQueue<Waiter> {
  /** Adds a waiter to the queue; returns false if it is already queued. */
  enter(waiter: Waiter): boolean;
  leave(waiter: Waiter): void;
  /** Runs the steps of one turn now, unless a turn is already scheduled, and the rest in later turns. */
  serve(): void;
  /** Runs at most `maxSteps` steps now. */
  serveNow(maxSteps: number): void;
}

/** Creates an empty queue. `serveOne` runs at most `left` steps for a waiter and returns how many steps are left. */
export function createSendQueue<Waiter>(
  maxSteps: number,
  serveOne: (waiter: Waiter, left: number) => number,
  runLater: (run: () => void) => void = (run) => void timers.setImmediate(run),
): SendQueue<Waiter> {
  const waiting = new Set<Waiter>();
  let isScheduled = false;

  function serveNow(max: number): void {
    let left = max;
    for (const waiter of waiting) {
      left = serveOne(waiter, left);
      if (left === 0) return;
    }
  }

  function serve(): void {
    if (isScheduled) return;
    serveNow(maxSteps);
    if (waiting.size === 0) return;
    isScheduled = true;
    runLater(() => {
      isScheduled = false;
      serve();
    });
  }

  return {
    enter: (waiter) => waiting.size !== waiting.add(waiter).size,
    leave: (waiter) => waiting.delete(waiter),
    serve,
    serveNow,
  };
}
