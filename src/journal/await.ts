/** Waits for something to match, for a bounded time of the wall's clock. */
import type { WallClock } from '../base/time.ts';

/** Something that can tell when to look again. */
export interface Changes {
  subscribe(listener: () => void): () => void;
}

/** Resolves with whether `enough()` became true before `ms` had passed or `end` came; looks at once, then at each change. */
export function waitUntil(
  enough: () => boolean,
  changes: Changes,
  end: Changes,
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
