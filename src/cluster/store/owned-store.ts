/**
 * Stores the projects that this replica owns. They are admitted with what a claim returned, and lost when another replica
 * has claimed them.
 */
import type { Endpoint } from '../../callbacks/callback.ts';
import type { JournalItem } from '../../journal/entry.ts';
import type { KeyStore } from '../../keys/key-store.ts';
import { runInSlices } from '../../lib/slices.ts';
import type { WallClock } from '../../lib/time.ts';
import type { ChangeTracker } from '../../project/changes.ts';
import { toFileName } from '../../project/persistence/format/file-name.ts';
import { ProjectLog, persistedOf } from '../../project/persistence/project-log.ts';
import type { ProjectStore } from '../../project/persistence/project-store.ts';
import { handOver, readSavedProject, toSavedProject } from '../../project/persistence/saved-project.ts';
import { ProjectLost, toStoreError } from '../../project/persistence/store-errors.ts';
import type { Project, SavedProject } from '../../project/project.ts';
import { loadExpressions } from '../../scenarios/matcher.ts';
import type { Claim, ClusterDatabase } from '../database/cluster-database.ts';
import { RowPlace } from './row-place.ts';
import { createWriteQueue } from './write-queue.ts';

export type OwnClaim = Extract<Claim, { owner: 'me' }>;

export interface OwnedStore extends ProjectStore {
  /** Takes over a claimed project. */
  admit(project: string, claim: OwnClaim): Promise<void>;
  owns(project: string): boolean;
  /** Returns the present claim of a project; undefined if it is not owned. */
  claimOf(project: string): HeldClaim | undefined;
  /** Gives a project up that turned out not to exist. */
  tidy(project: string): void;
  owned(): readonly string[];
  /** Lists projects that were claimed for a request which did not load them after all. Their work waits. */
  listUnloaded(): readonly string[];
  /** Returns the epoch of a project's claim. */
  epochOf(project: string): number | undefined;
  /** Notes what the journal has stored of a project. It is written with the next change, or within a second. */
  noteItem(project: string, item: JournalItem): void;
  /** Resolves when nothing of a project is left to write, or rejects if that fails. */
  flush(project: string): Promise<void>;
  /** Keeps a summary of a project that leaves memory, for when it is given up. */
  noteSummary(project: string, summary: string): void;
  /** Forgets a project that has nothing to write, so that it can be given up. Returns what was owned. */
  letGo(project: string): Released | undefined;
  /** Forgets a project that another replica owns. Waiting requests get a `ProjectLost`. */
  lose(project: string): void;
}

/** A claim of this replica. */
export interface HeldClaim {
  /**
   * Whether the project was given up or lost since, so that another replica may have changed it; not if it was given up
   * after a reset.
   */
  readonly isLost: boolean;
  /** Counts the changes of the project, of any request, as long as this replica owns it. */
  readonly changeCount: number;
}

/** What a claim leaves when it is given up. */
export interface Released {
  readonly epoch: number;
  /** Undefined if the project was not in memory. */
  readonly summary: string | undefined;
}

