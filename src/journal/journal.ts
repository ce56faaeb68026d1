/** The journal: stores the latest requests of all projects, and drops the oldest beyond its limits. */
import type { Warning } from '../lib/problem.ts';
import type { Applied } from '../records/applied.ts';
import type { Scenario } from '../scenarios/types.ts';
import { sizeOfValue } from '../usage/size.ts';
import type { SettingEntry } from './control-change.ts';
import type { JournalEntry, JournalItem, NewEntry } from './entry.ts';
import { overhead, sizeOfRequest, sizeOfWarnings } from './entry-size.ts';

export interface JournalLimits {
  readonly entriesPerProject: number;
  readonly bytesPerProject: number;
  readonly bytes: number;
  /** Returns how many bytes a project has left for its requests, in addition to its stored data. */
  readonly roomOf?: (project: string) => number;
  /** Returns the minimum number of the next entry. Default: numbers are consecutive. */
  readonly minNumber?: () => number;
}

export const journalLimits: JournalLimits = {
  entriesPerProject: 1000,
  bytesPerProject: 64 * 1024 ** 2,
  bytes: 512 * 1024 ** 2,
};

/**
 * Returns the limits for a number of requests per project. More requests may also use more memory, up to half of the
 * total: one project must not replace the journals of all others.
 */
export function toJournalLimits(entriesPerProject: number, bytes: number = journalLimits.bytes): JournalLimits {
  const share = Math.max(1, entriesPerProject / journalLimits.entriesPerProject);
  const bytesPerProject = Math.min(journalLimits.bytesPerProject * share, bytes / 2);
  return { entriesPerProject, bytesPerProject, bytes };
}

export interface Journal {
  add(entry: NewEntry): JournalEntry;
  /** Stores a changed setting for recordings. No list shows it. It is dropped with requests of its age. */
  addSetting(project: string, entry: SettingEntry, bytes?: number): void;
  /** Adds what another server has stored of a project, oldest first. Listeners for new entries are not called. */
  restore(project: string, items: readonly JournalItem[]): void;
  /** Calls the listener when something of a project is stored, or changed. Returns a function that unsubscribes it. */
  onStored(listener: (project: string, item: JournalItem) => void): () => void;
  /** Returns the number of the oldest entry of a project that is still stored. */
  oldest(project: string): number | undefined;
  /** Adds what a deferred command of a request did. Returns false if the request is not stored. */
  addApplied(project: string, id: string, applied: Applied, warnings: readonly Warning[]): boolean;
  settings(project: string): readonly SettingEntry[];
  /** Returns the stored requests of one project without stray ones, or all stored requests, oldest first. */
  list(project?: string): readonly JournalEntry[];
  /** Returns the stray requests whose path names a project, oldest first. */
  strays(project: string): readonly JournalEntry[];
  /** Returns the number of stored requests, of one project without stray ones or in total. */
  size(project?: string): number;
  find(project: string, id: string): JournalEntry | undefined;
  /** Returns the number of stored bytes, of one project or in total. */
  bytes(project?: string): number;
  /** Drops the oldest entries, of one project or of all, until at most `bytes` are left. */
  trim(bytes: number, project?: string): void;
  /** Drops what is stored of a project, except for stray requests that name it. */
  drop(project: string): void;
  /** Drops the stray requests that name a project, or all that name one. */
  dropStrays(project?: string): void;
  /** Calls the listener for each new entry. Returns a function that unsubscribes it. */
  subscribe(listener: (entry: JournalEntry) => void): () => void;
}

// Memory of a scenario: its text, and the compiled form that explains requests. Measured on Node 20, rounded up.
const bytesPerCharacter = 4;
const bytesPerRule = 500;

interface Stored {
  readonly number: number;
  size: number;
  readonly request: JournalEntry | undefined;
  readonly setting: SettingEntry | undefined;
}

interface ProjectJournal {
  /** The project, if these are stray requests that name it. */
  readonly strayOf?: string;
  readonly entries: Stored[];
  /** Where the last request was found: deferred commands are applied in the order of their requests. */
  lookedUp: number;
  /** Number of dropped entries at the front of the array, so that dropping one does not move the others. */
  dropped: number;
  requests: number;
  bytes: number;
  /** The last scenario named in a request's header; its size is counted again only if another scenario follows. */
  lastNamed: Scenario | undefined;
}

/** Key for requests that belong to no project; no project can have this id. */
const noProject = '';

/** Maximum numbers of stray requests, so that strangers cannot fill the journal. */
export const maxStraysPerProject = 100;
const maxStrays = 1000;

