/**
 * Stores the projects that this replica owns. They are admitted with what a claim returned, and lost when another replica
 * has claimed them.
 */
import type { Callback, Endpoint } from '../../callbacks/callback.ts';
import type { JournalItem } from '../../journal/entry.ts';
import type { KeyStore } from '../../keys/key-store.ts';
import { runInSlices } from '../../lib/slices.ts';
import { pause, type WallClock } from '../../lib/time.ts';
import type { ChangeTracker } from '../../project/changes.ts';
import { DamagedFile } from '../../project/persistence/format/checked-lines.ts';
import { toFileName } from '../../project/persistence/format/file-name.ts';
import { readLog } from '../../project/persistence/log/read-log.ts';
import { persistedOf } from '../../project/persistence/project-log.ts';
import type { ProjectStore } from '../../project/persistence/project-store.ts';
import { toSavedProject } from '../../project/persistence/saved-project.ts';
import { ProjectLost, toStoreError } from '../../project/persistence/store-errors.ts';
import type { Project, SavedProject } from '../../project/project.ts';
import { loadExpressions } from '../../scenarios/matcher.ts';
import type { Claim, ClusterDatabase } from '../database/cluster-database.ts';
import { type HeldClaim, OwnedProject, type Released } from './owned-project.ts';
import { createWriteQueue } from './write-queue.ts';

type OwnClaim = Extract<Claim, { owner: 'me' }>;

interface Deps {
  readonly database: Pick<ClusterDatabase, 'write' | 'locate'>;
  /** The API keys that were created at run time. */
  readonly keys: KeyStore;
  /** The default endpoint for callbacks, from the options. It is not stored. */
  readonly endpoint: Endpoint | undefined;
  readonly wall: WallClock;
  warn(text: string): void;
  /** Returns the number of the oldest item that the journal has of a project; undefined if it has none. */
  oldestItem(project: string): number | undefined;
  /** Called when a project was lost to another replica. */
  onLost(project: string): void;
  /** Called when a project is neither in memory nor to be written, so that it can be given up. */
  onIdle(project: string, released: Released): void;
}

/** Pause before a failed write is tried again, in milliseconds. */
const retryMs = 500;

export class OwnedStore implements ProjectStore {
  readonly found = [] as const;
  readonly keys: KeyStore;
  readonly #deps: Deps;
  readonly #write: ReturnType<typeof createWriteQueue>;
  readonly #projects = new Map<string, OwnedProject>();

  constructor(deps: Deps) {
    this.keys = deps.keys;
    this.#deps = deps;
    this.#write = createWriteQueue(deps.database);
  }

