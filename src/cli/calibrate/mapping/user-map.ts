/** Parses `--map 'METHOD PATH=OPERATION'`. */
import { didYouMean } from '../../../lib/nearest.ts';
import { identifierNames, type MovedIdentifiers } from '../../../openapi/profile/places.ts';
import { type OperationId, operationIds } from '../../../operations/index.ts';
import { type Exchange, toPatternText } from '../exchange.ts';
import { createEndpoint, type Endpoint, findPlaces } from './endpoint.ts';
import { shippedFacts } from './skeleton.ts';

/** One `--map`: requests at this method and path belong to the operation. */
export interface UserMap {
  readonly text: string;
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
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
  const literals = path.split(/\{.*?\}/).map(toPatternText);
  return {
    text,
    method: method.toUpperCase(),
    path,
    pattern: new RegExp(`^${literals.join('[^/]+')}/*$`),
    places,
    operation,
  };
}

export function isAt({ method, pattern }: UserMap, exchange: Exchange): boolean {
  return exchange.method === method && pattern.test(exchange.path);
}

/**
 * Names the parameters of a path. Those with other names are the operation's remaining identifiers, in their order;
 * `places`: the identifiers that are not in the path.
 */
export function nameParameters(path: string, operation: OperationId, places: readonly string[]): string {
  const { parameters } = shippedFacts(operation);
  const free = parameters.filter((name) => !path.includes(`{${name}}`) && !places.includes(name));
  return path.replace(/\{(.*?)\}/g, (whole, name: string) =>
    parameters.some((one) => one === name) ? whole : `{${free.shift() ?? name.replace(/\W/g, '_')}}`,
  );
}

/** Returns the endpoint of a map. Identifiers that it does not name are where most of its requests have them. */
export function toEndpoint({ method, path, places, operation }: UserMap, group: readonly Exchange[]): Endpoint {
  const missing = shippedFacts(operation).parameters.filter((name) => !path.includes(`{${name}}`) && !(name in places));
  const found = { ...findPlaces(group, missing), ...places };
  const named = nameParameters(path, operation, Object.keys(found));
  const moved = Object.entries(found).filter(([name]) => !named.includes(`{${name}}`));
  return createEndpoint(method, named, Object.fromEntries(moved));
}
