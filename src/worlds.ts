/** All worlds of a server by project: made at the first write, reset, and let go when there are too many. */

import { createHash } from './base/random.ts';
import type { Callback } from './callbacks/callback.ts';
import type { Journal } from './journal/journal.ts';
import type { KeptWorlds } from './kept-worlds.ts';
import type { RuleSet } from './scenarios/compile.ts';
import { type CompiledScenario, createRuleSet } from './scenarios/compile.ts';
import { createWorld, type World, type WorldSetting } from './world.ts';
import type { Pending } from './world-data.ts';

/** How many worlds are kept; beyond them, the least recently used goes. */
export const mostWorlds = 1000;

/** What is about to be lost of a project. */
export type Loss = 'everything' | 'own scenarios' | 'server scenarios';

export interface Worlds {
  /** The project's world, made where there is none yet. */
  open(project: string): World;
  /** The project's world, if it has one, or one is kept. */
  find(project: string): World | undefined;
  list(): readonly World[];
  /** Puts the project back to what the options say; tells what was cancelled. */
  reset(project: string): Pending;
  /** The how-manieth it was to be made: its place in the list, whichever others go. */
  ordinalOf(world: World): number;
  /** Puts every project back, and answers whoever waits for anything. */
  resetAll(): readonly Pending[];
  /** The rules in force for a project, those of one request's scenario in front; without one, those for all projects. */
  rulesOf(world: World | undefined, header?: CompiledScenario): RuleSet;
  /** Switched on for all projects, nearest first. */
  readonly serverScenarios: readonly CompiledScenario[];
  /** Those that were switched on for all projects when this one began. */
  scenariosAtBegin(world: World): readonly CompiledScenario[];
  /**
   * Switches these on for all projects, in place of those before; their rules count from nothing. `note` is told of each
   * project that there is, just before, and gives back its now in milliseconds.
   */
  switchForAll(scenarios: readonly CompiledScenario[], note: (world: World) => number): void;
  /** Where this world was let go while it was being used, the one that has taken its place. */
  current(world: World): World;
  /** Resolves when all that has changed in a project, or in all, is kept; undefined where there is nothing to wait for. */
  kept(project?: string): Promise<void> | undefined;
  /** In force behind all others. */
  readonly magicIds: CompiledScenario | undefined;
  /** Calls back at every change of a callback. */
  onCallback(listener: (project: string, callback: Callback) => void): () => void;
  /** Calls back whenever an instruction was carried out. */
  onCarriedOut(listener: (project: string) => void): () => void;
  /**
   * Calls back when evidence of a project is about to be lost: all of it, since it is reset or let go, or what was
   * counted for its own scenarios or for those of all projects, since others are switched on in their place.
   */
  onLoss(listener: (world: World, what: Loss) => void): () => void;
  /** Calls back when this project was reset, or all of them; without a project only when all were. */
  onReset(project: string | undefined, listener: () => void): () => void;
  /** Lets worlds that were kept go on, before anybody asks for them. */
  wake(): void;
  dispose(): void;
}

interface Parts {
  readonly setting: WorldSetting;
  readonly journal: Journal;
  /** Notes a bug of ours. */
  bug(error: unknown): void;
  /** Switched on for all projects at the start and after a reset of all, nearest first. */
  readonly serverScenarios: readonly CompiledScenario[];
  /** In force behind all others. */
  readonly magicIds: CompiledScenario | undefined;
  /** Told of a project that went because there were too many. */
  letGo?(project: string): void;
  /** Where worlds are kept beside the memory. */
  readonly keptWorlds?: KeptWorlds;
}

