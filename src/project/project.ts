/** Creates a project: its records, clock, schedule, callbacks and scenario counts, and disposes of them together. */
import { type Adapter, Low, Memory } from 'lowdb';
import { type Callback, createCallback, dropEnded } from '../callbacks/callback.ts';
import { createDispatch } from '../callbacks/dispatch.ts';
import { createOutbox, type Outbox } from '../callbacks/outbox.ts';
import type { Sender } from '../callbacks/send.ts';
import { type ClockState, setClock } from '../lib/clock.ts';
import { createHash } from '../lib/random.ts';
import { toTimestamp } from '../lib/time.ts';
import type { ActionContext } from '../operations/command.ts';
import { operations } from '../operations/index.ts';
import { applyWrite, type Records, toRecordReader, type Write } from '../records/records.ts';
import type { CompiledScenario } from '../scenarios/compile.ts';
import { type ByteTotal, createProjectUsage, type ProjectUsage } from '../usage/project-usage.ts';
import { growthOf, sizeOfPoints } from '../usage/record-size.ts';
import { sizeOfValue } from '../usage/size.ts';
import { applyCommand, type RaisedCallback } from './commands/apply-command.ts';
import { copyEntries, type DeferredCommand } from './commands/deferred-command.ts';
import { type EntrySource, toLazyWrites } from './commands/lazy-writes.ts';
import { createProjectLifetime, type ProjectLifetime } from './lifetime.ts';
import type { ChangeLog } from './persistence/change-log.ts';
import type { MergedWrites } from './persistence/merged-writes.ts';
import { createSchedule, type RunResult, type Schedule } from './schedule.ts';
import {
  activateLayer,
  countPending,
  createPendingIds,
  createProjectState,
  type DueWork,
  type InitialSettings,
  isCommandDue,
  type PendingCounts,
  type PendingIds,
  type ProjectState,
} from './state.ts';

/** Tracks the changes of a project and writes them to disk. */
export interface ChangeTracker extends MergedWrites, Pick<ChangeLog, 'trackWrites' | 'trackCallback'> {
  readonly adapter: Adapter<ProjectState>;
}

/** The state of a project that was read from its file, or handed over by an evicted project. */
export interface SavedProject {
  readonly state: ProjectState;
  /** The scenarios of `state`, compiled. */
  readonly scenarios?: readonly CompiledScenario[];
  /** Size of the records in bytes, or undefined if not known. */
  readonly recordBytes?: number;
}

/** Options shared by all projects of a server. */
export interface ProjectOptions extends InitialSettings {
  readonly seed: string;
  readonly sender: Pick<Sender, 'send'>;
  readonly duplicates: ActionContext['duplicates'];
  readonly attendantAccess: ActionContext['attendantAccess'];
  readonly strict: boolean;
  readonly retriesMs: readonly number[];
  readonly concurrency: number;
  /** Total of the sizes of all projects. */
  readonly memory?: ByteTotal;
}

/** Listeners for the events of a project. */
export interface ProjectEvents {
  callback(callback: Callback): void;
  /** Reports an internal error that occurred outside of any request. */
  bug(error: unknown): void;
  /** Called after a deferred command was applied, which may have changed records. */
  commandApplied?(): void;
  /** Reports the warnings of a deferred command, which is applied after its response was sent. */
  warn(requestId: string, warnings: readonly string[]): void;
  /** Called when a rule fires on a callback. `change` is the number of the change that raised the callback. */
  ruleFired?(change: number): void;
  /** Called before other scenarios are activated, which discards the counts of the current ones. */
  scenariosReplaced?(): void;
}

