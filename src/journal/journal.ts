/** The bounded record of all requests, of every project and of none; the oldest go first. Knows nothing of HTTP. */
import type { Problem } from '../base/problem.ts';
import type { SecretTests } from '../scenarios/decide.ts';
import type { Met } from '../scenarios/failure-kinds.ts';
import type { Explained } from '../scenarios/trace.ts';
import type { ConnectionFault, Scenario } from '../scenarios/types.ts';
import type { SettingEntry } from './recording.ts';

/** What is needed to make a request again, beside what is shown of it. No secret is in it. */
export interface Evidence {
  /** Its number among all that changed its world. */
  readonly change: number;
  /** The project's clock when it took effect, in milliseconds. */
  readonly atMs: number;
  /** Why the body could not be read. */
  readonly unread?: Problem | undefined;
  /** The scenario that its header named, as it was then. */
  readonly scenario?: Scenario | undefined;
  /** What the rules' conditions on secrets came to. */
  readonly secretTests?: SecretTests | undefined;
}

/** A request's body, which nobody sees but through this. */
export interface RecordedBody {
  /** The room that it takes, in bytes. */
  readonly size: number;
  /** Looks through it for secrets, at the first time. `again`: what is answered alike, where that is another text. */
  read(): { readonly shown: string; readonly again?: string };
}

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
  readonly requestBody: RecordedBody | undefined;
  /** 0 where the connection was broken before there was one. */
  readonly status: number;
  /** How a scenario broke the connection. */
  readonly fault: ConnectionFault | undefined;
  readonly durationMs: number;
  /** How many entries of it were refused in its answer, where that lists them. */
  readonly refused: number;
  readonly warnings: string[];
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string | undefined;
  readonly evidence: Evidence;
  /** What was unusual about the answer, beside a refusal by the contract or the keys. */
  readonly met?: Met | undefined;
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
  /** Keeps what was set from outside, for recordings; it is shown in no list, and goes with the requests of its time. */
  note(project: string, entry: SettingEntry): void;
  /** What is kept of what was noted of a project. */
  notes(project: string): readonly SettingEntry[];
  /** What is kept of one project, or of all and none, oldest first. */
  list(project?: string): readonly JournalEntry[];
  /** How many requests are kept. */
  size(): number;
  find(project: string, id: string): JournalEntry | undefined;
  /** Forgets a project's requests. */
  forget(project: string): void;
  /** Calls back at every entry from now on; gives back what ends it. */
  subscribe(listener: (entry: JournalEntry) => void): () => void;
}

/** The cost of an entry beside its bodies, in bytes. */
const overhead = 1500;

/** A request, or a setting, in its place among the requests of all projects. */
interface Kept {
  readonly number: number;
  readonly size: number;
  readonly request: JournalEntry | undefined;
  readonly noted: SettingEntry | undefined;
}

interface Shelf {
  readonly entries: Kept[];
  /** How many at the front are gone already, so that letting one go moves nothing. */
  gone: number;
  /** How many of those left are requests. */
  requests: number;
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
    const oldest = shelf.entries[shelf.gone] as Kept;
    const { size } = oldest;
    if (oldest.request) shelf.requests -= 1;
    (shelf.entries as (Kept | undefined)[])[shelf.gone] = undefined;
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
    keep(fields.project ?? stray, { number, size: sizeOfRequest(entry), request: entry, noted: undefined });
    for (const listener of listeners) listener(entry);
    return entry;
  }

  function keep(name: string, kept: Kept): void {
    const shelf = shelves.get(name) ?? { entries: [], gone: 0, requests: 0, bytes: 0 };
    shelves.set(name, shelf);
    shelf.entries.push(kept);
    shelf.bytes += kept.size;
    if (kept.request) shelf.requests += 1;
    bytes += kept.size;
    const count = () => shelf.entries.length - shelf.gone;
    while (shelf.requests > limits.entriesPerProject || (shelf.bytes > limits.bytesPerProject && count() > 1))
      dropOldest(shelf);
    while (bytes > limits.bytes && number > 1) dropOldest(oldestShelf());
  }

  const all = (shelf: Shelf | undefined): readonly Kept[] => shelf?.entries.slice(shelf.gone) ?? [];
  const requestsOf = (shelf: Shelf | undefined): readonly JournalEntry[] =>
    all(shelf).flatMap(({ request }) => request ?? []);
  return {
    add,
    note: (project, noted) => {
      const size = overhead + sizeOfSetting(noted);
      keep(project, { number: ++number, size, request: undefined, noted });
    },
    notes: (project) => all(shelves.get(project)).flatMap(({ noted }) => noted ?? []),
    list: (project) =>
      project === undefined
        ? [...shelves.values()].flatMap(requestsOf).sort((a, b) => a.number - b.number)
        : requestsOf(shelves.get(project)),
    size: () => [...shelves.values()].reduce((sum, { requests }) => sum + requests, 0),
    find: (project, id) => requestsOf(shelves.get(project)).find((entry) => entry.id === id),
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

function sizeOfSetting({ setting }: SettingEntry): number {
  return setting.kind === 'snapshot' || 'scenarios' in setting ? sizeOf(JSON.stringify(setting)) : 0;
}

function sizeOfRequest({ requestBody, responseBody, url, requestHeaders, warnings }: JournalEntry): number {
  let size = overhead + (requestBody?.size ?? 0) + sizeOf(responseBody) + url.length;
  for (const name in requestHeaders) size += name.length + (requestHeaders[name] as string).length;
  for (const warning of warnings) size += warning.length;
  return size;
}

/** In bytes: a text with other than Latin characters takes two for each. */
function sizeOf(text: string | undefined): number {
  return text === undefined ? 0 : Buffer.byteLength(text);
}
