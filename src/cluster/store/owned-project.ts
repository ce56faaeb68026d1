/**
 * A project of this replica, stored as rows of the database: a whole one, then rows with its changes. What the journal has
 * stored of the project meanwhile goes with the next changes.
 */
import type { Endpoint } from '../../callbacks/callback.ts';
import type { JournalItem } from '../../journal/entry.ts';
import { toItemText } from '../../journal/stored-entry.ts';
import { type LogPlace, ProjectLog } from '../../project/persistence/project-log.ts';
import { handOver } from '../../project/persistence/saved-project.ts';
import { ProjectLost } from '../../project/persistence/store-errors.ts';
import type { SavedProject } from '../../project/project.ts';
import type { ClusterDatabase, ProjectWrite } from '../database/cluster-database.ts';

/** A claim of this replica. */
export interface HeldClaim {
  /** Unique among the claims of all projects. */
  readonly epoch: number;
  /**
   * Whether the project was given up or lost since, so that another replica may have changed it; not if it was given up
   * after a reset.
   */
  readonly isLost: boolean;
  /** Whether another replica took the project, so that something of it may never be written. */
  readonly isTaken: boolean;
  /** Counts the changes of the project, of any request, as long as this replica owns it. */
  readonly changeCount: number;
}

/** What a claim leaves when it is given up. */
export interface Released {
  readonly epoch: number;
  /** Undefined if the project was not in memory. */
  readonly summary: string | undefined;
}

interface Deps {
  readonly endpoint: Endpoint | undefined;
  readonly locate: ClusterDatabase['locate'];
  write(line: ProjectWrite): Promise<void>;
  /** Returns the number of the oldest item that the journal has of a project; undefined if it has none in memory. */
  oldestItem(project: string): number | undefined;
  /** Reports a failed write. */
  failed(owned: OwnedProject, error: Error): void;
}

/** A line without items. */
export const noItems = { items: '', newest: null, oldest: 0 } as const;

export class OwnedProject implements LogPlace, HeldClaim, Released {
  readonly id: string;
  readonly name: string;
  readonly epoch: number;
  readonly log: ProjectLog;
  /** What the claim returned, until it is in memory. */
  saved: SavedProject | undefined;
  /** Of a project that has left memory. */
  summary: string | undefined;
  /** Whether the project was reset, and has not been created again. */
  isReset = false;
  isLost = false;
  isTaken = false;
  changeCount = 0;
  readonly #deps: Deps;
  /** Number of the last row. Undefined after a write whose result is unknown. */
  #seq: number | undefined;
  /** Items that are not written, by number: one that was changed since replaces itself. */
  #items = new Map<number, JournalItem>();
  /** Items that are being written. */
  #taken = new Map<number, JournalItem>();

  constructor(
    id: string,
    { epoch, seq, saved }: { readonly epoch: number; readonly seq: number; readonly saved: SavedProject | undefined },
    deps: Deps,
  ) {
    this.id = id;
    this.name = `project ${JSON.stringify(id)} in the database`;
    this.epoch = epoch;
    this.saved = saved;
    this.#seq = seq;
    this.#deps = deps;
    this.log = new ProjectLog({
      ...{ project: id, endpoint: deps.endpoint, place: this },
      failed: (error) => deps.failed(this, error),
    });
  }

  /** Whether the project exists. */
  get exists(): boolean {
    return this.log.project !== undefined || this.saved !== undefined;
  }

  /** Returns the state for a new instance to continue with. */
  take(): SavedProject | undefined {
    const { saved, log } = this;
    this.saved = undefined;
    return log.project ? handOver(log.project, log) : saved;
  }

  /** Removes the project. */
  forget(): void {
    this.#items.clear();
    this.#taken.clear();
    this.isReset = true;
    this.saved = undefined;
    this.log.forget();
  }

  /** Ends the claim. A request that is still under way writes nothing more. */
  end(): void {
    this.isLost = !this.isReset;
    this.log.untrack();
  }

  addItem(item: JournalItem): void {
    this.#items.set(item.number, item);
  }

  /** Writes the items of the journal that wait for a change. Returns whether there are any. */
  writeItems(): boolean {
    if (this.#items.size + this.#taken.size === 0 || !this.log.project) return false;
    this.log.touch();
    return true;
  }

  async replace(text: Iterable<string>): Promise<void> {
    await this.#put('whole', [...text].join(''));
  }

  async append(text: Iterable<string>): Promise<number> {
    this.#taken = this.#items;
    this.#items = new Map();
    try {
      return await this.#put('changes', [...text].join(''));
    } catch (error) {
      // Newer versions win.
      this.#items = new Map([...this.#taken, ...this.#items]);
      throw error;
    } finally {
      this.#taken = new Map();
    }
  }

  async remove(): Promise<void> {
    await this.#put('removal', '');
  }

  /** Resolves with the length of the items that it has written. */
  async #put(kind: ProjectWrite['kind'], text: string): Promise<number> {
    const { id: project, epoch, log } = this;
    const isDue = (log.project?.usage.pending ?? 0) > 0;
    const line = { project, epoch, kind, text, isDue, ...this.#toItems() };
    const last = this.#seq ?? (await this.#findSeq());
    if (last === undefined) throw new ProjectLost(project);
    const seq = last + 1;
    this.#seq = undefined;
    await this.#deps.write({ ...line, seq });
    this.#seq = seq;
    return line.items.length;
  }

  /** Returns the number of the last row; undefined if the project was claimed since, or is gone. */
  async #findSeq(): Promise<number | undefined> {
    const place = await this.#deps.locate(this.id);
    return place?.epoch === this.epoch ? place.seq : undefined;
  }

  /** Returns what is taken, without what the journal has dropped since. */
  #toItems(): Pick<ProjectWrite, 'items' | 'newest' | 'oldest'> {
    // An evicted project has no journal in memory; all of it stays in the database.
    const oldest = this.#deps.oldestItem(this.id) ?? 0;
    const kept = [...this.#taken.values()].filter(({ number }) => number >= oldest);
    if (kept.length === 0) return { ...noItems, oldest };
    const newest = kept.reduce((highest, { number }) => Math.max(highest, number), 0);
    return { items: kept.map((item) => `${toItemText(item)}\n`).join(''), newest, oldest };
  }
}