/** A running project. `dispose` ends everything that waits in it. */
export interface Project extends Omit<ProjectLifetime, 'isEnded' | 'end'> {
  readonly id: string;
  readonly state: ProjectState;
  readonly schedule: Schedule<DueWork>;
  readonly outbox: Outbox;
  /** Memory use of the project. */
  readonly usage: ProjectUsage;
  readonly isDisposed: () => boolean;
  /** Scenarios activated for this project, highest precedence first. */
  readonly scenarios: readonly CompiledScenario[];
  /** Replaces the active scenarios at a time in milliseconds, and starts their counts at zero. */
  activate(scenarios: readonly CompiledScenario[], atMs: number): void;
  /**
   * Starts the counts of the server scenarios at zero, at a time in milliseconds. `names` identifies these scenarios.
   */
  activateServerScenarios(atMs: number, names: string): void;
  /** The project's current time, in milliseconds since 1970. */
  now(): number;
  /** Runs everything that is due, so that later changes come after it. Returns the same time as `now`. */
  runDue(): number;
  /** Runs due work in slices until `runDue` has little left to do. Returns undefined if it already has little to do. */
  runDueAhead(): Promise<void> | undefined;
  /** Returns the number of the next change of the project. */
  nextChangeNumber(): number;
  /**
   * Resolves when all changes are written, and rejects if the write fails. Returns undefined if nothing is to be
   * written.
   */
  persisted(): Promise<void> | undefined;
  /** Writes the project to its file. */
  save(): Promise<void>;
  /** Returns the id of the next request: a hash of its number, so that the same requests get the same ids. */
  nextRequestId(): string;
  /** Returns the context that actions need in addition to the records. */
  actionContext(now: number): ActionContext;
  commit(writes: readonly Write[]): void;
  /**
   * Whether the project is written to a file. If so, it stores no body texts, because writing the file would parse
   * every record immediately.
   */
  readonly isStored: boolean;
  /**
   * Counts a deferred command. Also stores the body text that contains its entries; the text is not part of the project
   * state.
   */
  holdCommand(
    command: DeferredCommand,
    held: { readonly bytes: number; readonly records: number },
    source?: EntrySource,
  ): void;
  /** Replaces all records with records of this size in bytes, and cancels everything pending. */
  restore(records: Records, bytes: number): PendingCounts;
  /** Counts what is scheduled or in progress. */
  pending(): PendingCounts;
  setClock(mode: ClockState['mode'], nowMs: number): void;
  dispose(): void;
}

/**
 * Creates a project, either empty or with a saved state. Work that is due in a saved state runs as it would have there.
 */
