/** What the journal has of one project, and the database has not. It goes with the next line of changes. */
import type { JournalItem } from '../../journal/entry.ts';
import { toItemText } from '../../journal/stored-entry.ts';
import type { ProjectWrite } from '../database/cluster-database.ts';

/** A line without items. */
export const noItems = { items: '', newest: null, oldest: 0 } as const;

export class UnwrittenItems {
  /** Returns the number of the oldest item that the journal has; undefined if it has none in memory. */
  readonly #oldest: () => number | undefined;
  /** By number: an item that was changed since replaces itself. */
  #items = new Map<number, JournalItem>();
  /** What is being written. */
  #taken = new Map<number, JournalItem>();

  constructor(oldest: () => number | undefined) {
    this.#oldest = oldest;
  }

  add(item: JournalItem): void {
    this.#items.set(item.number, item);
  }

  clear(): void {
    this.#items.clear();
    this.#taken.clear();
  }

  isEmpty(): boolean {
    return this.#items.size === 0 && this.#taken.size === 0;
  }

  /** Takes all items, without those that the journal has dropped since; or none. `settle` or `putBack` follows. */
  take(takes: boolean): Pick<ProjectWrite, 'items' | 'newest' | 'oldest'> {
    // An evicted project has no journal in memory; all of it stays in the database.
    const oldest = this.#oldest() ?? 0;
    if (!takes || this.#items.size === 0) return { ...noItems, oldest };
    this.#taken = this.#items;
    this.#items = new Map();
    const kept = [...this.#taken.values()].filter(({ number }) => number >= oldest);
    const newest = kept.length > 0 ? Math.max(...kept.map(({ number }) => number)) : null;
    return { items: kept.map((item) => `${toItemText(item)}\n`).join(''), newest, oldest };
  }

  settle(): void {
    this.#taken.clear();
  }

  /** Puts items back that were not written. Newer versions of them win. */
  putBack(): void {
    this.#items = new Map([...this.#taken, ...this.#items]);
    this.settle();
  }
}
