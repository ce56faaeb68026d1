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

interface DueWatcher<What> {
  added(item: Due<What>): void;
  removed(item: Due<What>): void;
}

/** A sorted list of due items. Each kind of item has its own queue, so that the first of a kind is found at once. */
export class DueList<What> implements Iterable<Due<What>> {
  readonly #kindOf: (what: What) => string;
  readonly #queues = new Map<string, Queue<What>>();
  readonly #watchers: DueWatcher<What>[] = [];
  #added = 0;

  /** Creates a list from items that are already sorted. */
  constructor(kindOf: (what: What) => string, items: Iterable<Due<What>> = []) {
    this.#kindOf = kindOf;
    for (const item of items) this.add(item);
  }

  get size(): number {
    let size = 0;
    for (const queue of this.#queues.values()) size += queue.size;
    return size;
  }

  count(kind: string): number {
    return this.#queues.get(kind)?.size ?? 0;
  }

  /** Returns the first item; with `isWanted`, the first item of the wanted kinds. */
  first(isWanted?: (what: What) => boolean): Due<What> | undefined {
    let earliest: QueuedItem<What> | undefined;
    for (const queue of this.#queues.values()) {
      const next = queue.at(0);
      if (!next || (isWanted && !isWanted(next.item.what))) continue;
      if (!earliest || compare(next, earliest) < 0) earliest = next;
    }
    return earliest?.item;
  }

  /** Whether more than `max` items of one of the wanted kinds are due by `by`. */
  hasMoreThan(max: number, by: number, isWanted: (what: What) => boolean): boolean {
    for (const queue of this.#queues.values()) {
      const nextItem = queue.at(max)?.item;
      if (nextItem && nextItem.dueAt <= by && isWanted(nextItem.what)) return true;
    }
    return false;
  }

  /** Adds an item after those due at the same time. */
  add(item: Due<What>): void {
    this.#queueOf(item.what).add({ item, position: this.#added++ });
    for (const watcher of this.#watchers) watcher.added(item);
  }

  /** Removes the first item of the same kind as this one. */
  removeFirst(item: Due<What>): void {
    this.#queueOf(item.what).removeFirst();
    for (const watcher of this.#watchers) watcher.removed(item);
  }

  removeWhere(matches: (item: Due<What>) => boolean): void {
    const removed = [...this.#queues.values()].flatMap((queue) => queue.removeWhere(matches));
    for (const watcher of this.#watchers) for (const item of removed) watcher.removed(item);
  }

  watch(watcher: DueWatcher<What>): void {
    this.#watchers.push(watcher);
  }

  [Symbol.iterator](): Iterator<Due<What>> {
    const all = [...this.#queues.values()].flatMap((queue) => queue.list());
    return all
      .sort(compare)
      .map(({ item }) => item)
      .values();
  }

  #queueOf(what: What): Queue<What> {
    const kind = this.#kindOf(what);
    const queue = this.#queues.get(kind) ?? new Queue<What>();
    this.#queues.set(kind, queue);
    return queue;
  }
}

interface QueuedItem<What> {
  readonly item: Due<What>;
  readonly position: number;
}

function compare<What>(one: QueuedItem<What>, other: QueuedItem<What>): number {
  return one.item.dueAt - other.item.dueAt || one.position - other.position;
}

/** Smaller gaps are not closed. */
const minGap = 1024;

/**
 * A queue in one array. Removed items leave a gap at the front; the queue closes the gap when it is half of the array, so
 * that the average cost of moving items is constant.
 */
class Queue<What> {
  #all: (QueuedItem<What> | undefined)[] = [];
  #gap = 0;

  get size(): number {
    return this.#all.length - this.#gap;
  }

  at(index: number): QueuedItem<What> | undefined {
    return this.#all[this.#gap + index];
  }

  list(): QueuedItem<What>[] {
    return this.#all.slice(this.#gap) as QueuedItem<What>[];
  }

  add(queued: QueuedItem<What>): void {
    const { dueAt } = queued.item;
    const all = this.#all;
    const index = (all.at(-1)?.item.dueAt ?? dueAt) <= dueAt ? all.length : this.#indexFor(dueAt);
    if (this.#gap > 0 && index - this.#gap < all.length - index) {
      all.copyWithin(this.#gap - 1, this.#gap, index);
      this.#gap -= 1;
      all[index - 1] = queued;
    } else all.splice(index, 0, queued);
  }

  removeFirst(): void {
    this.#all[this.#gap] = undefined;
    this.#gap += 1;
    if (this.#gap >= this.#all.length || this.#gap >= Math.max(minGap, this.#all.length / 2))
      this.#replace(this.list());
  }

  removeWhere(matches: (item: Due<What>) => boolean): readonly Due<What>[] {
    const all = this.list();
    const removed = all.filter(({ item }) => matches(item));
    if (removed.length > 0) this.#replace(all.filter(({ item }) => !matches(item)));
    return removed.map(({ item }) => item);
  }

  #replace(all: QueuedItem<What>[]): void {
    this.#all = all;
    this.#gap = 0;
  }

  /** Returns the index for a new item: after all items that are due at the same time or earlier. */
  #indexFor(dueAt: number): number {
    let low = this.#gap;
    let high = this.#all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#all[middle] as QueuedItem<What>).item.dueAt <= dueAt) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
