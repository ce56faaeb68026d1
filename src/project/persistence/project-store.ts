/** Stores projects in a data folder, one file each. A change is written before its response is sent. */
import { join, resolve } from 'node:path';
import type { Endpoint } from '../../callbacks/callback.ts';
import { ConfigError } from '../../config/config-error.ts';
import { createKeyStore, type KeyStore } from '../../keys/key-store.ts';
import { runAll, runInSlices, type Steps } from '../../lib/slices.ts';
import { type Expressions, loadExpressions } from '../../scenarios/matcher.ts';
import type { ChangeTracker } from '../changes.ts';
import type { Project, SavedProject } from '../project.ts';
import { type FolderParts, openDataFolder } from './folder/data-folder.ts';
import { createDisk, type Disk } from './folder/disk.ts';
import { type Hold, LockLost } from './folder/hold.ts';
import { DamagedFile } from './format/checked-lines.ts';
import { toFileName } from './format/file-name.ts';
import { keyFileName, openKeyFile } from './key-file.ts';
import { type ReadLog, readLog } from './log/read-log.ts';
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

interface Parts extends FolderParts {
  readonly folder: string;
  /** The default endpoint for callbacks, from the options. It is not stored. */
  readonly endpoint: Endpoint | undefined;
  /** Maximum number of projects in `found`. */
  readonly maxFound: number;
  /** Reports a failed write, and what the start waits for. */
  warn(text: string): void;
  readonly toDisk?: (hold: Hold) => Disk;
}

/**
 * Acquires a folder and reads the projects in it.
 * @throws ConfigError with every file that is damaged
 */
export async function openProjectStore(parts: Parts): Promise<ProjectStore> {
  const { names, hold } = await openDataFolder(resolve(parts.folder), parts);
  try {
    const store = new FolderStore(parts, hold, await loadExpressions());
    store.open(names);
    return store;
  } catch (error) {
    hold.release();
    throw error;
  }
}

/** For a damaged file of a project. */
const whatToDo = '; restore it from a backup, or move it to another folder, so that the project starts empty';

const whatToDoAboutKeys =
  '. It lists API keys: restore it from a backup, or delete it; then the keys that were created with POST /_sandbox/keys are no longer valid';

const cutOff = 'its last write is incomplete, and was never answered: the project is as before it';

class FolderStore implements ProjectStore {
  found: readonly string[] = [];
  keys: KeyStore = createKeyStore();
  readonly #parts: Parts;
  readonly #hold: Hold;
  readonly #disk: Disk;
  readonly #expressions: Expressions;
  /** Ids of the projects that have a file. */
  readonly #files = new Set<string>();
  /** Projects that were read, and not taken yet. */
  readonly #saved = new Map<string, SavedProject>();
  readonly #logs = new Map<string, ProjectLog>();
  /** Reads ahead that are in progress. */
  readonly #readsAhead = new Map<string, Promise<void>>();

  constructor(parts: Parts, hold: Hold, expressions: Expressions) {
    this.#parts = parts;
    this.#hold = hold;
    this.#disk = (parts.toDisk ?? createDisk)(hold);
    this.#expressions = expressions;
  }

