/**
 * Keeps due items in order of time, then of arrival. Adding an item and removing the first one cost the same at any
 * length.
 */

/** An item that is due. It is serialisable, so that a project can be saved and resumed. */
export interface Due<What> {
  readonly dueAt: number;
  /** Position among items due at the same time: they run in the order in which they were added. */
  readonly order: number;
  readonly what: What;
}

export interface DueWatcher<What> {
  added(item: Due<What>): void;
  removed(item: Due<What>): void;
}

/** A sorted list of due items. Serialises to JSON as the array of its items. */
export interface DueList<What> extends Iterable<Due<What>> {
  readonly size: number;
  count(kind: string): number;
  /** Returns the first item; with `isWanted`, the first item of the wanted kinds. */
  first(isWanted?: (what: What) => boolean): Due<What> | undefined;
  /** Whether more than `max` items of one of the wanted kinds are due by `by`. */
  hasMoreThan(max: number, by: number, isWanted: (what: What) => boolean): boolean;
  /** Adds an item after those due at the same time. */
  add(item: Due<What>): void;
  /** Removes the first item of the same kind as this one. */
  removeFirst(item: Due<What>): void;
  removeWhere(matches: (item: Due<What>) => boolean): void;
  watch(watcher: DueWatcher<What>): void;
  toJSON(): readonly Due<What>[];
}

interface QueuedItem<What> {
  readonly item: Due<What>;
  readonly position: number;
}

/** Creates a list from items that are already sorted. Each kind of item, named by `kindOf`, has its own queue. */
export function createDueList<What>(kindOf: (what: What) => string, items: Iterable<Due<What>> = []): DueList<What> {
  const queues = new Map<string, Queue<What>>();
  const watchers: DueWatcher<What>[] = [];
  let added = 0;
  let size = 0;

  function queueOf(what: What): Queue<What> {
    const kind = kindOf(what);
    const existing = queues.get(kind);
    if (existing) return existing;
    const queue = createQueue<What>();
    queues.set(kind, queue);
    return queue;
  }

  function first(isWanted?: (what: What) => boolean): Due<What> | undefined {
    let earliest: QueuedItem<What> | undefined;
    for (const queue of queues.values()) {
      const next = queue.at(0);
      if (!next || (isWanted && !isWanted(next.item.what))) continue;
      if (!earliest || isBefore(next, earliest)) earliest = next;
    }
    return earliest?.item;
  }

  function add(item: Due<What>): void {
    queueOf(item.what).add({ item, position: added++ });
    size += 1;
    for (const watcher of watchers) watcher.added(item);
  }

  function* inOrder(): Generator<Due<What>> {
    const cursors = [...queues.values()].map((queue) => ({ queue, index: 0 }));
    for (;;) {
      let earliest: { next: QueuedItem<What>; cursor: { index: number } } | undefined;
      for (const cursor of cursors) {
        const next = cursor.queue.at(cursor.index);
        if (next && (!earliest || isBefore(next, earliest.next))) earliest = { next, cursor };
      }
      if (!earliest) return;
      earliest.cursor.index += 1;
      yield earliest.next.item;
    }
  }

  for (const item of items) add(item);
  return {
    get size() {
      return size;
    },
    count: (kind) => queues.get(kind)?.size() ?? 0,
    first,
    hasMoreThan: (max, by, isWanted) => {
      for (const queue of queues.values()) {
        const nextItem = queue.at(max)?.item;
        if (nextItem && nextItem.dueAt <= by && isWanted(nextItem.what)) return true;
      }
      return false;
    },
    add,
    removeFirst: (item) => {
      queueOf(item.what).removeFirst();
      size -= 1;
      for (const watcher of watchers) watcher.removed(item);
    },
    removeWhere: (matches) => {
      const removed = [...queues.values()].flatMap((queue) => queue.removeWhere(matches));
      size -= removed.length;
      for (const watcher of watchers) for (const item of removed) watcher.removed(item);
    },
    watch: (watcher) => void watchers.push(watcher),
    [Symbol.iterator]: inOrder,
    toJSON: () => [...inOrder()],
  };
}

function isBefore<What>(one: QueuedItem<What>, other: QueuedItem<What>): boolean {
  return one.item.dueAt < other.item.dueAt || (one.item.dueAt === other.item.dueAt && one.position < other.position);
}

interface Queue<What> {
  size(): number;
  at(index: number): QueuedItem<What> | undefined;
  add(queued: QueuedItem<What>): void;
  removeFirst(): void;
  removeWhere(matches: (item: Due<What>) => boolean): readonly Due<What>[];
}

/** Smaller gaps are not closed. */
const minGap = 1024;

/**
 * Creates a queue in one array. Removed items leave a gap at the front; the queue closes the gap when it is half of the
 * array, so that the average cost of moving items is constant.
 */
function createQueue<What>(): Queue<What> {
  let all: (QueuedItem<What> | undefined)[] = [];
  let gap = 0;

  /** Returns the index for a new item: after all items that are due at the same time or earlier. */
  function indexOf(dueAt: number): number {
    let low = gap;
    let high = all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((all[middle] as QueuedItem<What>).item.dueAt <= dueAt) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function add(queued: QueuedItem<What>): void {
    const { dueAt } = queued.item;
    const index = (all.at(-1)?.item.dueAt ?? dueAt) <= dueAt ? all.length : indexOf(dueAt);
    if (gap > 0 && index - gap < all.length - index) {
      all.copyWithin(gap - 1, gap, index);
      gap -= 1;
      all[index - 1] = queued;
    } else all.splice(index, 0, queued);
  }

  return {
    size: () => all.length - gap,
    at: (index) => all[gap + index],
    add,
    removeFirst: () => {
      all[gap] = undefined;
      gap += 1;
      if (gap < all.length && gap < Math.max(minGap, all.length / 2)) return;
      all = all.slice(gap);
      gap = 0;
    },
    removeWhere: (matches) => {
      const removed: Due<What>[] = [];
      const rest = all.slice(gap).filter((queued) => {
        const { item } = queued as QueuedItem<What>;
        if (!matches(item)) return true;
        removed.push(item);
        return false;
      });
      if (removed.length > 0) {
        all = rest;
        gap = 0;
      }
      return removed;
    },
  };
}
