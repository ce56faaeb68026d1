/** Waits for something to match, for a bounded time of the wall's clock. */
import type { WallClock } from '../base/time.ts';

/** Something that can tell when to look again. */
export interface Changes {
  subscribe(listener: () => void): () => void;
}

/** Resolves with whether `enough()` became true before `ms` had passed; looks at once, then at each change. */
export function waitUntil(
  enough: () => boolean,
  changes: readonly Changes[],
  ms: number,
  wall: WallClock,
): Promise<boolean> {
  if (enough()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = (satisfied: boolean): void => {
      cancel();
      for (const unsubscribe of subscriptions) unsubscribe();
      resolve(satisfied);
    };
    const cancel = wall.after(ms, () => end(false));
    const subscriptions = changes.map((change) =>
      change.subscribe(() => {
        if (enough()) end(true);
      }),
    );
  });
}
