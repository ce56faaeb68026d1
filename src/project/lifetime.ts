/** Tracks what waits in a project until its end: delayed responses and listeners for the end. */
import type { NewEntry } from '../journal/entry.ts';
import type { WallClock } from '../lib/time.ts';

export interface ProjectLifetime {
  /** Requests that were applied and whose responses are delayed. */
  readonly delayedRequests: ReadonlySet<NewEntry>;
  /** Waits for `ms` on the wall clock or until the project ends, and then for `persisted`. */
  delayResponse(ms: number, entry: NewEntry, persisted?: Promise<void>): Promise<void>;
  /** Calls the listener once when the project ends, or at once if it has. Returns a function that unsubscribes. */
  onEnd(listener: () => void): () => void;
  isEnded(): boolean;
  /** Whether a client waits for a response or holds a connection open. */
  hasWaitingClients(): boolean;
  /** Ends all waits and calls the listeners. */
  end(): void;
}

export function createProjectLifetime(wall: WallClock): ProjectLifetime {
  const listeners = new Set<() => void>();
  const delayed = new Set<NewEntry>();
  let hasEnded = false;

  function onEnd(listener: () => void): () => void {
    if (hasEnded) listener();
    else listeners.add(listener);
    return () => listeners.delete(listener);
  }

  function wait(ms: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        unsubscribe();
        resolve();
      };
      const cancel = wall.after(ms, end);
      const unsubscribe = onEnd(end);
    });
  }

  return {
    delayedRequests: delayed,
    delayResponse: async (ms, entry, persisted) => {
      delayed.add(entry);
      try {
        if (ms > 0 && !hasEnded) await wait(ms);
        await persisted;
      } finally {
        delayed.delete(entry);
      }
    },
    onEnd,
    isEnded: () => hasEnded,
    hasWaitingClients: () => delayed.size > 0 || listeners.size > 0,
    end: () => {
      hasEnded = true;
      for (const listener of listeners) listener();
      listeners.clear();
    },
  };
}
