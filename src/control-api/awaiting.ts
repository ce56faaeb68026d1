/** Implements `await` and `min` of lists: `await=5s&min=2` waits until two items match, for at most 5 seconds. */
import { parseDuration } from '../lib/duration.ts';
import type { ControlParts, ControlRequest } from './handler.ts';

/** Counts matching items. Reports changes as differences: counting all items for each waiting client takes too long. */
export interface ItemCounter {
  count(): number;
  /**
   * Calls `changed` with the difference of the count at each change after the last call of `count`. Returns a function
   * that unsubscribes.
   */
  subscribe(changed: (by: number) => void): () => void;
}

/**
 * If the request has `await`, waits until enough items match, the timeout ends, the project is reset, or the client
 * disconnects.
 * @returns fields for the response, in addition to the list
 */
export async function awaitEnough(
  { projects, wall }: ControlParts,
  { query, onLeave }: ControlRequest,
  project: string | undefined,
  { count, subscribe }: ItemCounter,
): Promise<{ satisfied?: boolean }> {
  if (query['await'] === undefined) return {};
  const ms = parseDuration(String(query['await'])) ?? 0;
  const min = Number(query['min'] ?? 1);
  let current = count();
  // Counts again before success, because old items may be dropped without a notification.
  const isEnough = (): boolean => {
    if (current < min) return false;
    current = count();
    return current >= min;
  };
  if (isEnough()) return { satisfied: true };
  return new Promise((resolve) => {
    const settle = (satisfied: boolean): void => {
      cancel();
      for (const unsubscribe of subscriptions) unsubscribe?.();
      resolve({ satisfied });
    };
    const end = () => settle(isEnough());
    const cancel = wall.after(ms, () => settle(false));
    const subscriptions = [
      subscribe((by) => {
        current += by;
        if (by > 0 && isEnough()) settle(true);
      }),
      projects.onReset(project, end),
      onLeave?.(end),
    ];
  });
}
