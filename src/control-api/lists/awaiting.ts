/** Implements `await` and `min` of lists: `await=5s&min=2` waits until two items match, for at most 5 seconds. */
import { parseDuration } from '../../lib/duration.ts';
import { inTurn } from '../../lib/in-turn.ts';
import type { Problem } from '../../lib/problem.ts';
import { toSlotName } from '../caller.ts';
import type { ControlParts, ControlRequest } from '../handler.ts';
import type { List } from './list.ts';
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
export function countSelected<Item>(list: List<Item>, query: ControlRequest['query'], after: number): ItemCounter {
  const { items, numberOf = () => 0, watch, refresh } = list;
  /** Numbers of the items that were selected when they were last tested. Few: a client waits only for some. */
  const selected = new Set<number>();
  let selection = select(list, query, after);

  /** Tests items. Returns the difference of the count. */
  function test(changed: readonly Item[]): number {
    const before = selected.size;
    for (const item of changed) {
      if (isSelected(selection, item)) selected.add(numberOf(item));
      else selected.delete(numberOf(item));
    }
    return selected.size - before;
  }

  return {
    count: () => {
      refresh?.();
      selection = select(list, query, after);
      selected.clear();
      return test(items());
    },
    subscribe: (changed) =>
      watch?.((changedItems) => {
        refresh?.(changedItems);
        const by = test(changedItems);
        if (by !== 0) changed(by);
      }) ?? (() => undefined),
  };
}

/**
 * If the request has `await`, waits until enough items match, the timeout ends, the project is reset, or the client
 * disconnects. Holds one of the slots for waiting clients meanwhile.
 * @returns fields for the response, in addition to the list, or the problem if no slot is free
 */
export async function awaitEnough(
  parts: ControlParts,
  request: ControlRequest,
  counter: ItemCounter,
): Promise<{ satisfied?: boolean } | { readonly problem: Problem }> {
  const { params, query, caller } = request;
  if (query['await'] === undefined) return {};
  const { waiting } = parts.admission;
  const project = (params['projectId'] ?? query['project']) as string | undefined;
  const slot = toSlotName(project, caller);
  const problem = waiting.check(slot, caller.key);
  if (problem) return { problem };
  const release = waiting.take(slot, caller.key);
  try {
    return { satisfied: await waitUntil(parts, request, project, counter) };
  } finally {
    release();
  }
}

function waitUntil(
  { projects, wall }: ControlParts,
  { query, onLeave }: ControlRequest,
  project: string | undefined,
  { count, subscribe }: ItemCounter,
): boolean | Promise<boolean> {
  const ms = parseDuration(String(query['await'])) ?? 0;
  const min = Number(query['min'] ?? 1);
  let current = count();
  // Counts again before success, because old items may be dropped without a notification.
  const isEnough = (): boolean => {
    if (current < min) return false;
    current = count();
    return current >= min;
  };
  return (
    isEnough() ||
    new Promise((resolve) => {
      const settle = (isSatisfied: boolean): void => {
        unsubscribe();
        resolve(isSatisfied);
      };
      // Counts, because changes may have been collected that are not reported yet.
      const end = () => settle(count() >= min);
      const unsubscribe = inTurn(
        wall.after(ms, end),
        subscribe((by) => {
          current += by;
          if (by > 0 && isEnough()) settle(true);
        }),
        // Without counting, which would load a project that this server is about to give up.
        projects.on('reset', (name) => (name === undefined || name === project) && settle(false)),
        onLeave?.(end),
      );
    })
  );
}