interface Parts {
  readonly database: Pick<ClusterDatabase, 'write' | 'findSeq'>;
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
/** How long items of the journal wait for the next change of their project, in milliseconds. */
const itemsMs = 500;

interface Owned extends HeldClaim {
  changeCount: number;
  readonly log: ProjectLog;
  readonly place: RowPlace;
  /** What the claim returned, until it is in memory. */
  saved: SavedProject | undefined;
  summary: string | undefined;
  /** Whether the project was reset, and has not been created again. */
  isReset: boolean;
  isLost: boolean;
}

export function createOwnedStore(parts: Parts): OwnedStore {
  const { endpoint, wall, warn, onLost, onIdle } = parts;
  const queue = createWriteQueue(parts.database);
  const projects = new Map<string, Owned>();
  let cancelItems: (() => void) | undefined;

  async function admit(project: string, claim: OwnClaim): Promise<void> {
    const saved = await readLines(project, claim.lines, endpoint, wall);
    const { epoch, seq } = claim;
    const place = new RowPlace({
      ...{ project, epoch, seq },
      isDue: () => (log.project?.usage.pending ?? 0) > 0,
      oldestItem: () => parts.oldestItem(project),
      write: queue.write,
      findSeq: async () => {
        const found = await parts.database.findSeq(project, epoch);
        if (found === undefined) throw new ProjectLost(project);
        return found;
      },
    });
    const log = new ProjectLog({
      ...{ project, endpoint, place },
      failed: (error) => {
        // The connection reports that the database is away.
        if (!toStoreError(error)) warn(`${error.message}; the next write includes the same changes`);
        else if (error.cause instanceof ProjectLost && projects.get(project)?.log === log) lose(project);
      },
    });
    const state = { changeCount: 0, saved, summary: undefined, isReset: false, isLost: false };
    projects.set(project, { log, place, ...state });
  }

  function remove(project: string): Owned | undefined {
    const owned = projects.get(project);
    projects.delete(project);
    if (!owned) return undefined;
    owned.isLost = !owned.isReset;
    // A request that is still under way writes nothing more.
    owned.log.untrack();
    return owned;
  }

  function lose(project: string): void {
    const owned = remove(project);
    if (!owned) return;
    // Even after a reset: it may not be written.
    owned.isLost = true;
    onLost(project);
  }

  function giveUpWhenWritten(project: string): void {
    const owned = projects.get(project);
    if (!owned) return;
    owned.log.whenReleased(() => {
      if (projects.get(project) !== owned || owned.saved) return;
      if (writeItems(owned)) return giveUpWhenWritten(project);
      remove(project);
      onIdle(project, toReleased(owned));
    });
  }

  /** Writes the items of the journal that wait for a change. Returns whether there are any. */
  function writeItems({ place, log }: Owned): boolean {
    if (!place.hasItems() || !log.project) return false;
    log.touch();
    return true;
  }

  function writeItemsSoon(): void {
    cancelItems ??= wall.after(itemsMs, () => {
      cancelItems = undefined;
      // A whole line has none, so they may wait for the line after it.
      if ([...projects.values()].filter(writeItems).length > 0) writeItemsSoon();
    });
  }

  async function flush(project: string): Promise<void> {
    for (;;) {
      const owned = projects.get(project);
      if (owned) writeItems(owned);
      const writing = owned?.log.persisted();
      if (!writing) return;
      await writing;
    }
  }

  function take(project: string): SavedProject | undefined {
    const owned = projects.get(project);
    if (!owned) return undefined;
    const { saved, log } = owned;
    owned.saved = undefined;
    return log.project ? handOver(log.project, log) : saved;
  }

  function forget(project: string): void {
    const owned = projects.get(project);
    if (!owned) return;
    owned.place.clearItems();
    owned.isReset = true;
    owned.saved = undefined;
    owned.log.forget();
    giveUpWhenWritten(project);
  }

  function trackerOf(project: string): ChangeTracker {
    const owned = projects.get(project);
    if (!owned) throw new ProjectLost(project);
    const { log } = owned;
    const isLost = (): boolean => projects.get(project)?.log !== log && log.project !== undefined;
    return log.track(({ changed, persisted }) => {
      const persistedOrLost = (): Promise<void> | undefined =>
        isLost() ? Promise.reject(new ProjectLost(project)) : persisted();
      const countChange = (): void => {
        if (projects.get(project) === owned) owned.changeCount += 1;
        changed();
      };
      return { changed: countChange, persisted: persistedOrLost, beforeSend: () => waitFor(persistedOrLost) };
    });
  }

  /** Waits for the database as long as this replica owns the project. */
  async function waitFor(persisted: () => Promise<void> | undefined): Promise<void> {
    for (;;) {
      try {
        return await persisted();
      } catch (error) {
        if (toStoreError(error) instanceof ProjectLost) throw error;
        await new Promise<void>((resolve) => wall.after(retryMs, resolve));
      }
    }
  }

  function* logs(): Generator<ProjectLog> {
    for (const { log } of projects.values()) yield log;
  }

  return {
    found: [],
    has: (project) => {
      const owned = projects.get(project);
      return owned !== undefined && (owned.log.project !== undefined || owned.saved !== undefined);
    },
    ids: function* () {
      for (const [project, { log, saved }] of projects) if (log.project || saved) yield project;
    },
    keys: parts.keys,
    readAhead: () => undefined,
    take,
    trackerOf,
    attach: (project: Project) => {
      const owned = projects.get(project.id);
      if (!owned) return;
      owned.log.project = project;
      owned.summary = undefined;
      owned.isReset = false;
    },
    release: giveUpWhenWritten,
    forget,
    forgetAll: () => {
      for (const project of projects.keys()) forget(project);
    },
    persisted: (project) => (project === undefined ? persistedOf(logs()) : projects.get(project)?.log.persisted()),
    admit,
    owns: (project) => projects.has(project),
    claimOf: (project) => projects.get(project),
    tidy: giveUpWhenWritten,
    owned: () => [...projects.keys()],
    listUnloaded: () => [...projects].flatMap(([project, { saved }]) => (saved ? [project] : [])),
    epochOf: (project) => projects.get(project)?.place.epoch,
    lose,
    noteItem: (project, item) => {
      const owned = projects.get(project);
      if (!owned) return;
      owned.place.addItem(item);
      writeItemsSoon();
    },
    flush,
    noteSummary: (project, summary) => {
      const owned = projects.get(project);
      if (owned) owned.summary = summary;
    },
    letGo: (project) => {
      const owned = remove(project);
      return owned && toReleased(owned);
    },
    close: async () => {
      cancelItems?.();
      await Promise.allSettled([...projects.keys()].map(flush));
      // A request that still arrives must not see what is not written.
      for (const project of projects.keys()) lose(project);
    },
  };
}

function toReleased({ place, summary }: Owned): Released {
  return { epoch: place.epoch, summary };
}

/** Reads the log of a project. Returns undefined if the project does not exist. */
async function readLines(
  project: string,
  lines: readonly string[],
  endpoint: Endpoint | undefined,
  wall: WallClock,
): Promise<SavedProject | undefined> {
  const [whole, ...changes] = lines;
  if (whole === undefined) return undefined;
  const log = changes.flatMap(toLines);
  const reading = readSavedProject(toLines(whole), log, toFileName(project), endpoint);
  const { state } = await runInSlices(reading, wall);
  return toSavedProject(state, await loadExpressions());
}

/** Splits a text into lines with their ends. */
function toLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n/g) ?? [];
}
