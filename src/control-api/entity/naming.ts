/** Finds the entries of a request that name exactly one id, and their command. */
import { dropUnknown } from '../../http/body-checks.ts';
import { createRequestValidation, operationOf } from '../../http/validate-request.ts';
import type { JournalEntry } from '../../journal/entry.ts';
import type { Json } from '../../lib/json.ts';
import { addFromBody, withoutIdentifiers } from '../../openapi/identify.ts';
import type { FoundMatch } from '../../openapi/router.ts';
import type { Operation, OperationId } from '../../operations/index.ts';
import { type ParsedCommand, parseCommand } from '../../operations/parse-command.ts';
import type { ControlParts } from '../handler.ts';
import { collectionOf, type NamedRecord, parseBody } from '../named-records.ts';

export type RecordCollection = NamedRecord['collection'];

/** A request that names the id. */
export interface Naming {
  readonly entry: JournalEntry;
  readonly operationId: OperationId;
  readonly operation: Operation;
  /** Where its body has entries with the id, as JSON pointers. An empty one: the body as a whole. */
  readonly places: readonly string[];
  /** How many entries of each collection have the id. */
  readonly counts: ReadonlyMap<RecordCollection, number>;
  /** Parses the entries with the id, without unknown fields. Undefined if their shape is wrong. */
  parse(): ParsedCommand | undefined;
}

/** A body without the entries of other ids. */
interface Cut extends Pick<Naming, 'places' | 'counts'> {
  readonly body: Json;
}

/** Returns undefined if no entry of the request has the id. */
export function findNaming(parts: ControlParts, entry: JournalEntry, id: string): Naming | undefined {
  const { operation: operationId, method, url, requestHeaders, requestBody } = entry;
  if (operationId === undefined || namesOnlyOthers(entry, id)) return undefined;
  const match = parts.contract.match(method, url, requestHeaders);
  if (!match.found) return undefined;
  const operation = operationOf(match);
  const text = requestBody?.read().shown ?? '';
  // An id can be escaped in JSON. Parsing all other bodies of a journal would take seconds.
  if (operation.idParam === undefined && !text.includes(id) && !text.includes('\\')) return undefined;
  const body = parseBody(text);
  addFromBody(match, body);
  const cut = cutBody(operation, match.params, body, id);
  if (cut.places.length === 0) return undefined;
  let parsed: ParsedCommand | undefined;
  return {
    entry,
    operationId: operationId as OperationId,
    operation,
    places: cut.places,
    counts: cut.counts,
    parse: () => (parsed ??= parseCut(parts, match, operation, cut.body)),
  };
}

/** Whether it is known without parsing that a request does not name an id. */
function namesOnlyOthers({ named }: JournalEntry, id: string): boolean {
  return named !== undefined && named.count === named.first.length && !named.first.includes(id);
}

function parseCut(parts: ControlParts, match: FoundMatch, operation: Operation, body: Json): ParsedCommand | undefined {
  try {
    const { findings } = createRequestValidation(parts).validate(match, body);
    if (findings) dropUnknown(body, findings.unknown);
    const record = operation.list === undefined ? withoutIdentifiers(match.operation.identifiers, body) : body;
    return parseCommand(operation, match.params, record, findings?.refused ?? new Map());
  } catch {
    // The body of a rejected request may have any shape.
    return undefined;
  }
}

function cutBody(operation: Operation, params: Readonly<Record<string, string>>, body: Json, id: string): Cut {
  const { list, idParam, idField } = operation;
  const collection = collectionOf(operation);
  if (list === undefined) {
    const own = idParam === undefined ? idOf(body, idField) : params[idParam];
    return own === id ? { body, places: [''], counts: new Map([[collection, 1]]) } : nothing;
  }
  const entries = listOf(body, list);
  if (list === 'routes') return cutRoutes(body, entries, id);
  const found = [...entries.entries()].filter(([, entry]) => idOf(entry, idField) === id);
  return {
    body: { ...body, [list]: found.map(([, entry]) => entry) },
    places: found.map(([index]) => `/${list}/${index}`),
    counts: new Map([[collection, found.length]]),
  };
}

/** Keeps the routes with the id as they are, and the jobs with the id of the others. */
function cutRoutes(body: Json, routes: readonly unknown[], id: string): Cut {
  const kept: unknown[] = [];
  const places: string[] = [];
  const counts = new Map<RecordCollection, number>();
  const count = (collection: RecordCollection, by: number): void => {
    if (by > 0) counts.set(collection, (counts.get(collection) ?? 0) + by);
  };
  for (const [index, route] of routes.entries()) {
    const isNamed = idOf(route, 'id') === id;
    const found = [...listOf(route, 'jobs').entries()].filter(([, job]) => idOf(job, 'id') === id);
    if (!isNamed && found.length === 0) continue;
    kept.push(isNamed ? route : { ...(route as Json), jobs: found.map(([, job]) => job) });
    places.push(...(isNamed ? [`/routes/${index}`] : found.map(([job]) => `/routes/${index}/jobs/${job}`)));
    count('routes', isNamed ? 1 : 0);
    count('jobs', found.length);
  }
  return { body: { ...body, routes: kept }, places, counts };
}

const nothing: Cut = { body: {}, places: [], counts: new Map() };

function listOf(value: unknown, field: string): readonly unknown[] {
  const list = (value as Json | null | undefined)?.[field];
  return Array.isArray(list) ? list : [];
}

function idOf(value: unknown, field: string): string | undefined {
  const id = (value as Json | null | undefined)?.[field];
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}
