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

/** Maximum number of scenarios stored by the control API. They stay until a client deletes them. */
export const maxStoredScenarios = 1000;

/** The scenarios that can be activated by name. */
export class Library {
  readonly #bySource = new Map(sources.map((source) => [source, new Map<string, LibraryEntry>()] as const));
  readonly #compilations = new WeakMap<LibraryEntry, Promise<CompiledScenario>>();

  constructor(initial: readonly LibraryEntry[]) {
    for (const entry of initial) this.put(entry);
  }

  list(): readonly LibraryEntry[] {
    const names = new Set([...this.#bySource.values()].flatMap((entries) => [...entries.keys()]));
    return [...names].sort().map((name) => this.find(name) as LibraryEntry);
  }

  find(name: string): LibraryEntry | undefined {
    return [...this.#bySource.values()].map((entries) => entries.get(name)).findLast((entry) => entry !== undefined);
  }

  /** Returns the compiled scenario, or undefined if the name is unknown. Compiles each version once. */
  async compiled(name: string): Promise<CompiledScenario | undefined> {
    const entry = this.find(name);
    if (!entry) return undefined;
    const existing = this.#compilations.get(entry);
    if (existing) return existing;
    const compiling = compileScenario(entry.scenario);
    this.#compilations.set(entry, compiling);
    // If the regular expression engine fails to load, the next call retries.
    compiling.catch(() => this.#compilations.delete(entry));
    return compiling;
  }

  /** Whether the control API may store a scenario of this name: new versions always, others up to the maximum number. */
  hasRoomFor(name: string): boolean {
    const stored = this.#of('control');
    return stored.size < maxStoredScenarios || stored.has(name);
  }

  put(entry: LibraryEntry): void {
    this.#of(entry.source).set(entry.name, entry);
  }

  /** Removes the scenario of this source, so that the one it overrode is used again. Returns whether it existed. */
  remove(name: string, source: LibrarySource): boolean {
    return this.#of(source).delete(name);
  }

  #of(source: LibrarySource): Map<string, LibraryEntry> {
    return this.#bySource.get(source) as Map<string, LibraryEntry>;
  }
}