  /** Reads the file of keys, and files of projects with these names. @throws ConfigError */
  open(names: readonly string[]): void {
    const { maxFound, warn } = this.#parts;
    const problems: string[] = [];
    const tryToRead = (name: string, remedy: string, read: (file: string) => void): void => {
      const file = join(this.#parts.folder, name);
      try {
        read(file);
      } catch (error) {
        problems.push(`--data: ${file}: ${toFileProblem(error)}${error instanceof DamagedFile ? remedy : ''}`);
      }
    };
    for (const [index, name] of names.entries()) {
      tryToRead(name, whatToDo, (file) => {
        const read = runAll(this.#read(name));
        if (!read) return;
        const { project, state, isCut } = read;
        if (isCut) warn(`--data: ${file}: ${cutOff}`);
        this.#files.add(project);
        if (names.length - index <= maxFound) this.#saved.set(project, toSavedProject(state, this.#expressions));
      });
    }
    tryToRead(keyFileName, whatToDoAboutKeys, (file) => {
      this.keys = openKeyFile(this.#disk, file);
    });
    if (problems.length > 0) throw new ConfigError(problems);
    // By age, not by last use, because projects are listed in this order.
    this.found = [...this.#saved]
      .toSorted(([a, one], [b, other]) => one.state.begunAt - other.state.begunAt || (a < b ? -1 : 1))
      .map(([project]) => project);
  }

  has(project: string): boolean {
    const log = this.#logs.get(project);
    return log ? log.project !== undefined : this.#files.has(project);
  }

  ids(): Iterable<string> {
    return this.#all().filter((project) => this.has(project));
  }

  readAhead(project: string): Promise<void> | undefined {
    if (this.#logs.has(project) || this.#saved.has(project) || !this.#files.has(project)) return undefined;
    const existing = this.#readsAhead.get(project);
    if (existing) return existing;
    const reading: Promise<void> = runInSlices(this.#read(toFileName(project)), this.#parts.wall)
      .then((read) => {
        // Another caller may have taken the project and changed it meanwhile.
        if (!read || this.#readsAhead.get(project) !== reading) return;
        this.#saved.set(project, toSavedProject(read.state, this.#expressions));
      })
      // `take` finds the same error and reports it.
      .catch(() => undefined)
      .finally(() => {
        if (this.#readsAhead.get(project) === reading) this.#readsAhead.delete(project);
      });
    this.#readsAhead.set(project, reading);
    return reading;
  }

  take(project: string): SavedProject | undefined {
    this.#readsAhead.delete(project);
    const log = this.#logs.get(project);
    if (log) return log.project && handOver(log.project, log);
    const saved = this.#saved.get(project);
    this.#saved.delete(project);
    if (saved || !this.#files.has(project)) return saved;
    const name = toFileName(project);
    try {
      const read = runAll(this.#read(name));
      return read && toSavedProject(read.state, this.#expressions);
    } catch (error) {
      throw new Error(`${join(this.#parts.folder, name)}: ${toFileProblem(error)}`);
    }
  }

  trackerOf(project: string): ChangeTracker {
    return this.#logOf(project).track();
  }

  attach(project: Project): void {
    this.#logOf(project.id).project = project;
  }

  /** Removes the log of an evicted project once nothing is to be written. */
  release(project: string): void {
    const log = this.#logs.get(project);
    log?.whenReleased(() => {
      if (this.#logs.get(project) === log) this.#logs.delete(project);
    });
  }

  forget(project: string): void {
    this.#readsAhead.delete(project);
    this.#saved.delete(project);
    this.#logOf(project).forget();
    this.release(project);
  }

  forgetAll(): void {
    for (const project of this.#all()) this.forget(project);
  }

  persisted(project?: string): Promise<void> | undefined {
    return project === undefined ? persistedOf(this.#logs.values()) : this.#logs.get(project)?.persisted();
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#logs.values()].map((log) => log.persisted()));
    this.#hold.release();
  }

  #all(): readonly string[] {
    return [...new Set([...this.#files, ...this.#logs.keys()])];
  }

  /** Reads a project. Returns undefined if it has no file. */
  *#read(name: string): Steps<ReadLog | undefined> {
    const lines = this.#disk.lines(join(this.#parts.folder, name));
    return lines && (yield* readLog(lines, name, this.#parts.endpoint));
  }

  #logOf(project: string): ProjectLog {
    const existing = this.#logs.get(project);
    if (existing) return existing;
    const name = join(this.#parts.folder, toFileName(project));
    const log = new ProjectLog({
      project,
      place: {
        name,
        replace: (text) => this.#disk.replace(name, text),
        append: async (text) => ((await this.#disk.append(name, text)) ? 0 : undefined),
        remove: () => this.#disk.remove(name),
      },
      endpoint: this.#parts.endpoint,
      onWritten: (exists) => void (exists ? this.#files.add(project) : this.#files.delete(project)),
      failed: ({ message, cause }) => {
        // The loss of the lock is reported once for all files.
        if (!(cause instanceof LockLost)) this.#parts.warn(`${message}; the next write includes the same changes`);
      },
    });
    this.#logs.set(project, log);
    return log;
  }
}
