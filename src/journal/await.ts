/** Waits for a condition, up to a timeout in real time. */
import type { WallClock } from '../lib/time.ts';

/** Notifies listeners when a condition may have changed. */
export interface ChangeSource {
  subscribe(listener: () => void): () => void;
}

/**
 * Waits until `enough()` returns true, for at most `ms` milliseconds or until `end`. Checks at once, at each change and
 * at `end`. Resolves with whether it was true.
 */
export function waitUntil(
  enough: () => boolean,
  changes: ChangeSource,
  end: ChangeSource,
  ms: number,
  wall: WallClock,
): Promise<boolean> {
  if (enough()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const settle = (satisfied: boolean): void => {
      cancel();
      for (const unsubscribe of subscriptions) unsubscribe();
      resolve(satisfied);
    };
    const cancel = wall.after(ms, () => settle(false));
    const subscriptions = [
      changes.subscribe(() => {
        if (enough()) settle(true);
      }),
      end.subscribe(() => settle(enough())),
    ];
  });
}
