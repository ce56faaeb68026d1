/**
 * Holds all projects of a server: creates them at the first write, resets them, and evicts idle ones when there are too
 * many.
 */

import type { Callback } from '../callbacks/callback.ts';
import type { Journal } from '../journal/journal.ts';
import type { Problem } from '../lib/problem.ts';
import { createHash } from '../lib/random.ts';
import type { RuleSet } from '../scenarios/compile.ts';
import { type CompiledScenario, createRuleSet } from '../scenarios/compile.ts';
import { countFiringsBefore } from '../scenarios/expect.ts';
import type { ProjectStore } from './persistence/project-store.ts';
import { createProject, type Project, type ProjectOptions } from './project.ts';
import type { PendingCounts } from './state.ts';

/** Maximum number of projects. Beyond it, the registry evicts the least recently used idle project. */
export const maxProjects = 1000;

/** Data of a project that is about to be discarded. */
export type Discarded = 'everything' | 'own scenarios' | 'server scenarios';

export interface ProjectRegistry {
  /** Returns the project, and creates it if it does not exist. */
  open(project: string): Project;
  /** Returns the project, or undefined if it is neither in memory nor in a file. */
  find(project: string): Project | undefined;
  /**
   * Reads the file of a project in slices, so that opening the project is quick. Returns undefined if the project is in
   * memory or has no file.
   */
  readAhead(project: string): Promise<void> | undefined;
  /**
   * Returns the problem if the project cannot be opened because there are too many projects and none is idle, or
   * undefined.
   */
  refuse(project: string): Problem | undefined;
  /** Evicts idle projects except this one, least recently used first, until `bytes` bytes are free. */
  evictIdle(bytes: number, except: string): void;
  /** Number of projects evicted so far. */
  evictedCount(): number;
  /** Returns the project if it is in memory. This does not count as using it. */
  peek(project: string): Project | undefined;
  list(): readonly Project[];
  /** Resets the project to the configured options. Returns the counts of what was cancelled. */
  reset(project: string): PendingCounts;
  /**
   * Returns the position of the project in order of creation, which does not change when other projects are removed.
   */
  creationIndexOf(project: Project): number;
  /** Resets all projects, and ends everything that waits in them. */
  resetAll(): readonly PendingCounts[];
  /**
   * Returns the rules for a project, preceded by the rules of the request's own scenario (`header`). Without a project,
   * returns the rules for all projects.
   */
  rulesOf(project: Project | undefined, header?: CompiledScenario): RuleSet;
  /** Scenarios activated for all projects, highest precedence first. */
  readonly serverScenarios: readonly CompiledScenario[];
  /** Returns the server scenarios that were active when this project was created. */
  initialServerScenarios(project: Project): readonly CompiledScenario[];
  /**
   * Replaces the server scenarios and starts their counts at zero. Before that, calls `beforeActivate` for each project
   * in memory, which returns the time of the activation in milliseconds.
   */
  activateForAll(scenarios: readonly CompiledScenario[], beforeActivate: (project: Project) => number): void;
  /** Returns the current project if this one was evicted meanwhile. */
  current(project: Project): Project;
  /**
   * Resolves when all changes of one project, or of all projects, are written. Returns undefined if nothing is to be
   * written.
   */
  persisted(project?: string): Promise<void> | undefined;
  /** Scenario of the magic ids, with the lowest precedence. */
  readonly magicIds: CompiledScenario | undefined;
  /**
   * Calls the listener at every change of a callback. Returns a function that unsubscribes, as the other `on…`
   * functions do.
   */
  onCallback(listener: (project: string, callback: Callback) => void): () => void;
  /** Calls the listener whenever a deferred command was applied. */
  onCommandApplied(listener: (project: string) => void): () => void;
  /**
   * Calls the listener before evidence of a project is discarded: all of it when the project is reset or evicted, or
   * only the counts of its own or of the server scenarios when other scenarios replace them.
   */
  onDiscard(listener: (project: Project, what: Discarded) => void): () => void;
  /** Calls the listener when this project or all projects were reset; without a project, only when all were. */
  onReset(project: string | undefined, listener: () => void): () => void;
  /** Loads the projects that have files, so that their due work runs before the first request to them. */
  resumeSaved(): void;
  dispose(): void;
}

