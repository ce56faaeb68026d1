/** Applies changes to the state of a project, and records each in its memory use and in the log of its file. */
import type { Adapter } from 'lowdb';
import type { Attempt, Callback } from '../callbacks/callback.ts';
import { countNewRecords, operations } from '../operations/index.ts';
import { applyWrites, type Records, type Replacement, type StoredRecord, type Write } from '../records/records.ts';
import { type ProjectUsage, sizeOfValue } from '../usage/size.ts';
import { countCallbacks, type DeferredCommand } from './commands/deferred-command.ts';
import type { UnwrittenChanges } from './persistence/log/unwritten-changes.ts';
import { countPending, type PendingCounts, type ProjectState } from './state.ts';

/** Tracks the changes of a project and writes them to disk. */
export interface ChangeTracker extends Pick<UnwrittenChanges, 'trackWrites' | 'trackCallback'> {
  readonly adapter: Adapter<ProjectState>;
  /** Reports a change, made before the next await. It is written as soon as possible. */
  changed(): void;
  /** Resolves when all changes so far are written, or rejects if that fails. Returns undefined if all are written. */
  persisted(): Promise<void> | undefined;
  /** Resolves when the cause of a callback is stored where other servers see it. Rejects if it never will be. */
  beforeSend?(): Promise<void> | undefined;
}

interface Deps {
  readonly state: ProjectState;
  readonly usage: ProjectUsage;
  readonly tracker: ChangeTracker | undefined;
  /** Called after every change of a callback. `made`: its new attempt. */
  readonly callbackChanged: (callback: Callback, made?: Attempt) => void;
  /** Whether each entry has a callback of its own. */
  readonly perEntry: boolean;
}

export class Changes {
  /** Whether the project is written to a file, which may happen while a command is applied. */
  readonly isStored: boolean;
  readonly #deps: Deps;

  /** Counts what the state holds already. `recordBytes` is the size of its records; undefined if it is not known. */
  constructor(deps: Deps, recordBytes: number | undefined) {
    this.#deps = deps;
    this.isStored = deps.tracker !== undefined;
    const { state, usage } = deps;
    usage.open(state.callbacks.values(), recordBytes);
    usage.scenarios(state.scenarios);
    for (const { what } of state.due) {
      if (what.kind !== 'deferredCommand') continue;
      this.hold(what.deferredCommand, sizeOfValue(what.deferredCommand.command));
    }
  }

  /** Announces a change, before it is made. */
  begin(): void {
    this.#deps.tracker?.changed();
  }

  /** Announces a change, and returns its number. */
  nextNumber(): number {
    this.begin();
    const { state } = this.#deps;
    state.changeCount += 1;
    return state.changeCount;
  }

  /** Waits until the cause of a callback is stored where other servers see it. */
  beforeSend(): Promise<void> | undefined {
    return this.#deps.tracker?.beforeSend?.();
  }

  /** Applies writes that keep this much of the body of their request, in bytes. */
  commit(writes: readonly Write[], bytes: number): Replacement {
    const { state, usage, tracker } = this.#deps;
    const replacement = findReplaced(state.records, writes, bytes);
    applyWrites(state.records, writes);
    if (writes.length > 0) usage.grow(bytes);
    tracker?.trackWrites(writes);
    return replacement;
  }

  /** Replaces all records with records of this size in bytes. */
  restore(records: Records, bytes: number): void {
    this.#deps.state.records = records;
    this.#deps.usage.restore(bytes);
  }

  /** Counts a deferred command: the memory that it holds, the records that it may create, and what it counts as. */
  hold(deferred: DeferredCommand, bytes: number): void {
    const { state, usage, perEntry } = this.#deps;
    const records = countNewRecords(state.records, operations[deferred.operation], deferred.command);
    usage.hold(deferred, { bytes, records, pending: countCallbacks(deferred, perEntry) });
  }

  /** Notes that a callback was created or has changed. `made`: its new attempt. */
  callback(callback: Callback, made?: Attempt): void {
    const { state, tracker, usage, callbackChanged } = this.#deps;
    tracker?.trackCallback(callback.id);
    // It may have been dropped while it was sent again.
    if (state.callbacks.get(callback.id) === callback) usage.callback(callback);
    this.begin();
    callbackChanged(callback, made);
  }

  dropCallbacks(dropped: readonly Callback[]): void {
    for (const callback of dropped) {
      this.#deps.tracker?.trackCallback(callback.id);
      this.#deps.usage.dropCallback(callback);
    }
  }

  /** Cancels everything that is scheduled. Set the timer of the schedule again afterwards. */
  cancelPending(): PendingCounts {
    const { state, usage } = this.#deps;
    const { due, groups, callbacks } = state;
    const cancelled = countPending(state);
    for (const { what } of due) if (what.kind === 'deferredCommand') usage.release(what.deferredCommand);
    due.removeWhere(() => true);
    groups.clear();
    for (const callback of callbacks.values()) this.#cancelCallback(callback);
    return cancelled;
  }

  #cancelCallback(callback: Callback): void {
    const { copiesLeft } = callback;
    callback.copiesLeft = 0;
    if (callback.state === 'scheduled') {
      callback.state = 'dropped';
      this.callback(callback);
    } else if (copiesLeft > 0) this.#deps.usage.callback(callback);
  }
}

/** Memory of a write without its record, in bytes. */
const writeBytes = 60;

/**
 * Finds what these writes replace, before they are applied. `bytes`: the size of what they write. A location replaces the
 * one before, and soon is replaced itself, so it counts here at once.
 */
function findReplaced(records: Records, writes: readonly Write[], bytes: number): Replacement {
  const [first] = writes;
  if (first && 'point' in first) return { writes, replaced: none, size: bytes };
  let size = writeBytes * writes.length;
  let replaced: (StoredRecord | null)[] | undefined;
  for (let index = 0; index < writes.length; index += 1) {
    const write = writes[index] as Extract<Write, { put: StoredRecord }>;
    const record = records[write.into].get(write.id);
    if (!record) continue;
    replaced ??= writes.map(() => null);
    replaced[index] = record;
    size += sizeOfReplaced(record, write.put);
  }
  return { writes, replaced: replaced ?? none, size };
}

const none: readonly null[] = [];

/** Returns the size of the fields that the new record does not share, in bytes. */
function sizeOfReplaced(before: StoredRecord, after: StoredRecord): number {
  let size = 0;
  for (const field in before) if (before[field] !== after[field]) size += field.length + sizeOfValue(before[field]);
  return size;
}