export function createWorlds(parts: Parts): Worlds {
  const { setting, journal, serverScenarios: atStart, magicIds, bug, letGo, keptWorlds } = parts;
  const worlds = new Map<string, World>();
  const callbackListeners = new Set<(project: string, callback: Callback) => void>();
  const carriedOutListeners = new Set<(project: string) => void>();
  const resetListeners = new Set<(project: string | undefined) => void>();
  const lossListeners = new Set<(world: World, what: Loss) => void>();
  const usedAt = new WeakMap<World, number>();
  let uses = 0;
  const ordinals = new WeakMap<World, number>();
  let made = 0;
  const rules = new WeakMap<World, { scenarios: readonly CompiledScenario[]; forAll: RuleSet; set: RuleSet }>();
  const headerRules = new WeakMap<RuleSet, WeakMap<CompiledScenario, RuleSet>>();
  const letGone = new WeakSet<World>();
  const begunWith = new WeakMap<World, readonly CompiledScenario[]>();
  let serverScenarios = atStart;
  let rulesForAll = createRuleSet(toCommon());
  let namesForAll = toNames(atStart);

  function toCommon() {
    return [
      { scope: 'server', scenarios: serverScenarios },
      { scope: 'magic-ids', scenarios: magicIds ? [magicIds] : [] },
    ] as const;
  }

  function setForAll(scenarios: readonly CompiledScenario[]): void {
    serverScenarios = scenarios;
    rulesForAll = createRuleSet(toCommon());
    namesForAll = toNames(scenarios);
  }

  function make(project: string): World {
    const left = keptWorlds?.take(project);
    const events = {
      callback: (callback: Callback) => {
        for (const listener of callbackListeners) listener(project, callback);
      },
      bug,
      carriedOut: () => {
        for (const listener of carriedOutListeners) listener(project);
      },
      remark: (requestId: string, warnings: readonly string[]) =>
        void journal.find(project, requestId)?.warnings.push(...warnings),
      switching: () => tellLoss(world, 'own scenarios'),
    };
    const world = createWorld(project, setting, events, left, keptWorlds?.keepingOf(project));
    if (!left) world.data.serverScenarios = namesForAll;
    // What was counted for others is nothing to these.
    else if (left.data.serverScenarios !== namesForAll) world.beginServerScenarios(world.now(), namesForAll);
    keptWorlds?.hold(world);
    return world;
  }

  /** Who looks at a project uses it, too. */
  function find(project: string): World | undefined {
    const known = worlds.get(project);
    if (known) usedAt.set(known, ++uses);
    return known ?? (keptWorlds?.has(project) ? add(project) : undefined);
  }

  function open(project: string): World {
    return find(project) ?? add(project);
  }

  function add(project: string): World {
    // Before another goes for it: what is kept of it may be damaged.
    const world = make(project);
    if (worlds.size >= mostWorlds) {
      const oldest = leastRecentlyUsed();
      letGone.add(oldest);
      drop(oldest.id);
      keptWorlds?.letGo(oldest.id);
      letGo?.(oldest.id);
    }
    worlds.set(project, world);
    begunWith.set(world, serverScenarios);
    ordinals.set(world, ++made);
    usedAt.set(world, ++uses);
    return world;
  }

  function leastRecentlyUsed(): World {
    const age = (world: World) => usedAt.get(world) ?? 0;
    return [...worlds.values()].reduce((oldest, world) => (age(world) < age(oldest) ? world : oldest));
  }

  function drop(project: string): void {
    const world = worlds.get(project);
    if (world) tellLoss(world, 'everything');
    world?.dispose();
    worlds.delete(project);
    journal.forget(project);
    tellReset(project);
  }

  function tellLoss(world: World, what: Loss): void {
    for (const listener of lossListeners) listener(world, what);
  }

  function tellReset(project: string | undefined): void {
    for (const listener of resetListeners) listener(project);
  }

  function reset(project: string): Pending {
    const cancelled = find(project)?.pending() ?? { instructions: 0, callbacks: 0 };
    drop(project);
    keptWorlds?.forget(project);
    return cancelled;
  }

  function rulesOf(world: World | undefined, header?: CompiledScenario): RuleSet {
    if (!world) return rulesForAll;
    let known = rules.get(world);
    if (known?.scenarios !== world.scenarios || known.forAll !== rulesForAll) {
      const set = createRuleSet([{ scope: 'project', scenarios: world.scenarios }, ...toCommon()]);
      known = { scenarios: world.scenarios, forAll: rulesForAll, set };
      rules.set(world, known);
    }
    if (!header) return known.set;
    const byHeader = headerRules.get(known.set) ?? new WeakMap<CompiledScenario, RuleSet>();
    headerRules.set(known.set, byHeader);
    const ready = byHeader.get(header);
    if (ready) return ready;
    const set = createRuleSet([
      { scope: 'header', scenarios: [header] },
      { scope: 'project', scenarios: world.scenarios },
      ...toCommon(),
    ]);
    byHeader.set(header, set);
    return set;
  }

  return {
    open,
    find,
    ordinalOf: (world) => ordinals.get(world) ?? 0,
    list: () => [...worlds.values()],
    reset,
    resetAll: () => {
      const cancelled = [...worlds.keys()].map(reset);
      keptWorlds?.forgetAll();
      setForAll(atStart);
      tellReset(undefined);
      return cancelled;
    },
    rulesOf,
    get serverScenarios() {
      return serverScenarios;
    },
    scenariosAtBegin: (world) => begunWith.get(world) ?? [],
    switchForAll: (scenarios, note) => {
      const names = toNames(scenarios);
      for (const world of worlds.values()) {
        tellLoss(world, 'server scenarios');
        world.beginServerScenarios(note(world), names);
      }
      setForAll(scenarios);
    },
    current: (world) => (keptWorlds && letGone.has(world) ? open(world.id) : world),
    kept: (project) => keptWorlds?.kept(project),
    magicIds,
    onCallback: (listener) => {
      callbackListeners.add(listener);
      return () => callbackListeners.delete(listener);
    },
    onCarriedOut: (listener) => {
      carriedOutListeners.add(listener);
      return () => carriedOutListeners.delete(listener);
    },
    onLoss: (listener) => {
      lossListeners.add(listener);
      return () => lossListeners.delete(listener);
    },
    onReset: (project, listener) => {
      const hear = (name: string | undefined): void => {
        if (name === undefined || name === project) listener();
      };
      resetListeners.add(hear);
      return () => resetListeners.delete(hear);
    },
    wake: () => {
      for (const project of keptWorlds?.found ?? []) find(project);
    },
    dispose: () => {
      for (const world of worlds.values()) world.dispose();
      tellReset(undefined);
    },
  };
}

/** Names scenarios by all that they say: the same again have the same name. */
function toNames(scenarios: readonly CompiledScenario[]): string {
  return createHash('scenarios').of(JSON.stringify(scenarios.map(({ source }) => source)));
}
