/** The scenarios that there are, by name: shipped ones, those of a folder, those given by option or put by HTTP. */
import { didYouMean } from '../base/nearest.ts';
import { type CompiledScenario, compileScenario } from './compile.ts';
import type { Scenario } from './types.ts';

/** Where a scenario came from; the later in this list, the nearer: it hides others of its name. */
export const sources = ['shipped', 'folder', 'option', 'control'] as const;
export type Source = (typeof sources)[number];

/** What a client is told who names a scenario that is none of these. */
export function toUnknownName(name: string, known: readonly { readonly name: string }[]): string {
  const meant = didYouMean(
    name,
    known.map((one) => one.name),
  );
  return `there is no scenario ${JSON.stringify(name.slice(0, 64))}${meant}; GET /_sandbox/scenarios lists them`;
}

/** One scenario of the library. */
export interface LibraryEntry {
  readonly name: string;
  readonly source: Source;
  readonly text: string;
  readonly scenario: Scenario;
}

export interface Library {
  list(): readonly LibraryEntry[];
  find(name: string): LibraryEntry | undefined;
  /** The scenario, ready to be used. Each text is compiled once. */
  compiled(name: string): Promise<CompiledScenario | undefined>;
  /** Whether it was kept: only so many may be put by HTTP, and a new version of one is always taken. */
  put(entry: LibraryEntry): boolean;
  /** Takes the entry of this source away, so that what it hid is seen again. Whether there was one. */
  remove(name: string, source: Source): boolean;
}

/** How many scenarios that were put by HTTP are kept: nothing else ends them but whoever takes them away. */
export const mostPut = 1000;

/** A library of these to begin with. */
export function createLibrary(initial: readonly LibraryEntry[]): Library {
  const bySource: Readonly<Record<Source, Map<string, LibraryEntry>>> = {
    shipped: new Map(),
    folder: new Map(),
    option: new Map(),
    control: new Map(),
  };
  const ready = new WeakMap<LibraryEntry, Promise<CompiledScenario>>();
  const put = (entry: LibraryEntry): boolean => {
    const own = bySource[entry.source];
    if (entry.source === 'control' && own.size >= mostPut && !own.has(entry.name)) return false;
    own.set(entry.name, entry);
    return true;
  };
  for (const entry of initial) put(entry);

  function find(name: string): LibraryEntry | undefined {
    return sources.map((source) => bySource[source].get(name)).findLast((entry) => entry !== undefined);
  }

  async function compiled(name: string): Promise<CompiledScenario | undefined> {
    const entry = find(name);
    if (!entry) return undefined;
    const known = ready.get(entry) ?? compileScenario(entry.scenario);
    ready.set(entry, known);
    return known;
  }

  return {
    find,
    compiled,
    put,
    list: () => {
      const names = new Set(sources.flatMap((source) => [...bySource[source].keys()]));
      return [...names].sort().map((name) => find(name) as LibraryEntry);
    },
    remove: (name, source) => bySource[source].delete(name),
  };
}
