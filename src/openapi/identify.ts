/** Finds the identifiers of a request that a profile moved out of the path. */
import type { Json } from '../lib/json.ts';
import { type MovedIdentifiers, parameterNames, splitPlace } from './profile/places.ts';

/** Where an operation's requests have identifiers: their names outside of the path, and their own names. */
export interface Identifiers {
  readonly query: readonly (readonly [outer: string, name: string])[];
  readonly header: readonly (readonly [outer: string, name: string])[];
  readonly body: readonly (readonly [outer: string, name: string])[];
  /** Fields of the body that a record does not store. */
  readonly dropped: readonly string[];
  readonly isProjectInBody: boolean;
  /** Names that are still in the path. */
  readonly path: readonly string[];
  readonly places: MovedIdentifiers;
}

/** Converts the places of an operation's identifiers to what requests need. Returns undefined if all are in the path. */
export function toIdentifiers(path: string, moved: MovedIdentifiers | undefined): Identifiers | undefined {
  if (moved === undefined) return undefined;
  const places = Object.entries(moved).map(([name, place]) => [name, ...splitPlace(place, name)] as const);
  const pairs = (wanted: string) =>
    places.filter(([, kind]) => kind === wanted).map(([name, , outer]) => [outer, name] as const);
  const body = pairs('body');
  return {
    query: pairs('query'),
    header: pairs('header'),
    body,
    dropped: body.map(([outer]) => outer).filter((outer) => outer !== 'subProjectId'),
    isProjectInBody: body.some(([, name]) => name === 'projectId'),
    path: parameterNames(path),
    places: moved,
  };
}

/** Adds the identifiers of a request's query and headers to its parameters. */
export function addFromHead(
  params: Record<string, string>,
  { query, header }: Identifiers,
  values: Readonly<Record<string, string | string[]>>,
  headers: NodeJS.Dict<string | string[]>,
): void {
  for (const [outer, name] of query) {
    const value = values[outer];
    if (typeof value === 'string') params[name] = value;
  }
  for (const [outer, name] of header) {
    const value = headers[outer];
    if (typeof value === 'string' && value !== '') params[name] = value;
  }
}

/** Returns the parameters of a request by the place where it has them, to validate them. */
export function toPlacedParameters(
  { path, header }: Identifiers,
  params: Readonly<Record<string, string>>,
): { readonly path: Record<string, string>; readonly header: Record<string, string> } {
  const placed = { path: {} as Record<string, string>, header: {} as Record<string, string> };
  for (const name of path) placed.path[name] = params[name] as string;
  for (const [outer, name] of header) {
    const value = params[name];
    if (value !== undefined) placed.header[outer] = value;
  }
  return placed;
}

/** Adds the identifiers of a request's body to its parameters. Ignores values that are not texts. */
export function addFromBody(
  {
    operation,
    params,
  }: { readonly operation: { readonly identifiers: Identifiers | undefined }; params: Record<string, string> },
  body: unknown,
): void {
  if (operation.identifiers === undefined || typeof body !== 'object' || body === null) return;
  for (const [outer, name] of operation.identifiers.body) {
    const value = Object.hasOwn(body, outer) ? (body as Json)[outer] : undefined;
    if (typeof value === 'string' && value !== '') params[name] = value;
  }
}

/** Returns a record without the identifiers of its request, which are not stored; a subproject is stored. */
export function withoutIdentifiers(identifiers: Identifiers | undefined, record: Json): Json {
  if (identifiers === undefined || identifiers.dropped.length === 0) return record;
  // A copy in a loop: an object after `delete` is slow in everything that reads it later, and lists of pairs take longer.
  const copy: Json = {};
  for (const name in record) {
    if (name !== '__proto__' && !identifiers.dropped.includes(name)) copy[name] = record[name];
  }
  return copy;
}

/** Formats the place of an identifier for a message: `the path`, `the query`, `the header x-job` or `/jobId`. */
export function describePlace(identifiers: Identifiers | undefined, name: string): string {
  const [kind, outer] = splitPlace(identifiers?.places[name] ?? 'path', name);
  if (kind === 'body') return `/${outer}`;
  return kind === 'header' ? `the header ${outer}` : `the ${kind}`;
}
