/** Creates a project: its records, clock, schedule, callbacks and scenario counts, and disposes of them together. */
import { isDeepStrictEqual } from 'node:util';
import { type Adapter, Low, Memory } from 'lowdb';
import type { Callback, Trigger } from '../callbacks/callback.ts';
import { withoutRegion } from '../keys/region.ts';
import { type ClockState, setClock } from '../lib/clock.ts';
import { createHash } from '../lib/random.ts';
import type { ActionContext } from '../operations/command.ts';
import type { Records } from '../records/records.ts';
import type { CompiledScenario } from '../scenarios/compile.ts';
import type { ByteTotal, ProjectUsage } from '../usage/project-usage.ts';
import { type ActionOptions, createActionContext } from './action-context.ts';
import { type AdvanceLog, createAdvanceLog } from './advance-log.ts';
import { type ChangeRecorder, type ChangeTracker, createChangeRecorder, openUsage } from './change-recorder.ts';
import { type CommandRunner, createCommandRunner, type DeliveryOptions, type RunnerEvents } from './command-runner.ts';
import { createProjectLifetime, type ProjectLifetime } from './lifetime.ts';
import { createSchedule, type Schedule } from './schedule.ts';
import {
  activateOwn,
  activateServer,
  countPending,
  createProjectState,
  type DueWork,
  type InitialSettings,
  type PendingCounts,
  type ProjectState,
} from './state.ts';

/** The state of a project that was read from its file, or handed over by an evicted project. */
export interface SavedProject {
  readonly state: ProjectState;
  /** The scenarios of `state`, compiled. */
  readonly scenarios?: readonly CompiledScenario[];
  /** Size of the records in bytes, or undefined if not known. */
  readonly recordBytes?: number;
}

export interface ProjectOptions extends InitialSettings, ActionOptions, DeliveryOptions {
  /** Whether projects of regions are separate: their ids end with the region, which the API does not know. */
  readonly separatesRegions?: boolean;
  /** Total of the sizes of all projects. */
  readonly memory?: ByteTotal;
}

export interface ProjectEvents extends RunnerEvents {
  callback(callback: Callback): void;
  /** Reports an internal error that occurred outside of any request. */
  reportError(error: unknown): void;
  /** Called before other scenarios are activated, which discards the counts of these current ones. */
  scenariosReplaced?(replaced: readonly CompiledScenario[]): void;
}

/** A running project. `dispose` ends everything that waits in it. */
export interface Project
  extends Omit<ProjectLifetime, 'isEnded' | 'end'>,
    Pick<CommandRunner, 'redeliver' | 'redeliverInTurn' | 'countAttempts' | 'settled' | 'listener' | 'dispose'>,
    Pick<Schedule<DueWork>, 'now' | 'runDue' | 'runDueAhead'>,
    Pick<ChangeRecorder, 'commit'> {
  readonly id: string;
  /** The id as the API has it: without the region, where projects of regions are separate. */
  readonly name: string;
  readonly state: ProjectState;
  readonly schedule: Schedule<DueWork>;
  readonly usage: ProjectUsage;
  readonly advances: AdvanceLog;
  readonly isDisposed: () => boolean;
  /** Scenarios activated for this project, highest precedence first. */
  readonly scenarios: readonly CompiledScenario[];
  /**
   * Replaces the active scenarios at a time in milliseconds. Their counts start at zero; with `keeps`, only those of
   * scenarios that were not active before with the same content.
   */
  activate(scenarios: readonly CompiledScenario[], atMs: number, keeps?: boolean): void;
  /** Starts the counts of the server scenarios, identified by `names`, at zero, at a time in milliseconds. */
  activateServerScenarios(atMs: number, names: string): void;
  readonly nextChangeNumber: ChangeRecorder['nextNumber'];
  /** Resolves when all changes are written, or rejects if that fails. Returns undefined if all are written. */
  persisted(): Promise<void> | undefined;
  /** Writes the project to its file. */
  save(): Promise<void>;
  /** Returns the id of the next request: a hash of its number, so that the same requests get the same ids. */
  nextRequestId(): string;
  /** Makes a callback without a request, at a time in milliseconds. */
  trigger(trigger: Trigger, atMs: number): Callback;
  /** Returns the context that actions need in addition to the records. */
  actionContext(now: number): ActionContext;
  readonly holdCommand: ChangeRecorder['hold'];
  /** Replaces all records with records of this size in bytes, and cancels everything pending. */
  restore(records: Records, bytes: number): PendingCounts;
  /** Counts what is scheduled or in progress. */
  pending(): PendingCounts;
  /** Freezes the clock at a time in milliseconds, or lets it run from there at a rate, by default 1. */
  setClock(mode: ClockState['mode'], nowMs: number, rate?: number): void;
}

