/** Stores the available scenarios by name. */
import { didYouMean } from '../lib/nearest.ts';
import { type CompiledScenario, compileScenario } from './compile.ts';
import type { Scenario } from './types.ts';

/** Sources of scenarios. A later source in this list overrides scenarios of the same name. */
export const sources = ['shipped', 'folder', 'option', 'control'] as const;
export type LibrarySource = (typeof sources)[number];

/** Returns the error message for an unknown scenario name. */
export function toUnknownName(name: string, scenarios: readonly { readonly name: string }[]): string {
  const suggestion = didYouMean(
    name,
    scenarios.map((one) => one.name),
  );
  return `there is no scenario ${JSON.stringify(name.slice(0, 64))}${suggestion}; GET /_sandbox/scenarios lists them`;
}

export interface LibraryEntry {
  readonly name: string;
  readonly source: LibrarySource;
  readonly text: string;
  readonly scenario: Scenario;
}

export interface Library {
  list(): readonly LibraryEntry[];
  find(name: string): LibraryEntry | undefined;
  /** Returns the compiled scenario, or undefined if the name is unknown. Compiles each version once. */
  compiled(name: string): Promise<CompiledScenario | undefined>;
  /** Whether the control API may store a scenario of this name: new versions always, others up to the maximum number. */
  hasRoomFor(name: string): boolean;
  /** Stores a scenario. Returns false if the control API has stored the maximum number; new versions are accepted. */
  put(entry: LibraryEntry): boolean;
  /** Removes the scenario of this source, so that the one it overrode is used again. Returns whether it existed. */
  remove(name: string, source: LibrarySource): boolean;
}

/** Maximum number of scenarios stored by the control API. They stay until a client deletes them. */
export const maxStoredScenarios = 1000;

export function createLibrary(initial: readonly LibraryEntry[]): Library {
  const bySource: Readonly<Record<LibrarySource, Map<string, LibraryEntry>>> = {
    shipped: new Map(),
    folder: new Map(),
    option: new Map(),
    control: new Map(),
  };
  const compilations = new WeakMap<LibraryEntry, Promise<CompiledScenario>>();
  const hasRoomFor = (name: string): boolean =>
    bySource.control.size < maxStoredScenarios || bySource.control.has(name);
  const put = (entry: LibraryEntry): boolean => {
    if (entry.source === 'control' && !hasRoomFor(entry.name)) return false;
    bySource[entry.source].set(entry.name, entry);
    return true;
  };
  for (const entry of initial) put(entry);

  function find(name: string): LibraryEntry | undefined {
    return sources.map((source) => bySource[source].get(name)).findLast((entry) => entry !== undefined);
  }

  async function compiled(name: string): Promise<CompiledScenario | undefined> {
    const entry = find(name);
    if (!entry) return undefined;
    const existing = compilations.get(entry);
    if (existing) return existing;
    const compiling = compileScenario(entry.scenario);
    compilations.set(entry, compiling);
    // If the regular expression engine fails to load, the next call retries.
    compiling.catch(() => compilations.delete(entry));
    return compiling;
  }

  return {
    find,
    compiled,
    hasRoomFor,
    put,
    list: () => {
      const names = new Set(sources.flatMap((source) => [...bySource[source].keys()]));
      return [...names].sort().map((name) => find(name) as LibraryEntry);
    },
    remove: (name, source) => bySource[source].delete(name),
  };
}
