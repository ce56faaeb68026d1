/** The journal: stores the latest requests of all projects, and drops the oldest beyond its limits. */
import type { Warning } from '../lib/problem.ts';
import type { Applied } from '../records/records.ts';
import type { Scenario } from '../scenarios/types.ts';
import { sizeOfValue } from '../usage/size.ts';
import {
  type JournalEntry,
  type JournalItem,
  type NewEntry,
  overhead,
  type SettingEntry,
  sizeOfRequest,
  sizeOfWarnings,
} from './entry.ts';

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

// Memory of a scenario: its text, and the compiled form that explains requests. Measured on Node 20, rounded up.
const bytesPerCharacter = 4;
const bytesPerRule = 500;

interface Stored {
  readonly number: number;
  size: number;
  readonly request?: JournalEntry;
  readonly setting?: SettingEntry;
}

/** What is stored of one project, or the stray requests that name it, oldest first. */
class Shelf {
  /** The project that its requests name, if they are stray ones. */
  readonly strayOf: string | undefined;
  requests = 0;
  droppedRequests = 0;
  bytes = 0;
  /** The last scenario named in a request's header; its size is counted again only if another scenario follows. */
  lastNamed: Scenario | undefined;
  readonly #items: (Stored | undefined)[] = [];
  /** Number of dropped items at the front of the array, so that dropping one does not move the others. */
  #dropped = 0;
  /** Where the last request was found: deferred commands are applied in the order of their requests. */
  #lookedUp = 0;

  constructor(strayOf?: string) {
    this.strayOf = strayOf;
  }

  get count(): number {
    return this.#items.length - this.#dropped;
  }

  get oldest(): number | undefined {
    return this.#items[this.#dropped]?.number;
  }

