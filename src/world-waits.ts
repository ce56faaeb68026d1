/** What waits in a world, and ends with it: answers that are given later, and whoever wants to know of its end. */
import type { WallClock } from './base/time.ts';
import type { NewEntry } from './journal/journal.ts';

export interface Waits {
  /** Requests that have taken effect and are answered later. */
  readonly delayed: ReadonlySet<NewEntry>;
  /** Waits so long on the wall's clock, or until the end; and for what else there is to wait for. */
  delay(ms: number, entry: NewEntry, kept?: Promise<void>): Promise<void>;
  /** Calls back once at the end, at once where that has been; gives back what ends that. */
  onEnd(listener: () => void): () => void;
  isOver(): boolean;
  /** Nothing waits any longer. */
  end(): void;
}

/** Nothing that waits, and no end yet. */
export function createWaits(wall: WallClock): Waits {
  const listeners = new Set<() => void>();
  const delayed = new Set<NewEntry>();
  let isOver = false;

  function onEnd(listener: () => void): () => void {
    if (isOver) listener();
    else listeners.add(listener);
    return () => listeners.delete(listener);
  }

  function pass(ms: number): Promise<void> {
    return new Promise<void>((go) => {
      const end = (): void => {
        cancel();
        forget();
        go();
      };
      const cancel = wall.after(ms, end);
      const forget = onEnd(end);
    });
  }

  return {
    delayed,
    delay: async (ms, entry, kept) => {
      delayed.add(entry);
      try {
        if (ms > 0 && !isOver) await pass(ms);
        await kept;
      } finally {
        delayed.delete(entry);
      }
    },
    onEnd,
    isOver: () => isOver,
    end: () => {
      isOver = true;
      for (const listener of listeners) listener();
      listeners.clear();
    },
  };
}
