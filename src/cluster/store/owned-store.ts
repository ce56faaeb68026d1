/**
 * Stores the projects that this replica owns. They are admitted with what a claim returned, and lost when another replica
 * has claimed them.
 */
import type { Endpoint } from '../../callbacks/callback.ts';
import type { KeyStore } from '../../keys/key-store.ts';
import { runInSlices } from '../../lib/slices.ts';
import type { WallClock } from '../../lib/time.ts';
import type { ChangeTracker } from '../../project/change-recorder.ts';
import { toFileName } from '../../project/persistence/format/file-name.ts';
import { createProjectFile, type ProjectFile } from '../../project/persistence/project-file.ts';
import type { ProjectStore } from '../../project/persistence/project-store.ts';
import { handOver, readSavedProject, toSavedProject } from '../../project/persistence/saved-project.ts';
import { ProjectLost, toStoreError } from '../../project/persistence/store-errors.ts';
import type { Project, SavedProject } from '../../project/project.ts';
import { loadExpressions } from '../../scenarios/matcher.ts';
import type { Claim, ClusterDatabase, LogLine } from '../database/cluster-database.ts';
import { createRowBox, createTokenList, type Position, type TokenList } from './row-box.ts';
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
  ordinalOf(project: string): number;
  /** Returns the epoch of a project's claim. */
  epochOf(project: string): number | undefined;
  /** Notes the token of a forwarded request whose effect the project has since this turn of the event loop. */
  addToken(project: string, token: string): void;
  /** Whether an owned project has the effect of a request, here or at an owner before. */
  hasToken(project: string, token: string): boolean;
  /** Keeps a summary of a project that leaves memory, for when it is given up. */
  noteSummary(project: string, summary: string): void;
  /** Forgets a project that has nothing to write, so that it can be given up. Returns what was owned. */
  letGo(project: string): Released | undefined;
  /** Forgets a project that another replica owns. Waiting requests get a `ProjectLost`. */
  lose(project: string): void;
}

/** A claim of this replica. */
export interface HeldClaim {
  /** Whether the project was given up or lost since, so that another replica may have changed it; not after a reset. */
  readonly isLost: boolean;
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
  /** Called when a project was lost to another replica. */
  onLost(project: string): void;
  /** Called when a project is reset. */
  onReset(project: string): void;
  /** Called when a project is neither in memory nor to be written, so that it can be given up. */
  onIdle(project: string, released: Released): void;
}

/** Pause before a failed write is tried again, in milliseconds. */
const retryMs = 500;

interface Owned extends HeldClaim {
  readonly file: ProjectFile;
  readonly position: Position;
  readonly tokens: TokenList;
  readonly ordinal: number;
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

  async function admit(project: string, claim: OwnClaim): Promise<void> {
    const saved = await readLines(project, claim.lines, endpoint, wall);
    const { epoch, seq, ordinal } = claim;
    const position = { epoch, seq };
    const tokens = createTokenList(claim.lines.flatMap((line) => line.tokens));
    const file = createProjectFile({
      project,
      name: toFileName(project),
      place: `project ${JSON.stringify(project)} in the database`,
      endpoint,
      toBox: (codec) =>
        createRowBox({
          ...{ ...codec, project, position, tokens },
          isDue: () => (file.project?.usage.pending ?? 0) > 0,
          write: queue.write,
          findSeq: async () => {
            const found = await parts.database.findSeq(project, epoch);
            if (found === undefined) throw new ProjectLost(project);
            return found;
          },
        }),
      failed: (error) => {
        // The connection reports that the database is away.
        if (!toStoreError(error)) warn(`${error.message}; the next write includes the same changes`);
        else if (error.cause instanceof ProjectLost && projects.get(project)?.file === file) lose(project);
      },
      onWritten: () => undefined,
    });
    const state = { saved, summary: undefined, isReset: false, isLost: false };
    projects.set(project, { file, position, tokens, ordinal, ...state });
  }

  function remove(project: string): Owned | undefined {
    const owned = projects.get(project);
    projects.delete(project);
    if (!owned) return undefined;
    owned.isLost = !owned.isReset;
    // A request that is still under way writes nothing more: its token could not be stored with it.
    delete owned.file.tracker;
    return owned;
  }

  function lose(project: string): void {
    if (remove(project)) onLost(project);
  }

  function giveUpWhenWritten(project: string): void {
    const owned = projects.get(project);
    if (!owned || owned.saved || owned.file.project?.isDisposed() === false) return;
    const writing = owned.file.writes.persisted();
    if (writing) {
      // The entry stays until the write succeeds: only it has the data.
      writing.then(
        () => giveUpWhenWritten(project),
        () => undefined,
      );
      return;
    }
    remove(project);
    onIdle(project, toReleased(owned));
  }

