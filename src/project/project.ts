/** A running project: its records, clock, schedule, callbacks and scenario counts, which end together. */
import { isDeepStrictEqual } from 'node:util';
import { type Adapter, Low, Memory } from 'lowdb';
import type { Attempt, Callback, Trigger } from '../callbacks/callback.ts';
import type { GoneReason } from '../callbacks/listener.ts';
import type { NewEntry } from '../journal/entry.ts';
import { withoutRegion } from '../keys/api-key.ts';
import { type ClockState, rateOf, setClock } from '../lib/clock.ts';
import type { Warning } from '../lib/problem.ts';
import { createHash, type SeededHash } from '../lib/random.ts';
import { toTimestamp } from '../lib/time.ts';
import type { ActionContext } from '../operations/command.ts';
import { type Applied, type Records, type Replacement, toRecordReader, type Write } from '../records/records.ts';
import type { CompiledScenario } from '../scenarios/compile.ts';
import type { RuleCounts } from '../scenarios/counts.ts';
import { type ByteTotal, ProjectUsage, sizeOfRecords } from '../usage/size.ts';
import { AdvanceLog } from './advance-log.ts';
import { Changes, type ChangeTracker } from './changes.ts';
import { applyCommand } from './commands/apply-command.ts';
import { copyEntries, type DeferredCommand } from './commands/deferred-command.ts';
import { Deliveries, type DeliveryOptions } from './deliveries.ts';
import { type RunResult, Schedule } from './schedule.ts';
import {
  activateOwn,
  activateServer,
  countPending,
  createPendingImports,
  createProjectState,
  type DueWork,
  type InitialSettings,
  type PendingCounts,
  type PendingImports,
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

export interface ProjectOptions extends InitialSettings, DeliveryOptions, Pick<ActionContext, 'rules' | 'strict'> {
  readonly seed: string;
  /** Whether projects of regions are separate: their ids end with the region, which the API does not know. */
  readonly separatesRegions?: boolean;
  /** Total of the sizes of all projects. */
  readonly memory?: ByteTotal;
}

export interface ProjectEvents {
  callback(callback: Callback, made?: Attempt): void;
  /** Called after a deferred command of a request was applied, which is after its response. */
  commandApplied(requestId: string, applied: Applied, warnings: readonly Warning[]): void;
  /** Called when a rule fires on a callback. `change` is the number of the change that raised the callback. */
  ruleFired?(change: number): void;
  /** Returns the counts of rules over all projects. */
  serverCounts(): RuleCounts;
  /** Reports an internal error that occurred outside of any request. */
  reportError(error: unknown): void;
  /** Called before other scenarios are activated, which discards the counts of these current ones. */
  scenariosReplaced?(replaced: readonly CompiledScenario[]): void;
}

export class Project {
  readonly id: string;
  /** The id as the API has it: without the region, where projects of regions are separate. */
  readonly name: string;
  readonly state: ProjectState;
  readonly usage: ProjectUsage;
  readonly advances: AdvanceLog;
  /** Position in order of creation, which does not change when other projects are removed. */
  creationIndex = 0;
  /** The server scenarios that were active when this project was created. */
  initialServerScenarios: readonly CompiledScenario[] = [];
  readonly schedule: Schedule<DueWork>;
  readonly deliveries: Deliveries;
  /** Requests that were applied and whose responses are delayed. */
  readonly delayedRequests: Set<NewEntry> = new Set<NewEntry>();
  readonly #options: ProjectOptions;
  readonly #events: ProjectEvents;
  readonly #tracker: ChangeTracker | undefined;
  readonly #db: Low<ProjectState>;
  readonly #changes: Changes;
  readonly #ids: Readonly<Record<'requests' | 'jobs' | 'orders', SeededHash>>;
  /** With the id of the request that waits, if one does. */
  readonly #endListeners = new Map<() => void, string | undefined>();
  #hasEnded = false;
  #scenarios: readonly CompiledScenario[];
  #imports: PendingImports | undefined;

  /** Creates a project, empty or with a saved state. Work that is due in a saved state runs as it would have. */
  constructor(
    id: string,
    options: ProjectOptions,
    events: ProjectEvents,
    saved: SavedProject = { state: createProjectState(options) },
    tracker?: ChangeTracker,
  ) {
    const { seed, wall, memory, format, separatesRegions } = options;
    const { state } = saved;
    this.id = id;
    this.name = separatesRegions ? withoutRegion(id) : id;
    this.state = state;
    this.#options = options;
    this.#events = events;
    this.#tracker = tracker;
    this.#scenarios = saved.scenarios ?? [];
    this.#db = new Low<ProjectState>(tracker?.adapter ?? (new Memory<ProjectState>() as Adapter<ProjectState>), state);
    this.#ids = {
      requests: createHash(seed, id, 'request'),
      jobs: createHash(seed, id, 'jobs'),
      orders: createHash(seed, id, 'orders'),
    };
    const usage = new ProjectUsage(memory, () => sizeOfRecords(state.records));
    this.usage = usage;
    this.advances = new AdvanceLog((bytes) => usage.advances(bytes));
    const { perEntry } = format;
    const changes = new Changes(
      { state, usage, tracker, callbackChanged: events.callback, perEntry },
      saved.recordBytes,
    );
    this.#changes = changes;
    this.schedule = new Schedule<DueWork>({
      data: state,
      wall,
      run: (what, now) => this.#run(what, now),
      isSynchronous: ({ kind }) => kind !== 'attempt',
      reportError: events.reportError,
      settled: () => this.deliveries.settled(),
    });
    const { name, schedule, advances } = this;
    this.deliveries = new Deliveries({ ...options, id, name, state, changes, schedule, advances });
    this.schedule.rearm();
  }

  /** Scenarios activated for this project, highest precedence first. */
  get scenarios(): readonly CompiledScenario[] {
    return this.#scenarios;
  }

  /** The project's current time, in milliseconds. */
  now(): number {
    return this.schedule.now();
  }

  /** Runs all immediate work that is due, so that later changes come after it. Returns the project's current time. */
  runDue(): number {
    return this.schedule.runDue();
  }

  /** Returns the id of the next request: a hash of its number, so that the same requests get the same ids. */
  nextRequestId(): string {
    this.state.requestCount += 1;
    return `req_${this.#ids.requests.of(String(this.state.requestCount))}`;
  }

  /** Announces a change, and returns its number. */
  nextChangeNumber(): number {
    return this.#changes.nextNumber();
  }

  /** Returns the context that actions need in addition to the records. */
  actionContext(now: number): ActionContext {
    const { rules, strict } = this.#options;
    return {
      now: toTimestamp(now),
      rules,
      strict,
      trackingId: this.#trackingId,
      pendingImports: this.#pendingImports,
    };
  }

  /** Applies writes that keep this much of the body of their request, in bytes. */
  commit(writes: readonly Write[], bytes: number): Replacement {
    return this.#changes.commit(writes, bytes);
  }

  /** Accepts a command that is due at a time in milliseconds. */
  /** `bytes`: the memory that it holds. */
  defer(deferredCommand: DeferredCommand, dueAt: number, bytes: number): void {
    this.#changes.hold(deferredCommand, bytes);
    this.schedule.add(dueAt, { kind: 'deferredCommand', deferredCommand });
  }

  /** Makes a callback without a request, at a time in milliseconds. */
  trigger(trigger: Trigger, atMs: number): Callback {
    // The id is one of the project's own, so that receivers get one in the form that they know.
    return this.deliveries.trigger(trigger, this.nextRequestId(), atMs);
  }

  /** Counts what is scheduled or in progress. */
  pending(): PendingCounts {
    return countPending(this.state);
  }

  /** Replaces all records with records of this size in bytes, and cancels everything pending. */
  restore(records: Records, bytes: number): PendingCounts {
    const cancelled = this.#changes.cancelPending();
    this.schedule.rearm();
    this.#changes.restore(records, bytes);
    return cancelled;
  }

  /** Freezes the clock at a time in milliseconds, or lets it run from there at a rate, by default 1. */
  setClock(mode: ClockState['mode'], nowMs: number, rate?: number): void {
    this.state.clock = setClock(mode, nowMs, this.#options.wall, rate);
    this.schedule.rearm();
  }

  /**
   * Replaces the active scenarios at a time in milliseconds. Their counts start at zero; with `keeps`, only those of
   * scenarios that were not active before with the same content.
   */
  activate(activated: readonly CompiledScenario[], atMs: number, keeps = false): void {
    const kept = keeps ? findKept(this.#scenarios, activated) : new Set<string>();
    this.#events.scenariosReplaced?.(this.#scenarios.filter(({ name }) => !kept.has(name)));
    this.#scenarios = activated;
    this.state.scenarios = activated.map(({ source }) => source);
    this.usage.scenarios(this.state.scenarios);
    activateOwn(this.state, this.state.scenarios, kept, atMs);
  }

  /** Starts the counts of the server scenarios, identified by `names`, at zero, at a time in milliseconds. */
  activateServerScenarios(atMs: number, names: string): void {
    this.#changes.begin();
    this.state.serverScenarios = names;
    activateServer(this.state, atMs);
  }

  /** Resolves when all changes are written, or rejects if that fails. Returns undefined if all are written. */
  persisted(): Promise<void> | undefined {
    return this.#tracker?.persisted();
  }

  /** Writes the project to its file. */
  save(): Promise<void> {
    return this.#db.write();
  }

  /** Waits for `ms` on the wall clock or until the project ends, and then for `persisted`. */
  async delayResponse(ms: number, entry: NewEntry, persisted?: Promise<void>): Promise<void> {
    this.delayedRequests.add(entry);
    try {
      if (ms > 0 && !this.#hasEnded) await this.#wait(ms);
      await persisted;
    } finally {
      this.delayedRequests.delete(entry);
    }
  }

  /**
   * Calls the listener once when the project ends, or at once if it has. `requestId`: the request whose response is held
   * back until then. Returns a function that unsubscribes.
   */
  onEnd(listener: () => void, requestId?: string): () => void {
    if (this.#hasEnded) listener();
    else this.#endListeners.set(listener, requestId);
    return () => this.#endListeners.delete(listener);
  }

  isDisposed(): boolean {
    return this.#hasEnded;
  }

  /** Whether the response to a request is held back by a rule, and its client still waits for it. */
  holdsResponse(requestId: string): boolean {
    return [...this.#endListeners.values()].includes(requestId);
  }

  /** Whether nothing is pending, and nobody waits. */
  isIdle(): boolean {
    return this.usage.pending === 0 && this.#endListeners.size === 0;
  }

  /** Ends everything that waits in the project. `reason`: why its listener is gone. */
  dispose(reason?: GoneReason): void {
    this.schedule.dispose();
    this.deliveries.dispose(reason);
    this.#hasEnded = true;
    for (const listener of this.#endListeners.keys()) listener();
    this.#endListeners.clear();
    this.usage.close();
  }

  readonly #trackingId: ActionContext['trackingId'] = (collection, id) =>
    `TRK-${(collection === 'orders' ? this.#ids.orders : this.#ids.jobs).of(id)}`;

  readonly #pendingImports: ActionContext['pendingImports'] = (collection, id) => {
    const { due } = this.state;
    // Created on first use, because most requests name only existing ids.
    if (this.#imports?.due !== due) this.#imports = createPendingImports(due);
    return this.#imports.of(collection, id);
  };

  /** Runs one due item at the project's time `now`. Returns a promise if something is sent. */
  #run(what: DueWork, now: number): RunResult | Promise<RunResult> {
    this.#changes.begin();
    switch (what.kind) {
      case 'deferredCommand':
        this.#runCommand(what.deferredCommand, now);
        return { processed: 1, delivered: 0 };
      case 'release':
        this.deliveries.release(what, now);
        return { processed: 0, delivered: 0 };
      case 'attempt':
        return this.deliveries.run(what, now);
      default:
        return what satisfies never;
    }
  }

  /** Applies a deferred command to the records. Its failures raise callbacks. */
  #runCommand(accepted: DeferredCommand, now: number): void {
    const bytes = this.usage.release(accepted);
    // A write of the project file may still read the original entries.
    const deferred = this.#changes.isStored ? copyEntries(accepted) : accepted;
    const { records, ruleCounts: counts, clock } = this.state;
    const { wall, format } = this.#options;
    const server = { counts: this.#events.serverCounts(), wallMs: wall.now(), clockRate: rateOf(clock) };
    const context = { counts, server, now, nextChange: () => this.nextChangeNumber() };
    const applied = applyCommand(deferred, toRecordReader(records), this.actionContext(now), context, format);
    const { writes, warnings, raised, failed } = applied;
    const { requestId, operation, command, failures } = deferred;
    const entries = command.entries.length + failures.length;
    this.advances.note({ kind: 'command', at: now, operation, requestId, entries, failed: failed.length });
    const { replaced, size } = this.commit(writes, bytes);
    for (const { rule, change } of raised) if (rule?.countsCallbacks) this.#events.ruleFired?.(change);
    for (const one of raised) this.deliveries.raise({ ...one, fault: one.rule?.fault }, now);
    this.#events.commandApplied(requestId, { writes, replaced, size, atMs: now, failed }, warnings);
  }

  #wait(ms: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        unsubscribe();
        resolve();
      };
      const cancel = this.#options.wall.after(ms, end);
      const unsubscribe = this.onEnd(end);
    });
  }
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