export function createJournal(limits: JournalLimits = journalLimits): Journal {
  const byProject = new Map<string, ProjectJournal>();
  /** Stray requests by the project that they name; the one that was named last comes last. */
  const strays = new Map<string, ProjectJournal>();
  let strayCount = 0;
  const listeners = new Set<(entry: JournalEntry) => void>();
  const storedListeners = new Set<(project: string, item: JournalItem) => void>();
  const scenarioSizes = new WeakMap<Scenario, number>();
  let number = 0;
  let bytes = 0;

  function dropOldest(journal: ProjectJournal): void {
    const oldest = journal.entries[journal.dropped] as Stored;
    const { size } = oldest;
    if (oldest.request) journal.requests -= 1;
    (journal.entries as (Stored | undefined)[])[journal.dropped] = undefined;
    journal.dropped += 1;
    journal.bytes -= size;
    bytes -= size;
    if (journal.strayOf !== undefined) {
      strayCount -= 1;
      if (journal.requests === 0) strays.delete(journal.strayOf);
    }
    if (journal.dropped < 256 || journal.dropped * 2 < journal.entries.length) return;
    journal.entries.splice(0, journal.dropped);
    journal.dropped = 0;
  }

  function dropStrays(project: string): void {
    const stray = strays.get(project);
    bytes -= stray?.bytes ?? 0;
    strayCount -= stray?.requests ?? 0;
    strays.delete(project);
  }

  function* eachJournal(): Generator<ProjectJournal> {
    yield* byProject.values();
    yield* strays.values();
  }

  function findOldest(): ProjectJournal | undefined {
    let oldest: ProjectJournal | undefined;
    for (const journal of eachJournal()) {
      const first = journal.entries[journal.dropped]?.number ?? Number.POSITIVE_INFINITY;
      if (first < (oldest?.entries[oldest.dropped]?.number ?? Number.POSITIVE_INFINITY)) oldest = journal;
    }
    return oldest;
  }

  /** Drops the oldest entries of all projects until at most `max` bytes are left in total. */
  function dropUntil(max: number): void {
    while (bytes > max) {
      const journal = findOldest();
      if (!journal) return;
      dropOldest(journal);
    }
  }

  function nextNumber(): number {
    return limits.minNumber ? Math.max(number + 1, limits.minNumber()) : number + 1;
  }

  function add(fields: NewEntry): JournalEntry {
    number = nextNumber();
    const entry = Object.assign(fields, { number });
    const name = fields.project ?? noProject;
    const size = sizeOfRequest(entry) + sizeOfNamed(name, entry);
    const stored = { number, size, request: entry, setting: undefined };
    if (fields.project === undefined && fields.namedProject !== undefined) storeStray(fields.namedProject, stored);
    else store(name, stored);
    for (const listener of listeners) listener(entry);
    if (storedListeners.size > 0) notify(name, { number, request: entry });
    return entry;
  }

  function notify(project: string, item: JournalItem): void {
    for (const listener of storedListeners) listener(project, item);
  }

  function restore(project: string, items: readonly JournalItem[]): void {
    for (const item of items) {
      // Later entries of the project follow, so that positions in its lists stay valid.
      number = Math.max(number, item.number);
      if ('setting' in item) store(project, toStoredSetting(item.number, item.setting));
      else {
        const { request } = item;
        const size = sizeOfRequest(request) + sizeOfNamed(project, request);
        store(project, { number: item.number, size, request, setting: undefined });
      }
    }
  }

  function toStoredSetting(at: number, entry: SettingEntry, ownBytes?: number): Stored {
    const { setting } = entry;
    const scenarios = 'scenarios' in setting ? setting.scenarios : [];
    const value = scenarios.length > 0 ? 0 : (ownBytes ?? sizeOfValue(setting));
    const size = overhead + value + scenarios.reduce((sum, one) => sum + sizeOfScenario(one), 0);
    return { number: at, size, request: undefined, setting: entry };
  }

  function createProjectJournal(name: string): ProjectJournal {
    const journal = emptyJournal();
    byProject.set(name, journal);
    return journal;
  }

  function sizeOfNamed(name: string, { evidence: { scenario } }: JournalEntry): number {
    if (!scenario) return 0;
    const journal = byProject.get(name) ?? createProjectJournal(name);
    if (journal.lastNamed === scenario) return 0;
    journal.lastNamed = scenario;
    return sizeOfScenario(scenario);
  }

  /** Computed once per scenario, because serialising a large one takes milliseconds. */
  function sizeOfScenario(scenario: Scenario): number {
    const known = scenarioSizes.get(scenario);
    if (known !== undefined) return known;
    const size = JSON.stringify(scenario).length * bytesPerCharacter + scenario.rules.length * bytesPerRule;
    scenarioSizes.set(scenario, size);
    return size;
  }

  function append(journal: ProjectJournal, stored: Stored): void {
    journal.entries.push(stored);
    journal.bytes += stored.size;
    if (stored.request) journal.requests += 1;
    bytes += stored.size;
  }

  /** Stores a request apart from those of the project that it names, so that it replaces only others of its kind. */
  function storeStray(project: string, stored: Stored): void {
    const journal = strays.get(project) ?? { ...emptyJournal(), strayOf: project };
    strays.delete(project);
    strays.set(project, journal);
    strayCount += 1;
    append(journal, stored);
    if (journal.requests > maxStraysPerProject) dropOldest(journal);
    const [first] = strays.values();
    if (strayCount > maxStrays && first) dropOldest(first);
    dropUntil(limits.bytes);
  }

  function store(name: string, stored: Stored): void {
    const journal = byProject.get(name) ?? createProjectJournal(name);
    append(journal, stored);
    keepWithinLimits(name, journal);
  }

  function keepWithinLimits(name: string, journal: ProjectJournal): void {
    while (
      journal.requests > limits.entriesPerProject ||
      (journal.bytes > limits.bytesPerProject && countOf(journal) > 1)
    )
      dropOldest(journal);
    const room = limits.roomOf?.(name) ?? Number.POSITIVE_INFINITY;
    while (journal.bytes > room && countOf(journal) > 0) dropOldest(journal);
    if (number > 1) dropUntil(limits.bytes);
  }

  function listAll(): readonly JournalEntry[] {
    const all: JournalEntry[] = [];
    for (const journal of eachJournal()) listRequests(all, journal);
    return byProject.size + strays.size > 1 ? all.sort((a, b) => a.number - b.number) : all;
  }

  const allOf = (journal: ProjectJournal | undefined): readonly Stored[] =>
    journal?.entries.slice(journal.dropped) ?? [];
  return {
    add,
    addSetting: (project, entry, ownBytes) => {
      number = nextNumber();
      store(project, toStoredSetting(number, entry, ownBytes));
      notify(project, { number, setting: entry });
    },
    settings: (project) => allOf(byProject.get(project)).flatMap(({ setting }) => setting ?? []),
    list: (project) => (project === undefined ? listAll() : listRequests([], byProject.get(project))),
    size: (project) =>
      project === undefined
        ? [...eachJournal()].reduce((sum, { requests }) => sum + requests, 0)
        : (byProject.get(project)?.requests ?? 0),
    strays: (project) => listRequests([], strays.get(project)),
    find: (project, id) => (findStored(byProject.get(project), id) ?? findStored(strays.get(project), id))?.request,
    addApplied: (project, id, applied, warnings) => {
      const journal = byProject.get(project);
      const stored = findStored(journal, id);
      if (!journal || !stored?.request) return false;
      const added = applied.size + sizeOfWarnings(warnings);
      addAppliedTo(stored.request, applied, warnings);
      stored.size += added;
      journal.bytes += added;
      bytes += added;
      keepWithinLimits(project, journal);
      notify(project, { number: stored.number, request: stored.request });
      return true;
    },
    restore,
    onStored: (listener) => {
      storedListeners.add(listener);
      return () => storedListeners.delete(listener);
    },
    oldest: (project) => allOf(byProject.get(project))[0]?.number,
    bytes: (project) => (project === undefined ? bytes : (byProject.get(project)?.bytes ?? 0)),
    trim: (max, project) => {
      const journal = project === undefined ? undefined : byProject.get(project);
      if (journal) while (journal.bytes > max && countOf(journal) > 0) dropOldest(journal);
      if (project === undefined) dropUntil(max);
    },
    drop: (project) => {
      bytes -= byProject.get(project)?.bytes ?? 0;
      byProject.delete(project);
    },
    dropStrays: (project) => {
      for (const id of project === undefined ? [...strays.keys()] : [project]) dropStrays(id);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function emptyJournal(): ProjectJournal {
  return { entries: [], lookedUp: 0, dropped: 0, requests: 0, bytes: 0, lastNamed: undefined };
}

/** Returns the project with which a request is shown: its own, or the one that its path names. */
export function shownProjectOf({
  project,
  namedProject,
}: Pick<JournalEntry, 'project' | 'namedProject'>): string | undefined {
  return project ?? namedProject;
}

/** Adds the requests of a journal to a list, and returns the list. In a loop, because there may be many. */
function listRequests(list: JournalEntry[], journal: ProjectJournal | undefined): readonly JournalEntry[] {
  if (!journal) return list;
  for (let index = journal.dropped; index < journal.entries.length; index += 1) {
    const request = journal.entries[index]?.request;
    if (request) list.push(request);
  }
  return list;
}

/** Finds a request by its id: first after the one that was found before, then before it. */
function findStored(journal: ProjectJournal | undefined, id: string): Stored | undefined {
  if (!journal) return undefined;
  const count = countOf(journal);
  const from = Math.max(0, journal.lookedUp - journal.dropped);
  for (let step = 0; step < count; step += 1) {
    const index = journal.dropped + ((from + step) % count);
    const stored = journal.entries[index];
    if (stored?.request?.id !== id) continue;
    journal.lookedUp = index;
    return stored;
  }
  return undefined;
}

/** Adds what a deferred command of a request did, and its warnings. */
export function addAppliedTo(
  { applied, warnings }: Pick<NewEntry, 'applied' | 'warnings'>,
  one: Applied,
  added: readonly Warning[],
): void {
  applied.push(one);
  warnings.push(...added);
}

function countOf({ entries, dropped }: ProjectJournal): number {
  return entries.length - dropped;
}