  *items(): Generator<Stored> {
    for (let index = this.#dropped; index < this.#items.length; index += 1) yield this.#items[index] as Stored;
  }

  /** Adds the requests to a list. In a loop, because there may be many. */
  listRequests(list: JournalEntry[]): JournalEntry[] {
    for (let index = this.#dropped; index < this.#items.length; index += 1) {
      const request = this.#items[index]?.request;
      if (request) list.push(request);
    }
    return list;
  }

  push(stored: Stored): void {
    this.#items.push(stored);
    this.bytes += stored.size;
    if (stored.request) this.requests += 1;
  }

  /** Drops the oldest item. Returns its size. */
  shift(): number {
    const { size, request } = this.#items[this.#dropped] as Stored;
    this.#items[this.#dropped] = undefined;
    this.#dropped += 1;
    this.bytes -= size;
    if (request) {
      this.requests -= 1;
      this.droppedRequests += 1;
    }
    if (this.#dropped >= 256 && this.#dropped * 2 >= this.#items.length) {
      this.#items.splice(0, this.#dropped);
      this.#dropped = 0;
    }
    return size;
  }

  /** Finds a request by its id: first after the one that was found before, then before it. */
  find(id: string): (Stored & { readonly request: JournalEntry }) | undefined {
    const from = Math.max(0, this.#lookedUp - this.#dropped);
    for (let step = 0; step < this.count; step += 1) {
      const index = this.#dropped + ((from + step) % this.count);
      const stored = this.#items[index];
      if (stored?.request?.id !== id) continue;
      this.#lookedUp = index;
      return stored as Stored & { readonly request: JournalEntry };
    }
    return undefined;
  }
}

/** Key for requests that belong to no project; no project can have this id. */
const noProject = '';

/** Maximum numbers of stray requests, so that strangers cannot fill the journal. */
export const maxStraysPerProject = 100;
const maxStrays = 1000;

export class Journal {
  readonly #limits: JournalLimits;
  readonly #projects = new Map<string, Shelf>();
  /** Stray requests by the project that they name; the one that was named last comes last. */
  readonly #strays = new Map<string, Shelf>();
  readonly #listeners = new Set<(entry: JournalEntry) => void>();
  readonly #storedListeners = new Set<(project: string, item: JournalItem) => void>();
  readonly #scenarioSizes = new WeakMap<Scenario, number>();
  #strayCount = 0;
  #number = 0;
  #bytes = 0;

  constructor(limits: JournalLimits = journalLimits) {
    this.#limits = limits;
  }

  add(fields: NewEntry): JournalEntry {
    const number = this.#nextNumber();
    const request = Object.assign(fields, { number });
    const { project, namedProject } = fields;
    if (project === undefined && namedProject !== undefined) this.#storeStray(namedProject, request);
    else this.#storeRequest(project ?? noProject, request);
    for (const listener of this.#listeners) listener(request);
    this.#notify(project ?? noProject, { number, request });
    return request;
  }

  /** Stores a changed setting for recordings. No list shows it. It is dropped with requests of its age. */
  addSetting(project: string, setting: SettingEntry, bytes?: number): void {
    const number = this.#nextNumber();
    this.#store(project, { number, size: this.#sizeOfSetting(setting, bytes), setting });
    this.#notify(project, { number, setting });
  }

  /** Adds what a deferred command of a request did. Returns false if the request is not stored. */
  addApplied(project: string, id: string, applied: Applied, warnings: readonly Warning[]): boolean {
    const shelf = this.#projects.get(project);
    const stored = shelf?.find(id);
    if (!shelf || !stored) return false;
    const { number, request } = stored;
    const added = applied.size + sizeOfWarnings(warnings);
    addAppliedTo(request, applied, warnings);
    stored.size += added;
    shelf.bytes += added;
    this.#bytes += added;
    this.#keepWithinLimits(project, shelf);
    this.#notify(project, { number, request });
    return true;
  }

  /** Adds what another server has stored of a project, oldest first. Listeners for new entries are not called. */
  restore(project: string, items: readonly JournalItem[]): void {
    for (const item of items) {
      // Later entries of the project follow, so that positions in its lists stay valid.
      this.#number = Math.max(this.#number, item.number);
      if ('request' in item) this.#storeRequest(project, item.request);
      else this.#store(project, { ...item, size: this.#sizeOfSetting(item.setting) });
    }
  }

  settings(project: string): readonly SettingEntry[] {
    return [...(this.#projects.get(project)?.items() ?? [])].flatMap(({ setting }) => setting ?? []);
  }

  /** Returns the stored requests of one project without stray ones, or all stored requests, oldest first. */
  list(project?: string): readonly JournalEntry[] {
    if (project !== undefined) return this.#projects.get(project)?.listRequests([]) ?? [];
    const all: JournalEntry[] = [];
    for (const shelf of this.#shelves()) shelf.listRequests(all);
    return this.#projects.size + this.#strays.size > 1 ? all.sort((a, b) => a.number - b.number) : all;
  }

  /** Returns the stray requests whose path names a project, oldest first. */
  strays(project: string): readonly JournalEntry[] {
    return this.#strays.get(project)?.listRequests([]) ?? [];
  }

  find(project: string, id: string): JournalEntry | undefined {
    return (this.#projects.get(project)?.find(id) ?? this.#strays.get(project)?.find(id))?.request;
  }

  /** Returns the number of the oldest entry of a project that is still stored. */
  oldest(project: string): number | undefined {
    return this.#projects.get(project)?.oldest;
  }

  /** Returns the number of stored requests, of one project without stray ones or in total. */
  size(project?: string): number {
    if (project !== undefined) return this.#projects.get(project)?.requests ?? 0;
    return this.#shelves().reduce((sum, { requests }) => sum + requests, 0);
  }

  /** Returns how many requests of a project were dropped since it began, or since another server handed it over. */
  droppedCount(project: string): number {
    return this.#projects.get(project)?.droppedRequests ?? 0;
  }

  /** Returns the number of stored bytes, of one project or in total. */
  bytes(project?: string): number {
    return project === undefined ? this.#bytes : (this.#projects.get(project)?.bytes ?? 0);
  }

  /** Drops the oldest entries, of one project or of all, until at most `bytes` are left. */
  trim(bytes: number, project?: string): void {
    if (project === undefined) this.#dropUntil(bytes);
    const shelf = project === undefined ? undefined : this.#projects.get(project);
    while (shelf && shelf.bytes > bytes && shelf.count > 0) this.#dropOldest(shelf);
  }

  /** Drops what is stored of a project, except for stray requests that name it. */
  drop(project: string): void {
    this.#bytes -= this.#projects.get(project)?.bytes ?? 0;
    this.#projects.delete(project);
  }

  /** Drops the stray requests that name a project, or all that name one. */
  dropStrays(project?: string): void {
    for (const id of project === undefined ? [...this.#strays.keys()] : [project]) {
      const { bytes = 0, requests = 0 } = this.#strays.get(id) ?? {};
      this.#bytes -= bytes;
      this.#strayCount -= requests;
      this.#strays.delete(id);
    }
  }

  /** Calls the listener for each new entry. Returns a function that unsubscribes it. */
  subscribe(listener: (entry: JournalEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls the listener when something of a project is stored, or changed. Returns a function that unsubscribes it. */
  onStored(listener: (project: string, item: JournalItem) => void): () => void {
    this.#storedListeners.add(listener);
    return () => this.#storedListeners.delete(listener);
  }

  #notify(project: string, item: JournalItem): void {
    for (const listener of this.#storedListeners) listener(project, item);
  }

  #nextNumber(): number {
    this.#number = Math.max(this.#number + 1, this.#limits.minNumber?.() ?? 0);
    return this.#number;
  }

  #sizeOfSetting({ setting }: SettingEntry, ownBytes?: number): number {
    if (!('scenarios' in setting)) return overhead + (ownBytes ?? sizeOfValue(setting));
    return setting.scenarios.reduce((sum, one) => sum + this.#sizeOfScenario(one), overhead);
  }

  /** Computed once per scenario, because serialising a large one takes milliseconds. */
  #sizeOfScenario(scenario: Scenario): number {
    const known = this.#scenarioSizes.get(scenario);
    if (known !== undefined) return known;
    const size = JSON.stringify(scenario).length * bytesPerCharacter + scenario.rules.length * bytesPerRule;
    this.#scenarioSizes.set(scenario, size);
    return size;
  }

  #shelves(): readonly Shelf[] {
    return [...this.#projects.values(), ...this.#strays.values()];
  }

  #storeRequest(project: string, request: JournalEntry): void {
    const { scenario } = request.evidence;
    const shelf = this.#projects.get(project);
    const isAgain = scenario === undefined || shelf?.lastNamed === scenario;
    const size = sizeOfRequest(request) + (isAgain ? 0 : this.#sizeOfScenario(scenario));
    const stored = this.#store(project, { number: request.number, size, request });
    stored.lastNamed = scenario ?? stored.lastNamed;
  }

  #store(project: string, stored: Stored): Shelf {
    const shelf = this.#projects.get(project) ?? new Shelf();
    this.#projects.set(project, shelf);
    shelf.push(stored);
    this.#bytes += stored.size;
    this.#keepWithinLimits(project, shelf);
    return shelf;
  }

  /** Stores a request apart from those of the project that it names, so that it replaces only others of its kind. */
  #storeStray(project: string, request: JournalEntry): void {
    const shelf = this.#strays.get(project) ?? new Shelf(project);
    this.#strays.delete(project);
    this.#strays.set(project, shelf);
    const size = sizeOfRequest(request);
    shelf.push({ number: request.number, size, request });
    this.#bytes += size;
    this.#strayCount += 1;
    if (shelf.requests > maxStraysPerProject) this.#dropOldest(shelf);
    const [[, first] = []] = this.#strays;
    if (this.#strayCount > maxStrays && first) this.#dropOldest(first);
    this.#dropUntil(this.#limits.bytes);
  }

  #keepWithinLimits(project: string, shelf: Shelf): void {
    const { entriesPerProject, bytesPerProject, bytes, roomOf } = this.#limits;
    while (shelf.requests > entriesPerProject || (shelf.bytes > bytesPerProject && shelf.count > 1))
      this.#dropOldest(shelf);
    const room = roomOf?.(project) ?? Number.POSITIVE_INFINITY;
    while (shelf.bytes > room && shelf.count > 0) this.#dropOldest(shelf);
    if (this.#number > 1) this.#dropUntil(bytes);
  }

  /** Drops the oldest entries of all projects until at most `max` bytes are left in total. */
  #dropUntil(max: number): void {
    while (this.#bytes > max) {
      const oldest = this.#findOldest();
      if (!oldest) return;
      this.#dropOldest(oldest);
    }
  }

  #findOldest(): Shelf | undefined {
    let oldest: Shelf | undefined;
    for (const shelf of this.#shelves())
      if (shelf.count > 0 && (shelf.oldest ?? 0) < (oldest?.oldest ?? Number.POSITIVE_INFINITY)) oldest = shelf;
    return oldest;
  }

  #dropOldest(shelf: Shelf): void {
    this.#bytes -= shelf.shift();
    if (shelf.strayOf === undefined) return;
    this.#strayCount -= 1;
    if (shelf.count === 0) this.#strays.delete(shelf.strayOf);
  }
}

/** Returns the project with which a request is shown: its own, or the one that its path names. */
export function shownProjectOf({
  project,
  namedProject,
}: Pick<JournalEntry, 'project' | 'namedProject'>): string | undefined {
  return project ?? namedProject;
}

/** Adds what a deferred command of a request did, and its warnings. */
export function addAppliedTo(
  { applied, warnings }: Pick<NewEntry, 'applied' | 'warnings'>,
  one: Applied,
  added: readonly Warning[],
): void {
  applied.push(one);
  for (const warning of added) warnings.push(warning);
}