  function take(project: string): SavedProject | undefined {
    const owned = projects.get(project);
    if (!owned) return undefined;
    const { saved, file } = owned;
    owned.saved = undefined;
    return file.project ? handOver(file.project, file.log) : saved;
  }

  function forget(project: string): void {
    const owned = projects.get(project);
    if (!owned) return;
    parts.onReset(project);
    owned.isReset = true;
    owned.saved = undefined;
    delete owned.file.project;
    delete owned.file.tracker;
    owned.file.writes.changed();
    giveUpWhenWritten(project);
  }

  function trackerOf(project: string): ChangeTracker {
    const owned = projects.get(project);
    if (!owned) throw new ProjectLost(project);
    const { file } = owned;
    // A project that was reset may still change, but its lines may belong to another instance by then, or to none.
    const current = (): ProjectFile | undefined => (file.tracker === tracker ? file : undefined);
    const isLost = (): boolean => projects.get(project)?.file !== file && file.project !== undefined;
    const tracker: ChangeTracker = {
      adapter: file.box,
      trackWrites: (writes) => current()?.log.trackWrites(writes),
      trackCallback: (callback) => current()?.log.trackCallback(callback),
      changed: () => current()?.writes.changed(),
      beforeSend: async () => {
        // A callback waits for the database as long as this replica owns its project.
        for (;;) {
          try {
            return await tracker.persisted();
          } catch (error) {
            if (toStoreError(error) instanceof ProjectLost) throw error;
            await new Promise<void>((resolve) => wall.after(retryMs, resolve));
          }
        }
      },
      persisted: () => (isLost() ? Promise.reject(new ProjectLost(project)) : current()?.writes.persisted()),
    };
    file.tracker = tracker;
    return tracker;
  }

  function persisted(project: string | undefined): Promise<void> | undefined {
    if (project !== undefined) return projects.get(project)?.file.writes.persisted();
    const writing = [...projects.values()].flatMap(({ file }) => file.writes.persisted() ?? []);
    return writing.length === 0 ? undefined : Promise.all(writing).then(() => undefined);
  }

  return {
    found: [],
    has: (project) => {
      const owned = projects.get(project);
      return owned !== undefined && (owned.file.project !== undefined || owned.saved !== undefined);
    },
    ids: function* () {
      for (const [project, { file, saved }] of projects) if (file.project || saved) yield project;
    },
    keys: parts.keys,
    readAhead: () => undefined,
    take,
    trackerOf,
    attach: (project: Project) => {
      const owned = projects.get(project.id);
      if (!owned) return;
      owned.file.project = project;
      owned.summary = undefined;
      owned.isReset = false;
    },
    release: giveUpWhenWritten,
    forget,
    forgetAll: () => {
      for (const project of projects.keys()) forget(project);
    },
    persisted,
    admit,
    owns: (project) => projects.has(project),
    claimOf: (project) => projects.get(project),
    tidy: giveUpWhenWritten,
    owned: () => [...projects.keys()],
    listUnloaded: () => [...projects].flatMap(([project, { saved }]) => (saved ? [project] : [])),
    epochOf: (project) => projects.get(project)?.position.epoch,
    ordinalOf: (project) => projects.get(project)?.ordinal ?? 0,
    addToken: (project, token) => projects.get(project)?.tokens.add(token),
    hasToken: (project, token) => projects.get(project)?.tokens.has(token) === true,
    lose,
    noteSummary: (project, summary) => {
      const owned = projects.get(project);
      if (owned) owned.summary = summary;
    },
    letGo: (project) => {
      const owned = remove(project);
      return owned && toReleased(owned);
    },
    close: async () => {
      await Promise.allSettled([...projects.values()].map(({ file }) => file.writes.persisted()));
      // A request that still arrives must not see what is not written.
      for (const project of projects.keys()) lose(project);
    },
  };
}

function toReleased({ position: { epoch }, summary }: Owned): Released {
  return { epoch, summary };
}

/** Reads the log of a project. Returns undefined if the project does not exist. */
async function readLines(
  project: string,
  lines: readonly LogLine[],
  endpoint: Endpoint | undefined,
  wall: WallClock,
): Promise<SavedProject | undefined> {
  const [whole, ...changes] = lines;
  if (!whole) return undefined;
  const log = changes.flatMap(({ text }) => toLines(text));
  const reading = readSavedProject(toLines(whole.text), log, toFileName(project), endpoint);
  const { state } = await runInSlices(reading, wall);
  return toSavedProject(state, await loadExpressions());
}

/** Splits a text into lines with their ends. */
function toLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n/g) ?? [];
}
