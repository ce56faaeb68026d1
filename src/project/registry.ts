/**
 * Holds all projects of a server: creates them at the first request with a valid key, resets them, and evicts idle ones when there are too
 * many.
 */
import { EventEmitter } from 'node:events';
import type { Attempt, Callback } from '../callbacks/callback.ts';
import type { GoneReason } from '../callbacks/listener.ts';
import { addAppliedTo, type Journal } from '../journal/journal.ts';
import type { Problem } from '../lib/problem.ts';
import type { CompiledScenario, RuleSet } from '../scenarios/compile.ts';
import type { RuleCounts } from '../scenarios/counts.ts';
import { countFiringsBefore } from '../scenarios/expect.ts';
import type { Evaluation } from '../scenarios/explain.ts';
import type { ProjectStore } from './persistence/project-store.ts';
import { Project, type ProjectEvents, type ProjectOptions, type SavedProject } from './project.ts';
import { RuleSets } from './rule-sets.ts';
import type { PendingCounts } from './state.ts';

/** Maximum number of projects. Beyond it, the registry evicts the least recently used idle project. */
export const maxProjects = 1000;

/** Data of a project that is about to be discarded. */
export type Discarded =
  | { readonly what: 'everything' | 'server scenarios' }
  | { readonly what: 'own scenarios'; readonly scenarios: readonly CompiledScenario[] };

interface Parts {
  readonly options: ProjectOptions;
  readonly journal: Journal;
  reportError(error: unknown): void;
  /** Scenarios for all projects at the start and after a reset of all projects, highest precedence first. */
  readonly serverScenarios: readonly CompiledScenario[];
  /** Scenario of the magic ids, with the lowest precedence. */
  readonly magicIds: CompiledScenario | undefined;
  /** Whether the registry may evict an idle project that has no file. */
  readonly evictsWithoutFiles?: boolean;
  /** Whether the memory in use is within the limit of the server. */
  hasRoom?(): boolean;
  onEvict?(project: string): void;
  /** Stores projects on disk, if the server has a data folder. */
  readonly store?: ProjectStore;
}

/** A request that rules saw, and how far each came. */
export interface EvaluatedRequest {
  readonly project: string;
  readonly request: string;
  readonly set: RuleSet;
  readonly evaluation: Evaluation;
}

interface RegistryEvents {
  /** At every change of a callback. `made`: its new attempt. */
  callback: [project: string, callback: Callback, made: Attempt | undefined];
  /** After a deferred command was applied. */
  commandApplied: [project: string, requestId: string];
  /**
   * Before evidence of a project is discarded: all of it when the project is reset or evicted, or only the counts of its
   * own or of the server scenarios when other scenarios replace them.
   */
  discard: [project: Project, discarded: Discarded];
  /** After the rules were evaluated for a request. */
  evaluated: [request: EvaluatedRequest];
  /** After a project was reset or evicted, or undefined: all were reset. */
  reset: [project: string | undefined];
}

