/** Stores projects in a data folder, one file each. A change is written before its response is sent. */
import { resolve } from 'node:path';
import type { Endpoint } from '../../callbacks/callback.ts';
import { ConfigError } from '../../config/config-error.ts';
import type { KeyStore } from '../../keys/key-store.ts';
import { runAll, runInSlices } from '../../lib/slices.ts';
import type { WallClock } from '../../lib/time.ts';
import { type Expressions, loadExpressions } from '../../scenarios/matcher.ts';
import type { ChangeTracker } from '../changes.ts';
import type { Project, SavedProject } from '../project.ts';
import { type DataFolder, openDataFolder } from './folder/data-folder.ts';
import { createDisk, type Disk } from './folder/disk.ts';
import { type Hold, LockLost } from './folder/hold.ts';
import { DamagedFile } from './format/checked-lines.ts';
import { toFileName } from './format/file-name.ts';
import { keyFileName, openKeyFile } from './key-file.ts';
import { readLog } from './log/read-log.ts';
import { ProjectLog, persistedOf } from './project-log.ts';
import { handOver, toFileProblem, toSavedProject } from './saved-project.ts';

export interface ProjectStore {
  /** Ids of the projects that were found, the last written ones, at most as many as the registry holds. */
  readonly found: readonly string[];
  has(project: string): boolean;
  /** Returns the ids of the stored projects. */
  ids(): Iterable<string>;
  /** The keys that were created at run time. */
  readonly keys: KeyStore;
  /** Reads a stored project that is not in memory in slices, so that `take` returns it at once. */
  readAhead(project: string): Promise<void> | undefined;
  /**
   * Returns the stored state of a project, for a new instance to continue with.
   * @throws Error if the file is damaged
   */
  take(project: string): SavedProject | undefined;
  trackerOf(project: string): ChangeTracker;
  /** Makes this instance the one that is written to the file. */
  attach(project: Project): void;
  /** Releases an evicted project. Its file stays. */
  release(project: string): void;
  forget(project: string): void;
  forgetAll(): void;
  /** Resolves when the changes of one project, or of all, are written. Returns undefined if all are. */
  persisted(project?: string): Promise<void> | undefined;
  /** Completes all writes, and releases the folder for other servers. */
  close(): Promise<void>;
}

interface Parts {
  readonly folder: string;
  /** The default endpoint for callbacks, from the options. It is not stored. */
  readonly endpoint: Endpoint | undefined;
  readonly wall: WallClock;
  /** Maximum number of projects in `found`. */
  readonly maxFound: number;
  /** Reports a failed write, and what the start waits for. */
  warn(text: string): void;
  /** Called once, with a message for the log, when another server has taken over the folder. */
  onLockLost(message: string): void;
  /** Aborted when the start is cancelled. */
  readonly ending?: AbortSignal | undefined;
  readonly toDisk?: (hold: Hold) => Disk;
}

/**
 * Acquires a folder and reads the projects in it.
 * @throws ConfigError with every file that is damaged
 */
export async function openProjectStore(parts: Parts): Promise<ProjectStore> {
  const { wall, warn, onLockLost } = parts;
  const folder = resolve(parts.folder);
  const opened = await openDataFolder(parts.folder, {
    wall,
    warn,
    ending: parts.ending,
    onLockLost: (by) =>
      onLockLost(`--data: ${folder} was taken over by ${by}, because this server did not refresh its lock in time`),
  });
  if (!opened.ok) throw new ConfigError([`--data: ${folder} ${opened.message}`]);
  try {
    const disk = (parts.toDisk ?? createDisk)(opened.folder.hold);
    const keys = readKeys(disk, opened.folder.pathOf(keyFileName));
    return readAll({ ...parts, disk, keys }, opened.folder, await loadExpressions());
  } catch (error) {
    opened.folder.hold.release();
    throw error;
  }
}

type ReadParts = Parts & { readonly disk: Disk; readonly keys: KeyStore | string };

/** Opens the file of keys. Returns a message if it is damaged. */
function readKeys(disk: Disk, file: string): KeyStore | string {
  try {
    return openKeyFile(disk, file);
  } catch (error) {
    const remedy = error instanceof DamagedFile ? whatToDoAboutKeys : '';
    return `--data: ${file}: ${toFileProblem(error)}${remedy}`;
  }
}

function readAll({ keys, ...parts }: ReadParts, folder: DataFolder, expressions: Expressions): ProjectStore {
  const { endpoint, disk } = parts;
  const problems: string[] = [];
  const files = new Set<string>();
  const saved = new Map<string, SavedProject>();
  for (const [index, name] of folder.names.entries()) {
    try {
      const file = folder.pathOf(name);
      const read = runAll(readFile(disk, file, name, endpoint));
      if (!read) continue;
      const { project, state, isCut } = read;
      if (isCut) parts.warn(`--data: ${file}: ${cutOff}`);
      files.add(project);
      if (folder.names.length - index <= parts.maxFound) saved.set(project, toSavedProject(state, expressions));
    } catch (error) {
      const remedy = error instanceof DamagedFile ? whatToDo : '';
      problems.push(`--data: ${folder.pathOf(name)}: ${toFileProblem(error)}${remedy}`);
    }
  }
  if (typeof keys === 'string') throw new ConfigError([...problems, keys]);
  if (problems.length > 0) throw new ConfigError(problems);
  return createProjectStore({ ...parts, keys, expressions, data: folder, files, saved });
}

