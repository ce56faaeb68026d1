/** The bounded record of all requests, of every project and of none; the oldest go first. Knows nothing of HTTP. */
import type { Explained } from '../scenarios/trace.ts';

/** One request and its answer. */
export interface JournalEntry {
  /** Its number in the whole journal, from 1: the cursor of lists. */
  readonly number: number;
  readonly id: string;
  /** The project's clock. */
  readonly at: string;
  readonly project: string | undefined;
  readonly operation: string | undefined;
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string | undefined;
  readonly status: number;
  readonly durationMs: number;
  readonly warnings: string[];
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string | undefined;
  /** Every rule that was considered, and why it did or did not fire; worked out when asked for. */
  explain(): readonly Explained[];
}

export type NewEntry = Omit<JournalEntry, 'number'>;

/** How much is kept. */
export interface JournalLimits {
  readonly entriesPerProject: number;
  readonly bytesPerProject: number;
  readonly bytes: number;
}

export const journalLimits: JournalLimits = {
  entriesPerProject: 1000,
  bytesPerProject: 64 * 1024 ** 2,
  bytes: 512 * 1024 ** 2,
};

export interface Journal {
  add(entry: NewEntry): JournalEntry;
  /** What is kept of one project, or of all and none, oldest first. */
  list(project?: string): readonly JournalEntry[];
  find(project: string, id: string): JournalEntry | undefined;
  /** Forgets a project's requests. */
  forget(project: string): void;
  /** Calls back at every entry from now on; gives back what ends it. */
  subscribe(listener: (entry: JournalEntry) => void): () => void;
}

/** The cost of an entry beside its bodies, in bytes. */
const overhead = 1500;

interface Shelf {
  readonly entries: JournalEntry[];
  /** How many at the front are gone already, so that letting one go moves nothing. */
  gone: number;
  bytes: number;
}

/** Requests of no project stand under this name, which no project can have. */
const stray = '';

export function createJournal(limits: JournalLimits = journalLimits): Journal {
  const shelves = new Map<string, Shelf>();
  const listeners = new Set<(entry: JournalEntry) => void>();
  let number = 0;
  let bytes = 0;

  function dropOldest(shelf: Shelf): void {
    const size = sizeOf(shelf.entries[shelf.gone] as JournalEntry);
    (shelf.entries as (JournalEntry | undefined)[])[shelf.gone] = undefined;
    shelf.gone += 1;
    shelf.bytes -= size;
    bytes -= size;
    if (shelf.gone < 256 || shelf.gone * 2 < shelf.entries.length) return;
    shelf.entries.splice(0, shelf.gone);
    shelf.gone = 0;
  }

  function oldestShelf(): Shelf {
    let oldest: Shelf | undefined;
    for (const shelf of shelves.values()) {
      const first = shelf.entries[shelf.gone]?.number ?? Number.POSITIVE_INFINITY;
      if (first < (oldest?.entries[oldest.gone]?.number ?? Number.POSITIVE_INFINITY)) oldest = shelf;
    }
    return oldest as Shelf;
  }

  function add(fields: NewEntry): JournalEntry {
    number += 1;
    const entry = Object.assign(fields, { number });
    const name = fields.project ?? stray;
    const shelf = shelves.get(name) ?? { entries: [], gone: 0, bytes: 0 };
    shelves.set(name, shelf);
    const size = sizeOf(entry);
    shelf.entries.push(entry);
    shelf.bytes += size;
    bytes += size;
    const count = () => shelf.entries.length - shelf.gone;
    while (count() > limits.entriesPerProject || (shelf.bytes > limits.bytesPerProject && count() > 1))
      dropOldest(shelf);
    while (bytes > limits.bytes && number > 1) dropOldest(oldestShelf());
    for (const listener of listeners) listener(entry);
    return entry;
  }

  const kept = (shelf: Shelf | undefined): readonly JournalEntry[] => shelf?.entries.slice(shelf.gone) ?? [];
  return {
    add,
    list: (project) =>
      project === undefined
        ? [...shelves.values()].flatMap(kept).sort((a, b) => a.number - b.number)
        : kept(shelves.get(project)),
    find: (project, id) => kept(shelves.get(project)).find((entry) => entry.id === id),
    forget: (project) => {
      bytes -= shelves.get(project)?.bytes ?? 0;
      shelves.delete(project);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function sizeOf({
  requestBody,
  responseBody,
  url,
}: Pick<JournalEntry, 'requestBody' | 'responseBody' | 'url'>): number {
  return overhead + (requestBody?.length ?? 0) + (responseBody?.length ?? 0) + url.length;
}
