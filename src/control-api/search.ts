/** Control API handler that searches projects, records, requests, callbacks and scenarios by id. */
import type { JournalEntry } from '../journal/entry.ts';
import type { Project } from '../project/project.ts';
import { type ControlHandlers, type ControlParts, ok, slicesFor } from './handler.ts';
import { recordCollections, recordsNamedBy, toCollectionName } from './named-records.ts';
import { createFound, type Found, type SearchQuery } from './search/found.ts';

/** Maximum size of the bodies that are parsed to find ids without a record, in characters. */
const maxParsed = 16 * 1024 ** 2;
/** Maximum size of the bodies that are compared, in characters, so that a search ends. */
const maxCompared = 256 * 1024 ** 2;
/** Maximum length of a text that is compared or parsed at once, in characters: parsing it takes some 15 ms. */
const maxAtOnce = 1024 ** 2;

/** A part of a search, which yields where it may pause, and `long` before a step that takes a slice of its own. */
type Steps<Result = void> = Generator<'long' | undefined, Result>;

type Asks = (project: string | undefined) => boolean;

export const searchHandlers: ControlHandlers<'search'> = {
  search: async (parts, request) => {
    const { query, caller, onLeave } = request;
    const asked = query as unknown as SearchQuery;
    const { project } = asked;
    const found = createFound(asked);
    const asksFor: Asks = (id) => (project === undefined || id === project) && caller.mayUse(id);
    let hasLeft = false;
    const unsubscribe = onLeave?.(() => {
      hasLeft = true;
    });
    const slices = slicesFor(parts, request);
    for (const step of searchAll(parts, project, asksFor, found)) {
      if (step === 'long' || slices.isOver()) await slices.next();
      if (hasLeft) break;
    }
    unsubscribe?.();
    return ok({ items: found.list() });
  },
};

function* searchAll(parts: ControlParts, project: string | undefined, asksFor: Asks, found: Found): Steps {
  for (const id of [...parts.projects.ids()]) {
    if (!asksFor(id)) continue;
    if (found.add({ kind: 'project', id })) yield;
    const current = parts.projects.peek(id);
    if (current) yield* searchProject(parts, current, found);
  }
  yield* searchRequests(parts, parts.journal.list(project), asksFor, found);
  for (const { name } of parts.library.list()) found.add({ kind: 'scenario', id: name });
}

function* searchProject({ library }: ControlParts, { id: project, state }: Project, found: Found): Steps {
  for (const collection of recordCollections) {
    for (const id of state.records[toCollectionName(collection)].keys())
      if (found.add({ kind: 'record', id, project, collection })) yield;
  }
  for (const id of state.callbacks.keys()) if (found.add({ kind: 'callback', id, project })) yield;
  for (const { name } of state.scenarios) if (!library.find(name)) found.add({ kind: 'scenario', id: name, project });
}

/** Searches ids of requests, and ids without a record in their bodies, newest first. */
function* searchRequests(parts: ControlParts, entries: readonly JournalEntry[], asksFor: Asks, found: Found): Steps {
  const sizes = { compared: 0, parsed: 0 };
  for (const entry of entries.toReversed()) {
    yield;
    const { id, project } = entry;
    if (!asksFor(project)) continue;
    found.add({ kind: 'request', id, ...(project !== undefined && { project }) });
    if (project === undefined || sizes.parsed > maxParsed || sizes.compared > maxCompared) continue;
    const { compared, isParsed } = yield* addEntities(parts, entry, project, found);
    sizes.compared += compared;
    sizes.parsed += isParsed ? compared : 0;
  }
}

/** Adds the ids that a request names and that have no record. Returns the length of the compared body. */
function* addEntities(
  { projects, contract }: ControlParts,
  entry: JournalEntry,
  project: string,
  found: Found,
): Steps<{ readonly compared: number; readonly isParsed: boolean }> {
  const { named } = entry;
  if (named && named.count === named.first.length && !named.first.some((id) => found.matches.test(id)))
    return { compared: 0, isParsed: false };
  const text = entry.requestBody?.read().shown ?? '';
  if (!found.matches.test(entry.url) && !(yield* isIn(text, found))) return { compared: text.length, isParsed: false };
  if (text.length > maxAtOnce) yield 'long';
  const records = projects.peek(project)?.state.records;
  for (const { collection, id } of recordsNamedBy(entry, contract)) {
    if (!records?.[toCollectionName(collection)].has(id)) found.add({ kind: 'entity', id, project, collection });
  }
  return { compared: text.length, isParsed: true };
}

/** Returns whether a text contains the searched one. Compares pieces, which overlap by the searched text. */
function* isIn(text: string, { matches, textLength }: Found): Steps<boolean> {
  for (let from = 0; from < text.length; from += maxAtOnce) {
    if (from > 0) yield;
    if (matches.test(text.slice(from, from + maxAtOnce + textLength))) return true;
  }
  return false;
}