export function createProject(
  id: string,
  options: ProjectOptions,
  events: ProjectEvents,
  saved: SavedProject = { state: createProjectState(options) },
  tracker?: ChangeTracker,
): Project {
  const { seed, wall } = options;
  const requestIds = createHash(seed, id, 'request');
  const trackingIds = { jobs: createHash(seed, id, 'jobs'), orders: createHash(seed, id, 'orders') };
  const trackingId: ActionContext['trackingId'] = (collection, recordId) =>
    `TRK-${trackingIds[collection === 'orders' ? 'orders' : 'jobs'].of(recordId)}`;
  const db = new Low<ProjectState>(
    tracker?.adapter ?? (new Memory<ProjectState>() as Adapter<ProjectState>),
    saved.state,
  );
  const changed = tracker?.changed ?? (() => undefined);
  let scenarios = saved.scenarios ?? [];
  let pendingIds: PendingIds | undefined;
  const usage = openUsage(options.memory, saved);

  const lifetime = createProjectLifetime(wall);
  const sources = new WeakMap<DeferredCommand, EntrySource>();
  const schedule = createSchedule<DueWork>({
    data: () => db.data,
    wall,
    run,
    isImmediate: ({ kind }) => kind !== 'attempt',
    bug: events.bug,
    settled: () => outbox.settled(),
  });
  const outbox = createOutbox({
    callbacks: () => db.data.callbacks,
    endpoint: () => db.data.endpoint,
    sender: options.sender,
    wall,
    retriesMs: options.retriesMs,
    concurrency: options.concurrency,
    now: () => schedule.now(),
    plan: (callbackId, dueAt) => schedule.add(dueAt, { kind: 'attempt', callbackId }),
    cancelPlanned: (callbackId) => {
      db.data.due.removeWhere(({ what }) => what.kind === 'attempt' && !what.isCopy && what.callbackId === callbackId);
      schedule.rearm();
    },
    changed: reportCallback,
  });
  const dispatch = createDispatch({ data: () => db.data, add: (dueAt, what) => schedule.add(dueAt, what) });

  schedule.rearm();

  function run(what: DueWork, now: number): RunResult | Promise<RunResult> {
    changed();
    switch (what.kind) {
      case 'attempt': {
        const sending = what.isCopy ? outbox.copy(what.callbackId) : outbox.attempt(what.callbackId);
        return sending.then((taken) => ({ processed: 0, delivered: taken ? 1 : 0 }));
      }
      case 'release':
        // A callback raised at this same time belongs to the group, so the commands that are due run first.
        if (isCommandDue(db.data.due, now)) schedule.add(now, what);
        else dispatch.release(what.group, now);
        return { processed: 0, delivered: 0 };
      case 'instruction':
        runCommand(what.instruction, now);
        return { processed: 1, delivered: 0 };
      default:
        return what satisfies never;
    }
  }

  function runCommand(accepted: DeferredCommand, now: number): void {
    usage.release(accepted);
    // The project file may be being written with the original entries.
    const deferred = tracker ? copyEntries(accepted) : accepted;
    const { records, ruleCounts: counts } = db.data;
    const result = applyCommand(deferred, toRecordReader(records), toActionContext(now), { counts, now, nextChange });
    const { operation, task: command } = deferred;
    commit(toLazyWrites(result.writes, command.entries, operations[operation], sources.get(accepted)));
    if (result.warnings.length > 0) events.warn(deferred.requestId, result.warnings);
    if (result.raised?.rule?.countsCallbacks) events.ruleFired?.(result.raised.change);
    if (result.raised) raise(result.raised, now);
    events.commandApplied?.();
  }

  function raise({ rule, ...raised }: RaisedCallback, now: number): void {
    const { disturbance } = rule ?? {};
    const callback = createCallback({ seed, projectId: id, atMs: now, disturbance, ...raised });
    db.data.callbacks.set(callback.id, callback);
    for (const dropped of dropEnded(db.data.callbacks)) {
      tracker?.trackCallback(dropped.id);
      usage.dropCallback(dropped);
    }
    dispatch.take(callback, rule, now);
    reportCallback(callback);
  }

  function reportCallback(callback: Callback): void {
    tracker?.trackCallback(callback.id);
    usage.callback(callback);
    changed();
    events.callback(callback);
  }

  function nextChange(): number {
    changed();
    db.data.changeCount += 1;
    return db.data.changeCount;
  }

  function commit(writes: readonly Write[]): void {
    const { records } = db.data;
    let growth = 0;
    for (const write of writes) {
      growth += growthOf(records, write);
      growth -= sizeOfPoints(applyWrite(records, write));
    }
    usage.grow(growth);
    tracker?.trackWrites(writes);
  }

  function toActionContext(now: number): ActionContext {
    return {
      now: toTimestamp(now),
      duplicates: options.duplicates,
      attendantAccess: options.attendantAccess,
      strict: options.strict,
      trackingId,
      isPending: (collection, recordId) => {
        // Created on first use, because most requests name only existing ids.
        if (pendingIds?.due !== db.data.due) pendingIds = createPendingIds(db.data.due);
        return pendingIds.has(collection, recordId);
      },
    };
  }

  function cancelPending(): PendingCounts {
    const cancelled = countPending(db.data);
    const { callbacks } = db.data;
    for (const { what } of db.data.due) if (what.kind === 'instruction') usage.release(what.instruction);
    db.data.due.removeWhere(() => true);
    db.data.groups.clear();
    for (const callback of callbacks.values()) {
      const { copiesLeft } = callback;
      callback.copiesLeft = 0;
      if (callback.state === 'scheduled') {
        callback.state = 'dropped';
        reportCallback(callback);
      } else if (copiesLeft > 0) usage.callback(callback);
    }
    schedule.rearm();
    return cancelled;
  }

  return {
    id,
    usage,
    get state() {
      return db.data;
    },
    schedule,
    outbox,
    isDisposed: lifetime.isEnded,
    hasWaitingClients: lifetime.hasWaitingClients,
    get scenarios() {
      return scenarios;
    },
    activate: (activated, atMs) => {
      events.scenariosReplaced?.();
      scenarios = activated;
      db.data.scenarios = activated.map(({ source }) => source);
      usage.scenarios(db.data.scenarios);
      activateLayer(db.data, 'project', atMs);
    },
    activateServerScenarios: (atMs, names) => {
      changed();
      db.data.serverScenarios = names;
      activateLayer(db.data, 'server', atMs);
    },
    now: () => schedule.now(),
    runDue: () => schedule.runDue(),
    runDueAhead: () => schedule.runDueAhead(),
    nextChangeNumber: nextChange,
    delayedRequests: lifetime.delayedRequests,
    delayAnswer: lifetime.delayAnswer,
    persisted: () => tracker?.persisted(),
    save: () => db.write(),
    onEnd: lifetime.onEnd,
    nextRequestId: () => `req_${requestIds.of(String(++db.data.requestCount))}`,
    actionContext: toActionContext,
    commit,
    isStored: tracker !== undefined,
    holdCommand: (command, held, source) => {
      if (source !== undefined) sources.set(command, source);
      usage.hold(command, held);
    },
    restore: (records, bytes) => {
      const cancelled = cancelPending();
      db.data.records = records;
      usage.restore(bytes);
      return cancelled;
    },
    pending: () => countPending(db.data),
    setClock: (mode, nowMs) => {
      db.data.clock = setClock(mode, nowMs, wall);
      schedule.rearm();
    },
    dispose: () => {
      schedule.dispose();
      outbox.dispose();
      lifetime.end();
      usage.close();
    },
  };
}

/** Counts the memory that a new or saved project uses. */
function openUsage(memory: ByteTotal | undefined, { state, recordBytes }: SavedProject): ProjectUsage {
  const usage = createProjectUsage(memory);
  usage.open(state.records, state.callbacks.values(), recordBytes);
  usage.scenarios(state.scenarios);
  for (const { what } of state.due) {
    if (what.kind !== 'instruction') continue;
    const { task: command } = what.instruction;
    usage.hold(what.instruction, { bytes: sizeOfValue(command), records: command.entries.length });
  }
  return usage;
}
