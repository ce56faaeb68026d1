/** Control API handler that searches projects, records, requests, callbacks and scenarios by id. */
import type { JournalEntry } from '../journal/entry.ts';
import { createSlices, type Slices } from '../lib/slices.ts';
import type { Project } from '../project/project.ts';
import { toCollectionName } from './entity/record-values.ts';
import { recordCollections } from './entity/timeline.ts';
import { type ControlHandlers, type ControlParts, ok } from './handler.ts';
import { parseBody, recordsNamedIn } from './named-records.ts';
import { createFound, type Found, type SearchQuery } from './search/found.ts';

/** Maximum size of the bodies that are parsed to find ids without a record, in characters. */
const maxParsed = 16 * 1024 ** 2;
/** Maximum size of the bodies that are compared, in characters, so that a search ends. */
const maxCompared = 256 * 1024 ** 2;
/** Number of ids to compare before the clock is read. */
const idsInARow = 1000;
/** Maximum length of a text that is compared or parsed at once, in characters: parsing it takes some 15 ms. */
const maxAtOnce = 1024 ** 2;

/** A search in slices, which ends early if the client has left. */
interface Search extends Slices {
  readonly found: Found;
  hasLeft(): boolean;
  /** Counts an id that is compared. Returns whether the slice has used its time. */
  isLastId(): boolean;
}

export const searchHandlers: ControlHandlers<'search'> = {
  search: async (parts, { query, caller, onLeave }) => {
    const asked = query as unknown as SearchQuery;
    const { project } = asked;
    const found = createFound(asked);
    let hasLeft = false;
    const unsubscribe = onLeave?.(() => {
      hasLeft = true;
    });
    const search = createSearch(parts, found, () => hasLeft);
    const isAsked = (id: string | undefined): boolean => (project === undefined || id === project) && caller.mayUse(id);
    for (const id of [...parts.projects.ids()]) {
      if (search.isLastId()) await search.next();
      if (hasLeft) break;
      if (!isAsked(id)) continue;
      found.add({ kind: 'project', id });
      const current = parts.projects.peek(id);
      if (current) await searchProject(parts, current, search);
    }
    await searchRequests(parts, parts.journal.list(project), isAsked, search);
    unsubscribe?.();
    for (const { name } of parts.library.list()) found.add({ kind: 'scenario', id: name });
    return ok({ items: found.list() });
  },
};

function createSearch({ wall }: Pick<ControlParts, 'wall'>, found: Found, hasLeft: () => boolean): Search {
  const slices = createSlices(wall);
  let count = 0;
  return {
    ...slices,
    ...{ found, hasLeft },
    isLastId: () => {
      count += 1;
      return count % idsInARow === 0 && slices.isOver();
    },
  };
}

async function searchProject(
  { library }: ControlParts,
  { id: project, state }: Project,
  search: Search,
): Promise<void> {
  const { found } = search;
  for (const collection of recordCollections) {
    for (const id of state.records[toCollectionName(collection)].keys()) {
      found.add({ kind: 'record', id, project, collection });
      if (search.isLastId()) await search.next();
    }
  }
  for (const id of state.callbacks.keys()) {
    found.add({ kind: 'callback', id, project });
    if (search.isLastId()) await search.next();
  }
  for (const { name } of state.scenarios) if (!library.find(name)) found.add({ kind: 'scenario', id: name, project });
}

/** Searches ids of requests, and ids without a record in their bodies, newest first. */
async function searchRequests(
  parts: ControlParts,
  entries: readonly JournalEntry[],
  isAsked: (project: string | undefined) => boolean,
  search: Search,
): Promise<void> {
  const { found } = search;
  const sizes = { compared: 0, parsed: 0 };
  for (const entry of entries.toReversed()) {
    if (search.isOver()) await search.next();
    if (search.hasLeft()) return;
    const { id, project } = entry;
    if (!isAsked(project)) continue;
    found.add({ kind: 'request', id, ...(project !== undefined && { project }) });
    if (project === undefined || sizes.parsed > maxParsed || sizes.compared > maxCompared) continue;
    const { compared, isParsed } = await addEntities(parts, entry, project, search);
    sizes.compared += compared;
    sizes.parsed += isParsed ? compared : 0;
  }
}

/** Adds the ids that a request names and that have no record. Returns the length of the compared body. */
async function addEntities(
  { projects, contract }: ControlParts,
  entry: JournalEntry,
  project: string,
  search: Search,
): Promise<{ readonly compared: number; readonly isParsed: boolean }> {
  const { matches, add } = search.found;
  const { named } = entry;
  if (named && named.count === named.first.length && !named.first.some((id) => matches.test(id)))
    return { compared: 0, isParsed: false };
  const text = entry.requestBody?.read().shown ?? '';
  if (!matches.test(entry.url) && !(await isIn(text, search))) return { compared: text.length, isParsed: false };
  if (text.length > maxAtOnce) await search.next();
  const body = parseBody(text);
  const records = projects.peek(project)?.state.records;
  for (const { collection, id } of recordsNamedIn(entry, contract, body)) {
    if (!records?.[toCollectionName(collection)].has(id)) add({ kind: 'entity', id, project, collection });
  }
  return { compared: text.length, isParsed: true };
}

/** Returns whether a text contains the searched one. Compares pieces, which overlap by the searched text. */
async function isIn(text: string, search: Search): Promise<boolean> {
  const { matches, textLength } = search.found;
  for (let from = 0; from < text.length; from += maxAtOnce) {
    if (from > 0 && search.isOver()) await search.next();
    if (matches.test(text.slice(from, from + maxAtOnce + textLength))) return true;
  }
  return false;
}
