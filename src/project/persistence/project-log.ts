/**
 * Writes one project where it is stored: as a whole, then its changes as lines, one write after another. All changes during
 * a write go into the next one, and each caller waits for the write with its changes.
 */
import type { Adapter } from 'lowdb';
import type { Endpoint } from '../../callbacks/callback.ts';
import { joinTexts } from '../../lib/chunks.ts';
import type { ChangeTracker } from '../changes.ts';
import type { Project } from '../project.ts';
import type { ProjectState } from '../state.ts';
import { UnwrittenChanges } from './log/unwritten-changes.ts';

/** Where one project is stored. Each piece of a text is requested when the piece before it is written. */
export interface LogPlace {
  /** For messages. */
  readonly name: string;
  /** Replaces the project. */
  replace(text: Iterable<string>): Promise<void>;
  /** Adds lines. Resolves with the length of what was added besides; undefined if there is nothing that they could follow. */
  append(text: Iterable<string>): Promise<number | undefined>;
  remove(): Promise<void>;
}

interface Parts {
  readonly project: string;
  readonly place: LogPlace;
  /** The default endpoint for callbacks, which is not stored. */
  readonly endpoint: Endpoint | undefined;
  /** Reports a failed write. */
  failed(error: Error): void;
  /** Called after each write with whether the project is now stored. */
  onWritten?(exists: boolean): void;
}

/** Maximum length of the lines before the whole is written again, in characters, unless that is longer. */
const minLogLength = 256 * 1024;

export class ProjectLog implements Adapter<ProjectState> {
  /** The project to write. Undefined if it is to be removed. */
  project: Project | undefined;
  readonly #parts: Parts;
  readonly #changes: UnwrittenChanges;
  #hasChanged = false;
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #tracker: ChangeTracker | undefined;
  /** The lengths of what is stored, in characters. Undefined if that is unknown: then the next write is a whole one. */
  #lengths: { readonly whole: number; lines: number } | undefined;

  /** Creates the log of a project that is not there yet. */
  constructor(parts: Parts) {
    this.#parts = parts;
    this.#changes = new UnwrittenChanges(parts.project, parts.endpoint);
  }

  /** Returns the tracker of a new instance of the project. That of an instance before has no effect any more. */
  track(more: (tracker: ChangeTracker) => Partial<ChangeTracker> = () => ({})): ChangeTracker {
    const isCurrent = (): boolean => this.#tracker === tracker;
    const tracker: ChangeTracker = {
      adapter: this,
      trackWrites: (writes) => isCurrent() && this.#changes.trackWrites(writes),
      trackCallback: (callback) => isCurrent() && this.#changes.trackCallback(callback),
      changed: () => isCurrent() && this.touch(),
      persisted: () => (isCurrent() ? this.persisted() : undefined),
    };
    Object.assign(tracker, more(tracker));
    this.#tracker = tracker;
    return tracker;
  }

  /** Ends the instance: what it does is not written any more. */
  untrack(): void {
    this.#tracker = undefined;
  }

  /** Writes a line although nothing has changed. */
  touch(): void {
    this.#hasChanged = true;
    void this.#schedule();
  }

  /** Removes the project. */
  forget(): void {
    this.project = undefined;
    this.untrack();
    this.touch();
  }

  /** Stops to note changes, because another instance continues: its first write is a whole one. */
  handOver(): void {
    this.#changes.end();
  }

  /** Resolves when all changes so far are written, or rejects if that fails. Returns undefined if all are written. */
  persisted(): Promise<void> | undefined {
    return this.#hasChanged ? this.#schedule() : this.#current;
  }

  /** Calls `done` once the project is not in use, and nothing is to be written. After a failed write it is not called. */
  whenReleased(done: () => void): void {
    if (this.project?.isDisposed() === false) return;
    const writing = this.persisted();
    if (!writing) done();
    // Only the log has the data of a write that failed.
    else
      writing.then(
        () => this.whenReleased(done),
        () => undefined,
      );
  }

  /** Lowdb's `write`. */
  async write(state: ProjectState): Promise<void> {
    const before = this.#lengths;
    const mayFollow = before && before.lines < Math.max(before.whole, minLogLength);
    const lines = mayFollow ? this.#changes.toLines(state) : undefined;
    this.#lengths = undefined;
    if (!before || !lines || !(await this.#append(lines, before))) await this.#replace(state);
  }

  /** Lowdb's `read`, which stores do themselves. */
  read(): Promise<null> {
    return Promise.resolve(null);
  }

  #schedule(): Promise<void> {
    if (!this.#next) {
      this.#next = this.#writeAfter(this.#current);
      // Possibly no caller waits for this promise.
      this.#next.catch(() => undefined);
    }
    return this.#next;
  }

  async #writeAfter(previous: Promise<void> | undefined): Promise<void> {
    // Wait even if no write is in progress: the changes of a request are complete only when it awaits.
    await previous?.catch(() => undefined);
    this.#hasChanged = false;
    this.#current = this.#next;
    this.#next = undefined;
    try {
      await this.#writeProject();
    } catch (error) {
      // The next write includes the same changes again.
      this.#hasChanged = true;
      this.#parts.failed(error as Error);
      throw error;
    } finally {
      this.#current = undefined;
    }
  }

  async #append(lines: Iterable<string>, before: { readonly whole: number; lines: number }): Promise<boolean> {
    const measured = measure(lines);
    const besides = await this.#parts.place.append(measured.text);
    if (besides === undefined) return false;
    before.lines += measured.length() + besides;
    this.#lengths = before;
    return true;
  }

  async #replace(state: ProjectState): Promise<void> {
    const measured = measure(this.#changes.toWhole(state));
    await this.#parts.place.replace(measured.text);
    this.#lengths = { whole: measured.length(), lines: 0 };
  }

  async #writeProject(): Promise<void> {
    const { project } = this;
    const { place, onWritten } = this.#parts;
    try {
      if (project) await project.save();
      else {
        this.#lengths = undefined;
        await place.remove();
      }
    } catch (error) {
      throw new Error(`${place.name}: can't be written (${toCode(error)})`, { cause: error });
    }
    onWritten?.(project !== undefined);
  }
}

/** Resolves when the changes of all these logs are written. Returns undefined if all are. */
export function persistedOf(logs: Iterable<ProjectLog>): Promise<void> | undefined {
  const writing = [...logs].flatMap((log) => log.persisted() ?? []);
  return writing.length === 0 ? undefined : Promise.all(writing).then(() => undefined);
}

function toCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
}

/** Joins lines to longer texts, and counts their characters while they are iterated. */
function measure(lines: Iterable<string>): { readonly text: Iterable<string>; length(): number } {
  let length = 0;
  function* count(): Generator<string> {
    for (const piece of joinTexts(lines)) {
      length += piece.length;
      yield piece;
    }
  }
  return { text: count(), length: () => length };
}
