/** Implements `await` and `min` of lists: `await=5s&min=2` waits until two items match, for at most 5 seconds. */
import { parseDuration } from '../../lib/duration.ts';
import type { ControlParts, ControlRequest } from '../handler.ts';
import type { DefineList } from './list.ts';
import { isSelected, select } from './select.ts';

/** Counts matching items. Reports changes as differences: counting all items for each waiting client takes too long. */
export interface ItemCounter {
  count(): number;
  /**
   * Calls `changed` with the difference of the count at each change after the last call of `count`. Returns a function
   * that unsubscribes.
   */
  subscribe(changed: (by: number) => void): () => void;
}

/** Counts the items that a query selects; at a change, tests only the changed ones. */
export function countSelected<Item>(
  define: DefineList<Item>,
  query: ControlRequest['query'],
  after: number,
): ItemCounter {
  const { numberOf = () => 0, watch } = define();
  /** Numbers of the items that were selected when they were last tested. Few: a client waits only for some. */
  const selected = new Set<number>();

  /** Tests items. Returns the difference of the count. */
  function test(items: readonly Item[], selection: ReturnType<typeof select<Item>>): number {
    const before = selected.size;
    for (const item of items) {
      if (isSelected(selection, item)) selected.add(numberOf(item));
      else selected.delete(numberOf(item));
    }
    return selected.size - before;
  }

  return {
    count: () => {
      const list = define();
      selected.clear();
      return test(list.items(), select(list, query, after));
    },
    subscribe: (changed) =>
      watch?.((items) => {
        const by = test(items, select(define(items), query, after));
        if (by !== 0) changed(by);
      }) ?? (() => undefined),
  };
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