  /** Takes over a claimed project. Returns its callbacks; undefined if it is new. */
  async admit(project: string, { epoch, seq, lines }: OwnClaim): Promise<Iterable<Callback> | undefined> {
    const { endpoint, wall, database, warn, oldestItem } = this.#deps;
    const saved = await readLines(project, lines, endpoint, wall);
    const owned = new OwnedProject(
      project,
      { epoch, seq, saved },
      {
        ...{ endpoint, oldestItem, write: this.#write, locate: database.locate },
        failed: (failed, error) => {
          // The connection reports that the database is away.
          if (!toStoreError(error)) warn(`${error.message}; the next write includes the same changes`);
          else if (error.cause instanceof ProjectLost && this.#projects.get(project) === failed) this.lose(project);
        },
      },
    );
    this.#projects.set(project, owned);
    return saved?.state.callbacks.values();
  }

  owns(project: string): boolean {
    return this.#projects.has(project);
  }

  /** Returns the present claim of a project; undefined if it is not owned. */
  claimOf(project: string): HeldClaim | undefined {
    return this.#projects.get(project);
  }

  owned(): readonly string[] {
    return [...this.#projects.keys()];
  }

  /** Forgets a project that another replica owns. Waiting requests get a `ProjectLost`. */
  lose(project: string): void {
    const owned = this.letGo(project);
    if (!owned) return;
    // Even after a reset: it may not be written.
    owned.isLost = true;
    owned.isTaken = true;
    this.#deps.onLost(project);
  }

  /** Forgets a project that has nothing to write, so that it can be given up. Returns what was owned. */
  letGo(project: string): OwnedProject | undefined {
    const owned = this.#projects.get(project);
    this.#projects.delete(project);
    owned?.end();
    return owned;
  }

  /** Gives a project up that is not in memory, once nothing of it is left to write. */
  release(project: string): void {
    const owned = this.#projects.get(project);
    owned?.log.whenReleased(() => {
      if (this.#projects.get(project) !== owned) return;
      if (owned.writeItems()) return this.release(project);
      this.letGo(project);
      this.#deps.onIdle(project, owned);
    });
  }

  /** Notes what the journal has stored of a project. It is written with the next change, or by `writeItems`. */
  noteItem(project: string, item: JournalItem): void {
    this.#projects.get(project)?.addItem(item);
  }

  /** Writes what the journal has stored and no change has taken along. Call it at each beat. */
  writeItems(): void {
    for (const owned of this.#projects.values()) owned.writeItems();
  }

  /** Keeps a summary of a project that leaves memory, for when it is given up. */
  noteSummary(project: string, summary: string): void {
    const owned = this.#projects.get(project);
    if (owned) owned.summary = summary;
  }

  /** Resolves when nothing of a project is left to write, or rejects if that fails. */
  async flush(project: string): Promise<void> {
    for (;;) {
      const owned = this.#projects.get(project);
      owned?.writeItems();
      const writing = owned?.log.persisted();
      if (!writing) return;
      await writing;
    }
  }

  has(project: string): boolean {
    return this.#projects.get(project)?.exists === true;
  }

  *ids(): Generator<string> {
    for (const [project, { exists }] of this.#projects) if (exists) yield project;
  }

  readAhead(): undefined {
    return undefined;
  }

  take(project: string): SavedProject | undefined {
    return this.#projects.get(project)?.take();
  }

  trackerOf(project: string): ChangeTracker {
    const owned = this.#projects.get(project);
    if (!owned) throw new ProjectLost(project);
    const isOwned = (): boolean => this.#projects.get(project) === owned;
    return owned.log.track(({ changed, persisted }) => {
      const persistedOrLost = (): Promise<void> | undefined =>
        isOwned() || !owned.log.project ? persisted() : Promise.reject(new ProjectLost(project));
      const countChange = (): void => {
        if (isOwned()) owned.changeCount += 1;
        changed();
      };
      return { changed: countChange, persisted: persistedOrLost, beforeSend: () => this.#waitFor(persistedOrLost) };
    });
  }

  attach(project: Project): void {
    const owned = this.#projects.get(project.id);
    if (!owned) return;
    owned.log.project = project;
    owned.summary = undefined;
    owned.isReset = false;
  }

  forget(project: string): void {
    this.#projects.get(project)?.forget();
    this.release(project);
  }

  forgetAll(): void {
    for (const project of this.#projects.keys()) this.forget(project);
  }

  persisted(project?: string): Promise<void> | undefined {
    if (project !== undefined) return this.#projects.get(project)?.log.persisted();
    return persistedOf([...this.#projects.values()].map(({ log }) => log));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.owned().map((project) => this.flush(project)));
    // A request that still arrives must not see what is not written.
    for (const project of this.#projects.keys()) this.lose(project);
  }

  /** Waits for the database as long as this replica owns the project. */
  async #waitFor(persisted: () => Promise<void> | undefined): Promise<void> {
    for (;;) {
      try {
        return await persisted();
      } catch (error) {
        if (toStoreError(error) instanceof ProjectLost) throw error;
        await pause(this.#deps.wall, retryMs);
      }
    }
  }
}

/** Reads the log of a project. Returns undefined if the project does not exist. */
async function readLines(
  project: string,
  lines: readonly string[],
  endpoint: Endpoint | undefined,
  wall: WallClock,
): Promise<SavedProject | undefined> {
  if (lines.length === 0) return undefined;
  const { state, isCut } = await runInSlices(readLog(lines.flatMap(toLines), toFileName(project), endpoint), wall);
  // The database stores all of a write, or nothing.
  if (isCut) throw new DamagedFile('the last line is cut off, or its write has more lines');
  return toSavedProject(state, await loadExpressions());
}

/** Splits a text into lines with their ends. The last may lack its end. */
function toLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
