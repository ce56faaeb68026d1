/** Applies changes to the state of a project, and records each in its memory use and in the log of its file. */
import type { Adapter } from 'lowdb';
import type { Callback } from '../callbacks/callback.ts';
import type { Replacement } from '../records/applied.ts';
import { applyWrites, type Records, type StoredRecord, type Write } from '../records/records.ts';
import { type ByteTotal, createProjectUsage, type HeldCommand, type ProjectUsage } from '../usage/project-usage.ts';
import { sizeOfRecords } from '../usage/record-size.ts';
import { sizeOfValue } from '../usage/size.ts';
import { countCallbacks, type DeferredCommand } from './commands/deferred-command.ts';
import type { ChangeLog } from './persistence/log/change-log.ts';
import type { MergedWrites } from './persistence/merged-writes.ts';
import { countPending, type PendingCounts, type ProjectState } from './state.ts';

/** Tracks the changes of a project and writes them to disk. */
export interface ChangeTracker extends MergedWrites, Pick<ChangeLog, 'trackWrites' | 'trackCallback'> {
  readonly adapter: Adapter<ProjectState>;
  /** Resolves when the cause of a callback is stored where other servers see it. Rejects if it never will be. */
  beforeSend?(): Promise<void> | undefined;
}

export interface ChangeRecorder {
  /** Whether the project is written to a file, which may happen while a command is applied. */
  readonly isStored: boolean;
  /** Waits until the cause of a callback is stored where other servers see it. */
  readonly beforeSend: (() => Promise<void> | undefined) | undefined;
  /** Announces a change, before it is made. */
  begin(): void;
  /** Announces a change, and returns its number. */
  nextNumber(): number;
  /** Applies writes that keep this much of the body of their request, in bytes. */
  commit(writes: readonly Write[], bytes: number): Replacement;
  /** Replaces all records with records of this size in bytes. */
  restore(records: Records, bytes: number): void;
  /** Counts a deferred command. */
  hold(command: DeferredCommand, held: Omit<HeldCommand, 'pending'>): void;
  /** Removes a deferred command from the count. Returns its size in bytes. */
  release(command: DeferredCommand): number;
  callback(callback: Callback): void;
  dropCallbacks(dropped: readonly Callback[]): void;
  /** Cancels everything that is scheduled. Set the timer of the schedule again afterwards. */
  cancelPending(): PendingCounts;
}

interface Deps {
  readonly state: () => ProjectState;
  readonly usage: ProjectUsage;
  readonly tracker: ChangeTracker | undefined;
  /** Called after every change of a callback. */
  readonly callbackChanged: (callback: Callback) => void;
  /** Whether each entry has a callback of its own. */
  readonly perEntry: boolean;
}

export function createChangeRecorder({ state, usage, tracker, callbackChanged, perEntry }: Deps): ChangeRecorder {
  const begin = tracker?.changed ?? (() => undefined);

  function recordCallback(callback: Callback): void {
    tracker?.trackCallback(callback.id);
    usage.callback(callback);
    begin();
    callbackChanged(callback);
  }

  function cancelCallback(callback: Callback): void {
    const { copiesLeft } = callback;
    callback.copiesLeft = 0;
    if (callback.state === 'scheduled') {
      callback.state = 'dropped';
      recordCallback(callback);
    } else if (copiesLeft > 0) usage.callback(callback);
  }

  return {
    isStored: tracker !== undefined,
    beforeSend: tracker?.beforeSend,
    begin,
    nextNumber: () => {
      begin();
      state().changeCount += 1;
      return state().changeCount;
    },
    commit: (writes, bytes) => {
      const replacement = findReplaced(state().records, writes, bytes);
      applyWrites(state().records, writes);
      if (writes.length > 0) usage.grow(bytes);
      tracker?.trackWrites(writes);
      return replacement;
    },
    restore: (records, bytes) => {
      state().records = records;
      usage.restore(bytes);
    },
    hold: (command, held) => usage.hold(command, { ...held, pending: countCallbacks(command, perEntry) }),
    release: usage.release,
    callback: recordCallback,
    dropCallbacks: (dropped) => {
      for (const callback of dropped) {
        tracker?.trackCallback(callback.id);
        usage.dropCallback(callback);
      }
    },
    cancelPending: () => {
      const cancelled = countPending(state());
      const { due, groups, callbacks } = state();
      for (const { what } of due) if (what.kind === 'deferredCommand') usage.release(what.deferredCommand);
      due.removeWhere(() => true);
      groups.clear();
      for (const callback of callbacks.values()) cancelCallback(callback);
      return cancelled;
    },
  };
}

/** Counts the memory of a new or saved project. `recordBytes` is undefined if it is not known. */
export function openUsage(
  memory: ByteTotal | undefined,
  state: () => ProjectState,
  recordBytes: number | undefined,
  perEntry: boolean,
): ProjectUsage {
  const { callbacks, scenarios, due } = state();
  const usage = createProjectUsage(memory, () => sizeOfRecords(state().records));
  usage.open(callbacks.values(), recordBytes);
  usage.scenarios(scenarios);
  for (const { what } of due) {
    if (what.kind !== 'deferredCommand') continue;
    const { command } = what.deferredCommand;
    const pending = countCallbacks(what.deferredCommand, perEntry);
    usage.hold(what.deferredCommand, { bytes: sizeOfValue(command), records: command.entries.length, pending });
  }
  return usage;
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