/** For a damaged file of a project. */
const whatToDo = '; restore it from a backup, or move it to another folder, so that the project starts empty';

const whatToDoAboutKeys =
  '. It lists API keys: restore it from a backup, or delete it; then the keys that were created with POST /_sandbox/keys are no longer valid';

const cutOff = 'its last write is incomplete, and was never answered: the project is as before it';

/** Reads a project. Returns undefined if it has no file. */
function* readFile(disk: Disk, file: string, name: string, endpoint: Endpoint | undefined) {
  const lines = disk.lines(file);
  return lines && (yield* readLog(lines, name, endpoint));
}

interface Found extends Parts {
  readonly disk: Disk;
  readonly keys: KeyStore;
  readonly expressions: Expressions;
  readonly data: DataFolder;
  /** Ids of the projects that have a file. */
  readonly files: Set<string>;
  readonly saved: Map<string, SavedProject>;
}

function createProjectStore(parts: Found): ProjectStore {
  const { disk, expressions, data: folder, files, saved, endpoint, warn, wall } = parts;
  const logs = new Map<string, ProjectLog>();
  /** Reads ahead that are in progress. */
  const readsAhead = new Map<string, { done: Promise<void> }>();
  // By age, not by last use, because projects are listed in this order.
  const found = [...saved]
    .toSorted(([a, one], [b, other]) => one.state.begunAt - other.state.begunAt || (a < b ? -1 : 1))
    .map(([project]) => project);

  const fileOf = (project: string): string => folder.pathOf(toFileName(project));

  function logOf(project: string): ProjectLog {
    const existing = logs.get(project);
    if (existing) return existing;
    const name = fileOf(project);
    const log = new ProjectLog({
      project,
      place: {
        name,
        replace: (text) => disk.replace(name, text),
        append: async (text) => ((await disk.append(name, text)) ? 0 : undefined),
        remove: () => disk.remove(name),
      },
      endpoint,
      onWritten: (exists) => void (exists ? files.add(project) : files.delete(project)),
      failed: ({ message, cause }) => {
        // The loss of the lock is reported once for all files.
        if (!(cause instanceof LockLost)) warn(`${message}; the next write includes the same changes`);
      },
    });
    logs.set(project, log);
    return log;
  }

  /** Removes the log of an evicted project once nothing is to be written. */
  function release(project: string): void {
    const log = logs.get(project);
    log?.whenReleased(() => {
      if (logs.get(project) === log) logs.delete(project);
    });
  }

  function readAhead(project: string): Promise<void> | undefined {
    if (logs.has(project) || saved.has(project) || !files.has(project)) return undefined;
    const existing = readsAhead.get(project);
    if (existing) return existing.done;
    const reading = { done: Promise.resolve() };
    readsAhead.set(project, reading);
    // Another caller may have taken the project and changed it meanwhile.
    reading.done = readInSlices(project, () => readsAhead.get(project) === reading && readsAhead.delete(project));
    return reading.done;
  }

  async function readInSlices(project: string, finish: () => boolean): Promise<void> {
    try {
      const read = await runInSlices(readFile(disk, fileOf(project), toFileName(project), endpoint), wall);
      if (finish() && read) saved.set(project, toSavedProject(read.state, expressions));
    } catch {
      // `take` finds the same error and reports it.
      finish();
    }
  }

  function take(project: string): SavedProject | undefined {
    readsAhead.delete(project);
    const log = logs.get(project);
    if (log) return log.project && handOver(log.project, log);
    const read = saved.get(project);
    saved.delete(project);
    if (read || !files.has(project)) return read;
    const file = fileOf(project);
    try {
      const stored = runAll(readFile(disk, file, toFileName(project), endpoint));
      return stored && toSavedProject(stored.state, expressions);
    } catch (error) {
      throw new Error(`${file}: ${toFileProblem(error)}`);
    }
  }

  function forget(project: string): void {
    readsAhead.delete(project);
    saved.delete(project);
    logOf(project).forget();
    release(project);
  }

  function has(project: string): boolean {
    const log = logs.get(project);
    return log ? log.project !== undefined : files.has(project);
  }

  return {
    found,
    has,
    ids: () => [...new Set([...files, ...logs.keys()])].filter(has),
    keys: parts.keys,
    readAhead,
    take,
    trackerOf: (project) => logOf(project).track(),
    attach: (project) => {
      logOf(project.id).project = project;
    },
    release,
    forget,
    forgetAll: () => {
      for (const project of new Set([...files, ...logs.keys()])) forget(project);
    },
    persisted: (project) => (project === undefined ? persistedOf(logs.values()) : logs.get(project)?.persisted()),
    close: async () => {
      await Promise.allSettled([...logs.values()].map((log) => log.persisted()));
      folder.hold.release();
    },
  };
}
