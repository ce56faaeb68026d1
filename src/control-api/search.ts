/** Control API handler that searches projects, records, requests, callbacks and scenarios by id. */
import type { JournalEntry } from '../journal/entry.ts';
import { createSlices, type Slices } from '../lib/slices.ts';
import type { components } from '../openapi/control.gen.ts';
import type { Project } from '../project/project.ts';
import { toCollectionName } from './entity/record-values.ts';
import { recordCollections } from './entity/timeline.ts';
import { type ControlHandlers, type ControlParts, ok } from './handler.ts';
import { recordsNamedBy } from './named-records.ts';

export type SearchResult = components['schemas']['SearchResult'];

export interface SearchQuery {
  readonly q: string;
  readonly limit?: number;
  readonly project?: string;
}

/** Maximum size of the bodies that are parsed to find ids without a record, in characters. */
const maxParsed = 16 * 1024 ** 2;
/** Maximum size of the bodies that are compared, in characters, so that a search ends. */
const maxCompared = 256 * 1024 ** 2;
/** Number of ids to compare before the clock is read. */
const idsInARow = 1000;
const defaultResults = 20;

/** Kinds in the order of results of the same rank. */
const kinds: readonly SearchResult['kind'][] = ['project', 'record', 'entity', 'request', 'callback', 'scenario'];

/** Matches found so far. */
interface Found {
  readonly matches: RegExp;
  add(result: SearchResult): void;
  list(): SearchResult[];
}

/** A search in slices, which ends early if the client has left. */
interface Search extends Slices {
  readonly found: Found;
  hasLeft(): boolean;
}

export const searchHandlers: ControlHandlers<'search'> = {
  search: async (parts, { query, caller, onLeave }) => {
    const { q, limit = defaultResults, project } = query as unknown as SearchQuery;
    const found = createFound(q, limit);
    let hasLeft = false;
    const unsubscribe = onLeave?.(() => {
      hasLeft = true;
    });
    const search = { ...createSlices(parts.wall), found, hasLeft: () => hasLeft };
    const isAsked = (id: string | undefined): boolean => (project === undefined || id === project) && caller.mayUse(id);
    for (const id of parts.projects.ids()) {
      if (hasLeft) break;
      if (!isAsked(id)) continue;
      found.add({ kind: 'project', id });
      const current = parts.projects.peek(id);
      if (current) await searchProject(parts, current, search);
    }
    const entries = parts.journal.list(project).filter((entry) => caller.mayUse(entry.project));
    await searchRequests(parts, entries, search);
    unsubscribe?.();
    for (const { name } of parts.library.list()) found.add({ kind: 'scenario', id: name });
    return ok({ items: found.list() });
  },
};

async function searchProject(
  { library }: ControlParts,
  { id: project, state }: Project,
  search: Search,
): Promise<void> {
  const { found } = search;
  for (const collection of recordCollections) {
    let count = 0;
    for (const id of state.records[toCollectionName(collection)].keys()) {
      found.add({ kind: 'record', id, project, collection });
      count += 1;
      if (count % idsInARow === 0 && search.isOver()) await search.next();
    }
  }
  for (const id of state.callbacks.keys()) found.add({ kind: 'callback', id, project });
  for (const { name } of state.scenarios) if (!library.find(name)) found.add({ kind: 'scenario', id: name, project });
}

/** Searches ids of requests, and ids without a record in their bodies, newest first. */
async function searchRequests(parts: ControlParts, entries: readonly JournalEntry[], search: Search): Promise<void> {
  const { found } = search;
  const sizes = { compared: 0, parsed: 0 };
  for (const entry of entries.toReversed()) {
    if (search.isOver()) await search.next();
    if (search.hasLeft()) return;
    const { id, project } = entry;
    found.add({ kind: 'request', id, ...(project !== undefined && { project }) });
    if (project === undefined || sizes.parsed > maxParsed || sizes.compared > maxCompared) continue;
    const { compared, isParsed } = addEntities(parts, entry, project, found);
    sizes.compared += compared;
    sizes.parsed += isParsed ? compared : 0;
  }
}

/** Adds the ids that a request names and that have no record. Returns the length of the compared body. */
function addEntities(
  { projects, contract }: ControlParts,
  entry: JournalEntry,
  project: string,
  { matches, add }: Found,
): { readonly compared: number; readonly isParsed: boolean } {
  const { named } = entry;
  if (named && named.count === named.first.length && !named.first.some((id) => matches.test(id)))
    return { compared: 0, isParsed: false };
  const text = entry.requestBody?.read().shown ?? '';
  if (!matches.test(text) && !matches.test(entry.url)) return { compared: text.length, isParsed: false };
  const records = projects.peek(project)?.state.records;
  for (const { collection, id } of recordsNamedBy(entry, contract)) {
    if (!records?.[toCollectionName(collection)].has(id)) add({ kind: 'entity', id, project, collection });
  }
  return { compared: text.length, isParsed: true };
}

function createFound(q: string, limit: number): Found {
  const matches = new RegExp(q.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  const groups = new Map<string, Map<string, SearchResult>>();
  return {
    matches,
    add: (result) => {
      if (!matches.test(result.id)) return;
      const name = `${toRank(result.id, q)} ${result.kind}`;
      const group = groups.get(name) ?? new Map<string, SearchResult>();
      groups.set(name, group);
      if (group.size < limit) group.set(toKey(result), result);
    },
    list: () =>
      mergeResults(
        [...groups.values()].map((group) => [...group.values()]),
        { q, limit },
      ),
  };
}

/** Merges lists of results to the best ones, each once. */
export function mergeResults(
  lists: readonly (readonly SearchResult[])[],
  { q, limit = defaultResults }: Pick<SearchQuery, 'q' | 'limit'>,
): SearchResult[] {
  const unique = new Map(lists.flat().map((result) => [toKey(result), result]));
  const compare = (a: SearchResult, b: SearchResult): number =>
    toRank(a.id, q) - toRank(b.id, q) ||
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
    a.id.length - b.id.length ||
    (toKey(a) < toKey(b) ? -1 : 1);
  return [...unique.values()].sort(compare).slice(0, limit);
}

/** Returns 0 for the text itself, 1 for it in another case, 2 if an id begins with it, and otherwise 3. */
function toRank(id: string, q: string): number {
  if (id === q) return 0;
  const lower = id.toLowerCase();
  const text = q.toLowerCase();
  if (lower === text) return 1;
  return lower.startsWith(text) ? 2 : 3;
}

function toKey({ kind, project, collection, id }: SearchResult): string {
  return JSON.stringify([kind, project, collection, id]);
}
