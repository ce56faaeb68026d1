/**
 * Holds all projects of a server: creates them at the first request with a valid key, resets them, and evicts idle ones when there are too
 * many.
 */
import { EventEmitter } from 'node:events';
import type { Callback } from '../callbacks/callback.ts';
import type { GoneReason } from '../callbacks/listener.ts';
import { addAppliedTo, type Journal } from '../journal/journal.ts';
import type { Problem } from '../lib/problem.ts';
import type { CompiledScenario, RuleSet } from '../scenarios/compile.ts';
import { countFiringsBefore } from '../scenarios/expect.ts';
import type { Evaluation } from '../scenarios/explain.ts';
import type { ProjectStore } from './persistence/project-store.ts';
import { createProject, type Project, type ProjectEvents, type ProjectOptions, type SavedProject } from './project.ts';
import { createRuleSets, type RuleSets } from './rule-sets.ts';
import { firstLine, type PendingCounts } from './state.ts';

/** Maximum number of projects. Beyond it, the registry evicts the least recently used idle project. */
export const maxProjects = 1000;

/** Data of a project that is about to be discarded. */
export type Discarded =
  | { readonly what: 'everything' | 'server scenarios' }
  | { readonly what: 'own scenarios'; readonly scenarios: readonly CompiledScenario[] };

export interface ProjectRegistry extends Pick<RuleSets, 'serverScenarios' | 'serverCounts' | 'rulesOf'> {
  /** Returns the project, and creates it if it does not exist. */
  open(project: string): Project;
  /** Whether the project is in memory or in a file. This does not count as using it. */
  has(project: string): boolean;
  /** Yields the ids of all projects, in memory or in files. */
  ids(): Iterable<string>;
  /** Adds a project that does not exist, with this state. */
  addFork(project: string, fork: SavedProject): Project;
  /** Returns the project, or undefined if it is neither in memory nor in a file. */
  find(project: string): Project | undefined;
  /** Reads the file of a project in slices, so that opening it is quick. Undefined if it is in memory or has none. */
  readAhead(project: string): Promise<void> | undefined;
  /** Returns the problem if there are too many projects and none is idle, so that this one cannot be opened. */
  checkCapacity(project: string): Problem | undefined;
  /** Evicts idle projects except this one, of all or only of some, least recently used first, until `bytes` are free. */
  evictIdle(bytes: number, except: string, of?: ReadonlySet<string>): void;
  evictedCount(): number;
  /** Drops a project that another server owns now, without a change of what is stored. */
  lose(project: string): void;
  /** Returns the project if it is in memory. This does not count as using it. */
  peek(project: string): Project | undefined;
  list(): readonly Project[];
  /** Resets the project to the configured options. Returns the counts of what was cancelled. */
  reset(project: string): PendingCounts;
  /** Returns the position in order of creation, which does not change when other projects are removed. */
  creationIndexOf(project: Project): number;
  /** Resets all projects, and ends everything that waits in them. */
  resetAll(): readonly PendingCounts[];
  /** Returns the server scenarios that were active when this project was created. */
  initialServerScenarios(project: Project): readonly CompiledScenario[];
  /**
   * Replaces the server scenarios and starts their counts at zero. Before that, calls `beforeActivate` for each project
   * in memory, which returns the time of the activation in milliseconds.
   */
  activateForAll(scenarios: readonly CompiledScenario[], beforeActivate: (project: Project) => number): void;
  /** Returns the current project if this one was evicted meanwhile. */
  current(project: Project): Project;
  /** Resolves when the changes of one project, or of all, are written. Returns undefined if all are. */
  persisted(project?: string): Promise<void> | undefined;
  /** Scenario of the magic ids, with the lowest precedence. */
  readonly magicIds: CompiledScenario | undefined;
  /** Calls the listener at every change of a callback. Returns a function that unsubscribes, like all `on…` do. */
  onCallback(listener: (project: string, callback: Callback) => void): () => void;
  /** Calls the listener whenever a deferred command was applied. */
  onCommandApplied(listener: (project: string, requestId: string) => void): () => void;
  /** Calls the listener after the rules were evaluated for a request. */
  onEvaluated(listener: (request: EvaluatedRequest) => void): () => void;
  reportEvaluated(request: EvaluatedRequest): void;
  /**
   * Calls the listener before evidence of a project is discarded: all of it when the project is reset or evicted, or
   * only the counts of its own or of the server scenarios when other scenarios replace them.
   */
  onDiscard(listener: (project: Project, discarded: Discarded) => void): () => void;
  /** Calls the listener when this project or all projects were reset; without a project, only when all were. */
  onReset(project: string | undefined, listener: () => void): () => void;
  /** Loads the projects that have files, so that their due work runs before the first request to them. */
  resumeSaved(): void;
  dispose(): void;
}

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
  /** Whether a client waits for a response of a project. */
  hasWaitingClients?(project: string): boolean;
  /** Whether the memory in use is within the limit of the server. */
  hasRoom?(): boolean;
  onEvict?(project: string): void;
  /** Stores projects on disk, if the server has a data folder. */
  readonly store?: ProjectStore;
}