interface Parts {
  readonly options: ProjectOptions;
  readonly journal: Journal;
  /** Reports an internal error. */
  bug(error: unknown): void;
  /** Scenarios for all projects at the start and after a reset of all projects, highest precedence first. */
  readonly serverScenarios: readonly CompiledScenario[];
  /** Scenario of the magic ids, with the lowest precedence. */
  readonly magicIds: CompiledScenario | undefined;
  /** Whether the registry may evict an idle project that has no file. */
  readonly evictsWithoutFiles?: boolean;
  /** Whether a client of the control API waits for something in a project. */
  hasWaitingClients?(project: string): boolean;
  /** Whether the memory in use is within the limit of the server. */
  hasRoom?(): boolean;
  /** Called after a project was evicted. */
  onEvict?(project: string): void;
  /** Stores projects on disk, if the server has a data folder. */
  readonly store?: ProjectStore;
}

export function createProjectRegistry(parts: Parts): ProjectRegistry {
  const { options, journal, serverScenarios: configuredScenarios, magicIds, bug, onEvict, store } = parts;
  const projects = new Map<string, Project>();
  const callbackListeners = new Set<(project: string, callback: Callback) => void>();
  const appliedListeners = new Set<(project: string) => void>();
  const resetListeners = new Set<(project: string | undefined) => void>();
  const discardListeners = new Set<(project: Project, what: Discarded) => void>();
  /** Projects in the order of their last use, least recently used first. */
  const byUse = new Set<Project>();
  const creationIndexes = new WeakMap<Project, number>();
  let createdCount = 0;
  let evictedCount = 0;
  const rules = new WeakMap<Project, { scenarios: readonly CompiledScenario[]; serverRules: RuleSet; set: RuleSet }>();
  const headerRules = new WeakMap<RuleSet, WeakMap<CompiledScenario, RuleSet>>();
  const evictedProjects = new WeakSet<Project>();
  const scenariosAtCreation = new WeakMap<Project, readonly CompiledScenario[]>();
  let serverScenarios = configuredScenarios;
  let serverRules = createRuleSet(toServerLayers());
  let serverScenariosKey = toScenariosKey(configuredScenarios);

  function toServerLayers() {
    return [
      { scope: 'server', scenarios: serverScenarios },
      { scope: 'magic-ids', scenarios: magicIds ? [magicIds] : [] },
    ] as const;
  }

  function setServerScenarios(scenarios: readonly CompiledScenario[]): void {
    serverScenarios = scenarios;
    serverRules = createRuleSet(toServerLayers());
    serverScenariosKey = toScenariosKey(scenarios);
  }

  function create(project: string): Project {
    const saved = store?.take(project);
    const events = {
      callback: (callback: Callback) => {
        for (const listener of callbackListeners) listener(project, callback);
      },
      bug,
      commandApplied: () => {
        for (const listener of appliedListeners) listener(project);
      },
      ruleFired: (change: number) => countFiringsBefore(rulesOf(created).expectations, change, created.state),
      warn: (requestId: string, warnings: readonly string[]) => journal.warn(project, requestId, warnings),
      scenariosReplaced: () => notifyDiscard(created, 'own scenarios'),
    };
    const created = createProject(project, options, events, saved, store?.trackerOf(project));
    if (!saved) created.state.serverScenarios = serverScenariosKey;
    // The saved counts are those of other scenarios.
    else if (saved.state.serverScenarios !== serverScenariosKey)
      created.activateServerScenarios(created.now(), serverScenariosKey);
    store?.attach(created);
    return created;
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

  function add(project: string): Project {
    // Create the project before evicting another one: its file may be damaged.
    const created = create(project);
    const oldest = projects.size >= maxProjects ? idleProjects(project).next().value : undefined;
    if (oldest) evict(oldest);
    projects.set(project, created);
    scenariosAtCreation.set(created, serverScenarios);
    creationIndexes.set(created, ++createdCount);
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
    if (!store && parts.evictsWithoutFiles === false) return;
    for (const project of byUse) if (project.id !== except && isIdle(project)) yield project;
  }

  function isIdle(project: Project): boolean {
    const hasWaitingClients = project.hasWaitingClients() || parts.hasWaitingClients?.(project.id) === true;
    return project.usage.pending === 0 && !hasWaitingClients && !project.schedule.isAdvancing();
  }

  function evict(project: Project): void {
    evictedProjects.add(project);
    evictedCount += 1;
    drop(project.id);
    store?.release(project.id);
    onEvict?.(project.id);
  }

  function evictIdle(bytes: number, except: string): void {
    let freed = 0;
    for (const project of idleProjects(except)) {
      if (freed >= bytes) return;
      freed += project.usage.bytes + journal.bytes(project.id);
      evict(project);
    }
  }

  function refuse(project: string): Problem | undefined {
    if (projects.size < maxProjects || projects.has(project) || !idleProjects(project).next().done) return undefined;
    const max = maxProjects.toLocaleString('en');
    return {
      kind: 'full',
      message: `the server holds ${max} projects, and none is idle. Reset those that are no longer needed.`,
    };
  }

  function drop(project: string): void {
    const existing = projects.get(project);
    if (existing) notifyDiscard(existing, 'everything');
    existing?.dispose();
    projects.delete(project);
    if (existing) byUse.delete(existing);
    journal.forget(project);
    notifyReset(project);
  }

  function notifyDiscard(project: Project, what: Discarded): void {
    for (const listener of discardListeners) listener(project, what);
  }

  function notifyReset(project: string | undefined): void {
    for (const listener of resetListeners) listener(project);
  }

  function reset(project: string): PendingCounts {
    const cancelled = find(project)?.pending() ?? { instructions: 0, callbacks: 0 };
    drop(project);
    store?.forget(project);
    return cancelled;
  }

  function rulesOf(project: Project | undefined, header?: CompiledScenario): RuleSet {
    if (!project) return serverRules;
    let cached = rules.get(project);
    if (cached?.scenarios !== project.scenarios || cached.serverRules !== serverRules) {
      const set = createRuleSet([{ scope: 'project', scenarios: project.scenarios }, ...toServerLayers()]);
      cached = { scenarios: project.scenarios, serverRules, set };
      rules.set(project, cached);
    }
    if (!header) return cached.set;
    const byHeader = headerRules.get(cached.set) ?? new WeakMap<CompiledScenario, RuleSet>();
    headerRules.set(cached.set, byHeader);
    const existing = byHeader.get(header);
    if (existing) return existing;
    const set = createRuleSet([
      { scope: 'header', scenarios: [header] },
      { scope: 'project', scenarios: project.scenarios },
      ...toServerLayers(),
    ]);
    byHeader.set(header, set);
    return set;
  }

  return {
    open,
    find,
    readAhead: (project) => (projects.has(project) ? undefined : store?.readAhead(project)),
    refuse,
    evictIdle,
    evictedCount: () => evictedCount,
    peek: (project) => projects.get(project),
    creationIndexOf: (project) => creationIndexes.get(project) ?? 0,
    list: () => [...projects.values()],
    reset,
    resetAll: () => {
      const cancelled = [...projects.keys()].map(reset);
      store?.forgetAll();
      setServerScenarios(configuredScenarios);
      notifyReset(undefined);
      return cancelled;
    },
    rulesOf,
    get serverScenarios() {
      return serverScenarios;
    },
    initialServerScenarios: (project) => scenariosAtCreation.get(project) ?? [],
    activateForAll: (scenarios, beforeActivate) => {
      const key = toScenariosKey(scenarios);
      for (const project of projects.values()) {
        notifyDiscard(project, 'server scenarios');
        project.activateServerScenarios(beforeActivate(project), key);
      }
      setServerScenarios(scenarios);
    },
    current: (project) => (evictedProjects.has(project) ? open(project.id) : project),
    persisted: (project) => store?.persisted(project),
    magicIds,
    onCallback: (listener) => {
      callbackListeners.add(listener);
      return () => callbackListeners.delete(listener);
    },
    onCommandApplied: (listener) => {
      appliedListeners.add(listener);
      return () => appliedListeners.delete(listener);
    },
    onDiscard: (listener) => {
      discardListeners.add(listener);
      return () => discardListeners.delete(listener);
    },
    onReset: (project, listener) => {
      const notify = (name: string | undefined): void => {
        if (name === undefined || name === project) listener();
      };
      resetListeners.add(notify);
      return () => resetListeners.delete(notify);
    },
    resumeSaved: () => {
      for (const project of store?.found ?? []) find(project);
    },
    dispose: () => {
      for (const project of projects.values()) project.dispose();
      notifyReset(undefined);
    },
  };
}

/** Returns a key of the scenarios, derived from their content. The same scenarios have the same key. */
function toScenariosKey(scenarios: readonly CompiledScenario[]): string {
  return createHash('scenarios').of(JSON.stringify(scenarios.map(({ source }) => source)));
}