export class ProjectRegistry {
  /** Scenario of the magic ids, with the lowest precedence. */
  readonly magicIds: CompiledScenario | undefined;
  readonly #parts: Parts;
  readonly #projects = new Map<string, Project>();
  /** Projects in the order of their last use, least recently used first. */
  readonly #byUse = new Set<Project>();
  /** Number of requests in each project. */
  readonly #entered = new Map<string, number>();
  readonly #rules: RuleSets;
  // Each waiting client listens, so there is no useful maximum.
  readonly #events = new EventEmitter<RegistryEvents>().setMaxListeners(0);
  /** Whether idle projects stay, because their data would be lost. */
  readonly #keepsIdle: boolean;
  #createdCount = 0;
  #evictedCount = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.magicIds = parts.magicIds;
    this.#rules = new RuleSets(parts.serverScenarios, parts.magicIds);
    this.#keepsIdle = !parts.store && parts.evictsWithoutFiles === false;
  }

  /** Returns the project, and creates it if it does not exist. */
  open(project: string): Project {
    return this.find(project) ?? this.#add(project);
  }

  /** Returns the project, or undefined if it is neither in memory nor in a file. This counts as using it. */
  find(project: string): Project | undefined {
    const existing = this.#projects.get(project);
    if (existing) this.#use(existing);
    return existing ?? (this.#parts.store?.has(project) ? this.#add(project) : undefined);
  }

  /** Returns the project if it is in memory. This does not count as using it. */
  peek(project: string): Project | undefined {
    return this.#projects.get(project);
  }

  /**
   * Begins a request in a project, which is not evicted until `leave`. If it is in a file only, returns a promise, and reads
   * the file in slices.
   */
  enter(project: string): Promise<void> | undefined {
    this.#entered.set(project, (this.#entered.get(project) ?? 0) + 1);
    return this.#projects.has(project) ? undefined : this.#parts.store?.readAhead(project);
  }

  /** Ends a request in a project. */
  leave(project: string): void {
    const others = (this.#entered.get(project) ?? 1) - 1;
    if (others > 0) this.#entered.set(project, others);
    else this.#entered.delete(project);
  }

  /** Whether the project is in memory or in a file. This does not count as using it. */
  has(project: string): boolean {
    return this.#projects.has(project) || this.#parts.store?.has(project) === true;
  }

  /** Yields the ids of all projects, in memory or in files. */
  *ids(): Generator<string> {
    yield* this.#projects.keys();
    for (const id of this.#parts.store?.ids() ?? []) if (!this.#projects.has(id)) yield id;
  }

  /** Returns the projects in memory. */
  list(): readonly Project[] {
    return [...this.#projects.values()];
  }

  evictedCount(): number {
    return this.#evictedCount;
  }

  /** Adds a project that does not exist, with this state. */
  addFork(project: string, fork: SavedProject): Project {
    return this.#add(project, fork);
  }

  /** Returns the problem if there are too many projects and none is idle, so that this one cannot be opened. */
  checkCapacity(project: string): Problem | undefined {
    if (this.#projects.size < maxProjects || this.#projects.has(project)) return undefined;
    if (!this.#idleProjects().next().done) return undefined;
    const max = maxProjects.toLocaleString('en');
    const why = this.#keepsIdle ? 'drops none, because their data would be lost' : 'none is idle';
    return {
      kind: 'full',
      message: `the server holds ${max} projects, the maximum, and ${why}; reset projects that are no longer needed`,
    };
  }

  /** Evicts idle projects, of all or only of some, least recently used first, until `bytes` are free. */
  evictIdle(bytes: number, of?: ReadonlySet<string>): void {
    let freed = 0;
    for (const project of this.#idleProjects()) {
      if (freed >= bytes) return;
      if (of?.has(project.id) === false) continue;
      freed += project.usage.bytes + this.#parts.journal.bytes(project.id);
      this.#evict(project);
    }
  }

  /**
   * Removes a project in which nothing has happened but one request that is refused now. Returns whether it did.
   * `changes`: the number that the project then has of changes.
   */
  undo(project: Project, changes: 0 | 1): boolean {
    const { id, state } = project;
    // After a reset, another project may have its id.
    const isCurrent = this.#projects.get(id) === project;
    const isUnused = state.changeCount === changes && project.isIdle() && this.#entered.get(id) === 1;
    if (!isCurrent || !isUnused) return false;
    this.#forget(id);
    return true;
  }

  /** Drops a project that another server owns now, without a change of what is stored. */
  lose(project: string): void {
    this.#drop(project);
    this.#events.emit('reset', project);
  }

  /** Resets the project to the configured options. Returns the counts of what was cancelled. */
  reset(project: string): PendingCounts {
    const cancelled = this.find(project)?.pending() ?? { instructions: 0, callbacks: 0 };
    this.#parts.journal.dropStrays(project);
    this.#forget(project, 'reset');
    return cancelled;
  }

  /** Resets all projects, and ends everything that waits in them. */
  resetAll(): readonly PendingCounts[] {
    const cancelled = [...this.#projects.keys()].map((project) => this.reset(project));
    this.#parts.journal.dropStrays();
    this.#parts.store?.forgetAll();
    this.resetServerScenarios();
    this.#events.emit('reset', undefined);
    return cancelled;
  }

  /** Activates the server scenarios of the options. Projects do not record that: they are reset too. */
  resetServerScenarios(): void {
    this.#rules.setServerScenarios(this.#parts.serverScenarios);
  }

  /** Returns the rules for a project, after those of the request's own scenario; without a project, those for all. */
  rulesOf(project: Project | undefined, header?: CompiledScenario): RuleSet {
    return this.#rules.rulesOf(project, header);
  }

  /** Scenarios activated for all projects, highest precedence first. */
  get serverScenarios(): readonly CompiledScenario[] {
    return this.#rules.serverScenarios;
  }

  /** Counts of server scenarios over all projects. */
  get serverCounts(): RuleCounts {
    return this.#rules.serverCounts;
  }

  /**
   * Replaces the server scenarios and starts their counts at zero. Before that, calls `beforeActivate` for each project
   * in memory, which returns the time of the activation in milliseconds.
   */
  activateForAll(scenarios: readonly CompiledScenario[], beforeActivate: (project: Project) => number): void {
    const changes = this.list().map((project) => {
      this.#events.emit('discard', project, { what: 'server scenarios' });
      return { project, atMs: beforeActivate(project) };
    });
    this.#rules.setServerScenarios(scenarios);
    for (const { project, atMs } of changes) project.activateServerScenarios(atMs, this.#rules.serverKey);
  }

  /** Resolves when the changes of one project, or of all, are written. Returns undefined if all are. */
  persisted(project?: string): Promise<void> | undefined {
    return this.#parts.store?.persisted(project);
  }

  /** Calls the listener at every event of a kind. Returns a function that unsubscribes. */
  on<Kind extends keyof RegistryEvents>(kind: Kind, listener: (...args: RegistryEvents[Kind]) => void): () => void {
    // The compiler cannot relate a generic event to its listener.
    const emitter: EventEmitter = this.#events;
    emitter.on(kind, listener);
    return () => emitter.off(kind, listener);
  }

  reportEvaluated(request: EvaluatedRequest): void {
    this.#events.emit('evaluated', request);
  }

  /** Loads the projects that have files, so that their due work runs before the first request to them. */
  resumeSaved(): void {
    for (const project of this.#parts.store?.found ?? []) this.find(project);
  }

  dispose(): void {
    for (const project of this.#projects.values()) project.dispose('stopping');
    this.#events.emit('reset', undefined);
  }

  #add(project: string, fork?: SavedProject): Project {
    // Create first: if the file of this project cannot be read, no other project is evicted.
    const created = this.#create(project, fork);
    const oldest = this.#projects.size >= maxProjects ? this.#idleProjects().next().value : undefined;
    if (oldest) this.#evict(oldest);
    this.#projects.set(project, created);
    this.#createdCount += 1;
    created.creationIndex = this.#createdCount;
    created.initialServerScenarios = this.#rules.serverScenarios;
    // A project that was read from its file is in memory already; evict others to make room for it.
    if (this.#parts.hasRoom?.() === false) this.evictIdle(created.usage.bytes);
    this.#use(created);
    return created;
  }

  #create(id: string, fork: SavedProject | undefined): Project {
    const { store, options } = this.#parts;
    const { serverKey } = this.#rules;
    const saved = fork ?? store?.take(id);
    const tracker = store?.trackerOf(id);
    const created: Project = new Project(
      id,
      options,
      this.#eventsOf(id, () => created),
      saved,
      tracker,
    );
    if (!saved) created.state.serverScenarios = serverKey;
    // The saved counts belong to other server scenarios, so start them at zero.
    else if (saved.state.serverScenarios !== serverKey) created.activateServerScenarios(created.now(), serverKey);
    store?.attach(created);
    // A fork has no file yet.
    if (fork) tracker?.changed();
    return created;
  }

  #eventsOf(id: string, project: () => Project): ProjectEvents {
    const { journal, reportError } = this.#parts;
    return {
      callback: (callback, made) => this.#events.emit('callback', id, callback, made),
      reportError,
      commandApplied: (requestId, applied, warnings) => {
        if (!journal.addApplied(id, requestId, applied, warnings)) {
          // A request whose response is delayed gets into the journal after it.
          const delayed = [...project().delayedRequests].find((one) => one.id === requestId);
          if (delayed) addAppliedTo(delayed, applied, warnings);
        }
        this.#events.emit('commandApplied', id, requestId);
      },
      ruleFired: (change) => countFiringsBefore(this.rulesOf(project()).expectations, change, project().state),
      serverCounts: () => this.serverCounts,
      scenariosReplaced: (scenarios) => this.#events.emit('discard', project(), { what: 'own scenarios', scenarios }),
    };
  }

  #use(project: Project): void {
    this.#byUse.delete(project);
    this.#byUse.add(project);
  }

  /** Yields the idle projects, least recently used first. */
  *#idleProjects(): Generator<Project> {
    if (this.#keepsIdle) return;
    for (const project of this.#byUse) if (project.isIdle() && !this.#entered.has(project.id)) yield project;
  }

  #evict(project: Project): void {
    this.#evictedCount += 1;
    this.lose(project.id);
    this.#parts.store?.release(project.id);
    this.#parts.onEvict?.(project.id);
  }

  #drop(project: string, reason?: GoneReason): void {
    const existing = this.#projects.get(project);
    if (existing) this.#events.emit('discard', existing, { what: 'everything' });
    existing?.dispose(reason);
    this.#projects.delete(project);
    if (existing) this.#byUse.delete(existing);
    this.#parts.journal.drop(project);
  }

  /** Drops a project with what is stored of it. Clients that wait look at it again, so it is gone before the event. */
  #forget(project: string, reason?: GoneReason): void {
    this.#drop(project, reason);
    this.#parts.store?.forget(project);
    this.#events.emit('reset', project);
  }
}
