/** Parses `--map 'METHOD PATH=OPERATION'`. */
import { didYouMean } from '../../../lib/nearest.ts';
import { type IdentifierName, identifierNames, type MovedIdentifiers } from '../../../openapi/profile/places.ts';
import { type OperationId, operationIds } from '../../../operations/index.ts';
import type { Exchange } from '../exchange.ts';
import { createEndpoint, type Endpoint, findPlaces, toPathPattern } from './endpoint.ts';
import { shippedFacts } from './skeleton.ts';

/** One `--map`: requests at this method and path belong to the operation. */
export interface UserMap {
  readonly text: string;
  readonly method: string;
  readonly path: string;
  /** The identifiers in its query. */
  readonly places: MovedIdentifiers;
  readonly operation: OperationId;
}

const form = "expected 'METHOD PATH=OPERATION', such as 'PUT /v2/{projectId}/jobs=asyncUpdateJobs'";

/** Parses the maps. Returns them, or every mistake. */
export function parseUserMaps(texts: readonly string[]): readonly UserMap[] | { readonly mistakes: readonly string[] } {
  const parsed = texts.map(parseUserMap);
  const mistakes = parsed.flatMap((one) => (typeof one === 'string' ? [`--map: ${one}`] : []));
  return mistakes.length > 0 ? { mistakes } : parsed.filter((one) => typeof one !== 'string');
}

function parseUserMap(text: string): UserMap | string {
  const [, method = '', target = '', name = ''] = /^\s*([a-z]+)\s+(\/\S*)\s*=\s*(\w+)\s*$/i.exec(text) ?? [];
  if (method === '') return `${form}; got ${JSON.stringify(text)}`;
  const operation = operationIds.find((id) => id === name);
  if (!operation) return `unknown operation "${name}"${didYouMean(name, operationIds)} in ${JSON.stringify(text)}`;
  const [path = '', query = ''] = target.split('?');
  const places: Record<string, string> = {};
  for (const [outer, value] of new URLSearchParams(query)) {
    const identifier = identifierNames.find((one) => value === `{${one}}`);
    if (!identifier) return `expected a query such as ?project={projectId}, got ${JSON.stringify(text)}`;
    places[identifier] = `query:${outer}`;
  }
  return { text, method: method.toUpperCase(), path, places, operation };
}

/**
 * Names the parameters of a path. Those with other names are the operation's remaining identifiers, in their order;
 * `places`: the identifiers that are not in the path.
 */
export function nameParameters(path: string, operation: OperationId, places: readonly string[] = []): string {
  const expected = shippedFacts.get(operation)?.parameters ?? [];
  const free = expected.filter((name) => !path.includes(`{${name}}`) && !places.includes(name));
  return path.replace(/\{(.*?)\}/g, (whole, name: string) =>
    expected.includes(name) ? whole : `{${free.shift() ?? name.replace(/\W/g, '_')}}`,
  );
}

export function isAt({ method, path }: UserMap, exchange: Exchange): boolean {
  return exchange.method === method && toPathPattern(path.replace(/\{.*?\}/g, '{}')).test(exchange.path);
}

/** Returns the endpoint of a map. Identifiers that it does not name are where most of its requests have them. */
export function toEndpoint({ method, path, places, operation }: UserMap, group: readonly Exchange[]): Endpoint {
  const names = (shippedFacts.get(operation)?.parameters ?? []) as readonly IdentifierName[];
  const missing = names.filter((name) => !path.includes(`{${name}}`) && !(name in places));
  const found: MovedIdentifiers = Object.assign({}, ...missing.map((name) => findPlaces(group, [name]) ?? {}), places);
  const named = nameParameters(path, operation, Object.keys(found));
  const isInPath = (name: string): boolean => named.includes(`{${name}}`);
  return createEndpoint(method, named, Object.fromEntries(Object.entries(found).filter(([name]) => !isInPath(name))));
}
