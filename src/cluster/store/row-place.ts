/**
 * Stores a project as rows of the database: a whole one, then rows with its changes. What the journal has stored of the
 * project meanwhile goes with the next changes.
 */
import type { JournalItem } from '../../journal/entry.ts';
import { toItemText } from '../../journal/stored-entry.ts';
import type { LogPlace } from '../../project/persistence/project-log.ts';
import type { ProjectWrite } from '../database/cluster-database.ts';

interface Parts {
  readonly project: string;
  /** The claim under which rows are written. */
  readonly epoch: number;
  /** Number of the last row. */
  readonly seq: number;
  isDue(): boolean;
  /** Returns the number of the oldest item that the journal has; undefined if it has none in memory. */
  oldestItem(): number | undefined;
  write(line: ProjectWrite): Promise<void>;
  /** Returns the number of the last row, after a write whose result is unknown. */
  findSeq(): Promise<number>;
}

/** A line without items. */
export const noItems = { items: '', newest: null, oldest: 0 } as const;

export class RowPlace implements LogPlace {
  readonly name: string;
  readonly epoch: number;
  readonly #parts: Parts;
  /** Undefined after a write whose result is unknown. */
  #seq: number | undefined;
  /** Items that are not written, by number: one that was changed since replaces itself. */
  #items = new Map<number, JournalItem>();
  /** Items that are being written. */
  #taken = new Map<number, JournalItem>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.name = `project ${JSON.stringify(parts.project)} in the database`;
    this.epoch = parts.epoch;
    this.#seq = parts.seq;
  }

  async replace(text: Iterable<string>): Promise<boolean> {
    await this.#put('whole', [...text].join(''));
    return true;
  }

  async append(text: Iterable<string>): Promise<boolean> {
    this.#taken = this.#items;
    this.#items = new Map();
    try {
      await this.#put('changes', [...text].join(''));
    } catch (error) {
      // Newer versions win.
      this.#items = new Map([...this.#taken, ...this.#items]);
      throw error;
    } finally {
      this.#taken = new Map();
    }
    return true;
  }

  remove(): Promise<void> {
    return this.#put('removal', '');
  }

  addItem(item: JournalItem): void {
    this.#items.set(item.number, item);
  }

  hasItems(): boolean {
    return this.#items.size > 0 || this.#taken.size > 0;
  }

  clearItems(): void {
    this.#items.clear();
    this.#taken.clear();
  }

  async #put(kind: ProjectWrite['kind'], text: string): Promise<void> {
    const { project, isDue, write, findSeq } = this.#parts;
    const line = { project, epoch: this.epoch, kind, text, isDue: isDue(), ...this.#toItems() };
    const seq = (this.#seq ?? (await findSeq())) + 1;
    this.#seq = undefined;
    await write({ ...line, seq });
    this.#seq = seq;
  }

  /** Returns what is taken, without what the journal has dropped since. */
  #toItems(): Pick<ProjectWrite, 'items' | 'newest' | 'oldest'> {
    // An evicted project has no journal in memory; all of it stays in the database.
    const oldest = this.#parts.oldestItem() ?? 0;
    const kept = [...this.#taken.values()].filter(({ number }) => number >= oldest);
    if (kept.length === 0) return { ...noItems, oldest };
    const newest = kept.reduce((highest, { number }) => Math.max(highest, number), 0);
    return { items: kept.map((item) => `${toItemText(item)}\n`).join(''), newest, oldest };
  }
}
