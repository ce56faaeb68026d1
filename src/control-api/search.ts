/** Control API handler that searches projects, records, requests, callbacks and scenarios by id. */
import type { JournalEntry } from '../journal/entry.ts';
import type { ProjectState } from '../project/state.ts';
import {
  type ControlHandlers,
  type ControlParts,
  type OperationRequest,
  ok,
  type Schema,
  slicesFor,
} from './handler.ts';
import { toTextTest } from './lists/select.ts';
import { recordCollections, recordsNamedBy, toCollectionName } from './named-records.ts';

export type SearchResult = Schema<'SearchResult'>;
export type SearchQuery = OperationRequest<'search'>['query'];

/** Number of ids that are compared without a pause. */
const idsInARow = 1000;
/** Number of results from which only the best are kept. */
const maxFound = 10_000;

export const searchHandlers: ControlHandlers<'search'> = {
  search: async (parts, request) => {
    const { caller, query, onLeave } = request;
    const matches = toTextTest(query.q);
    let hasLeft = false;
    const unsubscribe = onLeave?.(() => {
      hasLeft = true;
    });
    const slices = slicesFor(parts, request);
    let found: SearchResult[] = [];
    let compared = 0;
    const asksFor = (id: string | undefined): boolean =>
      (query.project === undefined || id === query.project) && caller.mayUse(id);
    for (const one of listAll(parts, query.project, asksFor, matches)) {
      compared += 1;
      if (matches(one.id)) found.push(one);
      if (found.length > maxFound) found = toBest(found, query);
      if (compared % idsInARow === 0 && slices.isOver()) await slices.next();
      if (hasLeft) break;
    }
    unsubscribe?.();
    return ok({ items: toBest(found, query) });
  },
};

/** Lists everything that has an id; of the ids in requests only those that match. */
function* listAll(
  parts: ControlParts,
  project: string | undefined,
  asksFor: (project: string | undefined) => boolean,
  matches: (id: string) => boolean,
): Generator<SearchResult> {
  for (const id of [...parts.projects.ids()].filter(asksFor)) {
    yield { kind: 'project', id };
    const state = parts.projects.peek(id)?.state;
    if (state) yield* listProject(parts, id, state);
  }
  for (const entry of parts.journal.list(project).toReversed())
    if (asksFor(entry.project)) yield* listRequest(parts, entry, matches);
  for (const { name } of parts.library.list()) yield { kind: 'scenario', id: name };
}

function* listProject({ library }: ControlParts, project: string, state: ProjectState): Generator<SearchResult> {
  for (const collection of recordCollections)
    for (const id of state.records[toCollectionName(collection)].keys())
      yield { kind: 'record', id, project, collection };
  for (const id of state.callbacks.keys()) yield { kind: 'callback', id, project };
  for (const { name } of state.scenarios) if (!library.find(name)) yield { kind: 'scenario', id: name, project };
}

/** Lists a request, and the matching ids that it names and that have no record. */
function* listRequest(
  { projects }: ControlParts,
  entry: JournalEntry,
  matches: (id: string) => boolean,
): Generator<SearchResult> {
  const { id, project } = entry;
  yield { kind: 'request', id, project };
  // A request may name 100,000 ids.
  if (project === undefined || !entry.named?.ids.some(matches)) return;
  const records = projects.peek(project)?.state.records;
  if (!records) return;
  for (const named of recordsNamedBy(entry))
    if (matches(named.id) && !records[toCollectionName(named.collection)].has(named.id))
      yield { kind: 'entity', id: named.id, project, collection: named.collection };
}

/** Kinds in the order of results of the same rank. */
const kinds: readonly SearchResult['kind'][] = ['project', 'record', 'entity', 'request', 'callback', 'scenario'];

/** Returns the best results, each once. */
export function toBest(results: readonly SearchResult[], { q, limit = 20 }: SearchQuery): SearchResult[] {
  const unique = new Map(results.map((result) => [toKey(result), result]));
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