/** Creates a project, empty or with a saved state. Work that is due in a saved state runs as it would have. */
export function createProject(
  id: string,
  options: ProjectOptions,
  events: ProjectEvents,
  saved: SavedProject = { state: createProjectState(options) },
  tracker?: ChangeTracker,
): Project {
  const { seed, wall } = options;
  const { perEntry } = options.format;
  const name = options.separatesRegions ? withoutRegion(id) : id;
  const adapter = tracker?.adapter ?? (new Memory<ProjectState>() as Adapter<ProjectState>);
  const db = new Low<ProjectState>(adapter, saved.state);
  const state = (): ProjectState => db.data;
  const requestIds = createHash(seed, id, 'request');
  const usage = openUsage(options.memory, state, saved.recordBytes, perEntry);
  const advances = createAdvanceLog(usage.advances);
  const lifetime = createProjectLifetime(wall);
  const changes = createChangeRecorder({
    ...{ state, usage, tracker, perEntry },
    callbackChanged: events.callback,
  });
  const actionContext = createActionContext(id, options, state);
  const schedule: Schedule<DueWork> = createSchedule<DueWork>({
    data: state,
    wall,
    run: (what, now) => runner.run(what, now),
    isSynchronous: ({ kind }) => kind !== 'attempt',
    reportError: events.reportError,
    settled: () => runner.settled(),
  });
  const runner = createCommandRunner({
    ...{ ...options, projectId: id, projectName: name, state, changes, events, schedule, actionContext },
    worked: advances.note,
  });
  let scenarios = saved.scenarios ?? [];

  schedule.rearm();

  function activate(activated: readonly CompiledScenario[], atMs: number, keeps = false): void {
    const kept = keeps ? findKept(scenarios, activated) : new Set<string>();
    events.scenariosReplaced?.(scenarios.filter(({ name }) => !kept.has(name)));
    scenarios = activated;
    db.data.scenarios = activated.map(({ source }) => source);
    usage.scenarios(db.data.scenarios);
    activateOwn(db.data, db.data.scenarios, kept, atMs);
  }

  const nextRequestId = (): string => `req_${requestIds.of(String(++db.data.requestCount))}`;

  function restore(records: Records, bytes: number): PendingCounts {
    const cancelled = changes.cancelPending();
    schedule.rearm();
    changes.restore(records, bytes);
    return cancelled;
  }

  return {
    id,
    name,
    usage,
    advances,
    get state() {
      return db.data;
    },
    schedule,
    redeliver: runner.redeliver,
    redeliverInTurn: runner.redeliverInTurn,
    listener: runner.listener,
    countAttempts: runner.countAttempts,
    settled: runner.settled,
    isDisposed: lifetime.isEnded,
    hasWaitingClients: lifetime.hasWaitingClients,
    get scenarios() {
      return scenarios;
    },
    activate,
    activateServerScenarios: (atMs, names) => {
      changes.begin();
      db.data.serverScenarios = names;
      activateServer(db.data, atMs);
    },
    now: schedule.now,
    runDue: schedule.runDue,
    runDueAhead: schedule.runDueAhead,
    nextChangeNumber: changes.nextNumber,
    delayedRequests: lifetime.delayedRequests,
    delayResponse: lifetime.delayResponse,
    persisted: () => tracker?.persisted(),
    save: () => db.write(),
    onEnd: lifetime.onEnd,
    nextRequestId,
    // The id is one of the project's own, so that receivers get one in the form that they know.
    trigger: (wanted, atMs) => runner.trigger(wanted, nextRequestId(), atMs),
    actionContext,
    commit: changes.commit,
    holdCommand: changes.hold,
    restore,
    pending: () => countPending(db.data),
    setClock: (mode, nowMs, rate) => {
      db.data.clock = setClock(mode, nowMs, wall, rate);
      schedule.rearm();
    },
    dispose: (reason) => {
      schedule.dispose();
      runner.dispose(reason);
      lifetime.end();
      usage.close();
    },
  };
}

/** Returns the names of scenarios that are active once, before and after, with the same content. */
function findKept(before: readonly CompiledScenario[], after: readonly CompiledScenario[]): ReadonlySet<string> {
  const [was, now] = [byName(before), byName(after)];
  const isSame = (name: string, { source }: CompiledScenario): boolean =>
    was.get(name)?.source === source || isDeepStrictEqual(was.get(name)?.source, source);
  return new Set([...now].flatMap(([name, one]) => (one && isSame(name, one) ? [name] : [])));
}

/** Returns scenarios by name; undefined where several have it. */
function byName(scenarios: readonly CompiledScenario[]): ReadonlyMap<string, CompiledScenario | undefined> {
  const found = new Map<string, CompiledScenario | undefined>();
  for (const one of scenarios) found.set(one.name, found.has(one.name) ? undefined : one);
  return found;
}