/** What the registry knows about a project, also after it was evicted. */
interface Registration {
  /** Position in order of creation. */
  readonly index: number;
  readonly initialScenarios: readonly CompiledScenario[];
  isEvicted: boolean;
}

/** A request that rules saw, and how far each came. */
export interface EvaluatedRequest {
  readonly project: string;
  readonly request: string;
  readonly set: RuleSet;
  readonly evaluation: Evaluation;
}

interface RegistryEvents {
  callback: [project: string, callback: Callback];
  commandApplied: [project: string, requestId: string];
  discard: [project: Project, discarded: Discarded];
  evaluated: [request: EvaluatedRequest];
  reset: [project: string | undefined];
}

export function createProjectRegistry(parts: Parts): ProjectRegistry {
  const { options, journal, serverScenarios: configuredScenarios, magicIds, reportError, onEvict, store } = parts;
  const projects = new Map<string, Project>();
  const registrations = new WeakMap<Project, Registration>();
  /** Projects in the order of their last use, least recently used first. */
  const byUse = new Set<Project>();
  const rules = createRuleSets(configuredScenarios, magicIds);
  // Each waiting client listens, so there is no useful maximum.
  const events = new EventEmitter<RegistryEvents>().setMaxListeners(0);
  const keepsIdle = !store && parts.evictsWithoutFiles === false;
  let createdCount = 0;
  let evictedCount = 0;

  function create(project: string, fork: SavedProject | undefined): Project {
    const saved = fork ?? store?.take(project);
    const tracker = store?.trackerOf(project);
    const projectEvents: ProjectEvents = {
      callback: (callback) => events.emit('callback', project, callback),
      reportError,
      commandApplied: (requestId, applied, warnings) => {
        if (!journal.addApplied(project, requestId, applied, warnings)) {
          // A request whose response is delayed gets into the journal after it.
          const delayed = [...created.delayedRequests].find(({ id }) => id === requestId);
          if (delayed) addAppliedTo(delayed, applied, warnings);
        }
        events.emit('commandApplied', project, requestId);
      },
      ruleFired: (change) => countFiringsBefore(rules.rulesOf(created).expectations, change, created.state),
      serverCounts: () => rules.serverCounts,
      scenariosReplaced: (scenarios) => events.emit('discard', created, { what: 'own scenarios', scenarios }),
    };
    const created = createProject(project, options, projectEvents, saved, tracker);
    if (!saved) created.state.serverScenarios = rules.serverKey;
    // The saved counts belong to other server scenarios, so start them at zero.
    else if (saved.state.serverScenarios !== rules.serverKey)
      created.activateServerScenarios(created.now(), rules.serverKey);
    store?.attach(created);
    // A fork has no file yet, and may follow a project of its name.
    if (fork) {
      created.state.lineCount = Math.max(created.state.lineCount, firstLine(options.wall));
      tracker?.changed();
    }
    return created;
  }

  const has = (project: string): boolean => projects.has(project) || store?.has(project) === true;

  function* ids(): Generator<string> {
    yield* projects.keys();
    for (const id of store?.ids() ?? []) if (!projects.has(id)) yield id;
  }

  /** Looking at a project counts as using it. */
  function find(project: string): Project | undefined {
    const existing = projects.get(project);
    if (existing) use(existing);
    return existing ?? (store?.has(project) ? add(project) : undefined);
  }

  function open(project: string): Project {
    return find(project) ?? add(project);
  }

  function add(project: string, fork?: SavedProject): Project {
    // Create first: if the file of this project cannot be read, no other project is evicted.
    const created = create(project, fork);
    const oldest = projects.size >= maxProjects ? idleProjects(project).next().value : undefined;
    if (oldest) evict(oldest);
    projects.set(project, created);
    createdCount += 1;
    registrations.set(created, { index: createdCount, initialScenarios: rules.serverScenarios, isEvicted: false });
    use(created);
    // A project that was read from its file is in memory already; evict others to make room for it.
    if (parts.hasRoom?.() === false) evictIdle(created.usage.bytes, project);
    return created;
  }

  function use(project: Project): void {
    byUse.delete(project);
    byUse.add(project);
  }

  /** Yields the idle projects, least recently used first. */
  function* idleProjects(except: string): Generator<Project> {
    if (keepsIdle) return;
    for (const project of byUse) if (project.id !== except && isIdle(project)) yield project;
  }

  function isIdle(project: Project): boolean {
    const hasWaitingClients = project.hasWaitingClients() || parts.hasWaitingClients?.(project.id) === true;
    return project.usage.pending === 0 && !hasWaitingClients && !project.schedule.isAdvancing();
  }

  function evict(project: Project): void {
    const registration = registrations.get(project);
    if (registration) registration.isEvicted = true;
    evictedCount += 1;
    drop(project.id);
    store?.release(project.id);
    onEvict?.(project.id);
  }

  function lose(project: string): void {
    const registration = registrations.get(projects.get(project) as Project);
    if (registration) registration.isEvicted = true;
    drop(project);
  }

  function evictIdle(bytes: number, except: string, of?: ReadonlySet<string>): void {
    let freed = 0;
    for (const project of idleProjects(except)) {
      if (freed >= bytes) return;
      if (of?.has(project.id) === false) continue;
      freed += project.usage.bytes + journal.bytes(project.id);
      evict(project);
    }
  }

  function checkCapacity(project: string): Problem | undefined {
    if (projects.size < maxProjects || projects.has(project) || !idleProjects(project).next().done) return undefined;
    const max = maxProjects.toLocaleString('en');
    return {
      kind: 'full',
      message: `the server holds ${max} projects, the maximum, and ${keepsIdle ? 'drops none, because their data would be lost' : 'none is idle'}; reset projects that are no longer needed`,
    };
  }

  function drop(project: string, reason?: GoneReason): void {
    const existing = projects.get(project);
    if (existing) events.emit('discard', existing, { what: 'everything' });
    existing?.dispose(reason);
    projects.delete(project);
    if (existing) byUse.delete(existing);
    journal.drop(project);
    events.emit('reset', project);
  }

  function reset(project: string): PendingCounts {
    const cancelled = find(project)?.pending() ?? { instructions: 0, callbacks: 0 };
    drop(project, 'reset');
    journal.dropStrays(project);
    store?.forget(project);
    return cancelled;
  }

  function resetAll(): readonly PendingCounts[] {
    const cancelled = [...projects.keys()].map(reset);
    journal.dropStrays();
    store?.forgetAll();
    rules.setServerScenarios(configuredScenarios);
    events.emit('reset', undefined);
    return cancelled;
  }

  function activateForAll(scenarios: readonly CompiledScenario[], beforeActivate: (project: Project) => number): void {
    const changes = [...projects.values()].map((project) => {
      events.emit('discard', project, { what: 'server scenarios' });
      return { project, atMs: beforeActivate(project) };
    });
    rules.setServerScenarios(scenarios);
    for (const { project, atMs } of changes) project.activateServerScenarios(atMs, rules.serverKey);
  }

  function subscribe<Kind extends keyof RegistryEvents>(
    kind: Kind,
    listener: (...args: RegistryEvents[Kind]) => void,
  ): () => void {
    // The compiler cannot relate a generic event to its listener.
    const emitter: EventEmitter = events;
    emitter.on(kind, listener);
    return () => emitter.off(kind, listener);
  }

  return {
    open,
    has,
    ids,
    addFork: add,
    find,
    readAhead: (project) => (projects.has(project) ? undefined : store?.readAhead(project)),
    checkCapacity,
    evictIdle,
    evictedCount: () => evictedCount,
    lose,
    peek: (project) => projects.get(project),
    creationIndexOf: (project) => registrations.get(project)?.index ?? 0,
    list: () => [...projects.values()],
    reset,
    resetAll,
    rulesOf: rules.rulesOf,
    get serverScenarios() {
      return rules.serverScenarios;
    },
    get serverCounts() {
      return rules.serverCounts;
    },
    initialServerScenarios: (project) => registrations.get(project)?.initialScenarios ?? [],
    activateForAll,
    current: (project) => (registrations.get(project)?.isEvicted ? open(project.id) : project),
    persisted: (project) => store?.persisted(project),
    magicIds,
    onCallback: (listener) => subscribe('callback', listener),
    onCommandApplied: (listener) => subscribe('commandApplied', listener),
    onEvaluated: (listener) => subscribe('evaluated', listener),
    reportEvaluated: (request) => void events.emit('evaluated', request),
    onDiscard: (listener) => subscribe('discard', listener),
    onReset: (project, listener) =>
      subscribe('reset', (name) => {
        if (name === undefined || name === project) listener();
      }),
    resumeSaved: () => {
      for (const project of store?.found ?? []) find(project);
    },
    dispose: () => {
      for (const project of projects.values()) project.dispose('stopping');
      events.emit('reset', undefined);
    },
  };
}
