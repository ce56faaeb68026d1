/** Defines an endpoint: where the traffic, or a `--map`, has an operation, and where its requests have identifiers. */
import { didYouMean } from '../../lib/nearest.ts';
import {
  type IdentifierName,
  identifierNames,
  type MovedIdentifiers,
  splitPlace,
} from '../../openapi/profile/places.ts';
import { type OperationId, operationIds } from '../../operations/index.ts';
import { type Exchange, findMajority, objectsIn, toPatternText } from './exchange.ts';
import { shippedFacts } from './shipped.ts';

export interface Endpoint {
  readonly method: string;
  readonly path: string;
  /** The identifiers that are not in the path. */
  readonly places: MovedIdentifiers;
}

/**
 * Returns the endpoint of an operation at a path. Its parameters with other names are the remaining identifiers, in their
 * order. Identifiers without a place, which are not in the path either, are where most of the requests have them.
 */
export function toEndpoint(
  operation: OperationId,
  { method, path, places }: Endpoint,
  requests: readonly Exchange[],
): Endpoint {
  const { parameters } = shippedFacts(operation);
  const open = parameters.filter((name) => !path.includes(`{${name}}`));
  const moved = { ...findPlaces(requests, open), ...places };
  const free = open.filter((name) => !(name in moved));
  const named = path.replace(/\{(.*?)\}/g, (whole, name: string) =>
    parameters.some((one) => one === name) ? whole : `{${free.shift() ?? name.replace(/\W/g, '_')}}`,
  );
  return { method, path: named, places: moved };
}

/** Names of query parameters and headers, without separators and in lower case. */
const outerNames: Readonly<Record<IdentifierName, RegExp>> = {
  projectId: /^(x)?(project|proj|tenant|account)(id|name|key)?$/,
  subProjectId: /^(x)?sub(project|proj)?(id|name)?$/,
  jobId: /^(x)?(job|task)(id)?$/,
  orderId: /^(x)?(order)(id|number)?$/,
  username: /^(x)?(user)(name|id)?$/,
};

/** Finds where requests have identifiers that are not in their path. Those that are nowhere are left out. */
function findPlaces(exchanges: readonly Exchange[], identifiers: readonly IdentifierName[]): MovedIdentifiers {
  const places = identifiers.map((name) => [name, findPlace(exchanges, name)] as const);
  return Object.fromEntries(places.filter((pair): pair is [IdentifierName, string] => pair[1] !== undefined));
}

/** Most of the requests must have it; the others may lack it by mistake. */
function findPlace(exchanges: readonly Exchange[], identifier: IdentifierName): string | undefined {
  const isNamed = (name: string): boolean => outerNames[identifier].test(name.toLowerCase().replace(/[^a-z]/g, ''));
  const places = exchanges.flatMap(({ query, headers }) => [
    ...query.flatMap(([name]) => (isNamed(name) ? [`query:${name}`] : [])),
    ...Object.keys(headers).flatMap((name) => (isNamed(name) ? [`header:${name}`] : [])),
  ]);
  const best = findMajority(places);
  if (best && best.count >= exchanges.length * 0.7) return best.value;
  const bodies = objectsIn(exchanges.map(({ body }) => body));
  const inBody = bodies.filter((body) => typeof body[identifier] === 'string').length;
  return inBody > 0 && inBody >= bodies.length / 2 ? 'body' : undefined;
}

/** Formats an endpoint for a report. */
export function describeEndpoint({ method, path, places }: Endpoint): string {
  const split = Object.entries(places).map(([name, place]) => [name, ...splitPlace(place, name)] as const);
  const textsOf = (wanted: string, toText: (outer: string, name: string) => string): readonly string[] =>
    split.flatMap(([name, kind, outer]) => (kind === wanted ? [toText(outer, name)] : []));
  const query = textsOf('query', (outer, name) => `${outer}={${name}}`).join('&');
  const headers = textsOf('header', (outer, name) => `; ${name} in header ${outer}`);
  const fields = textsOf('body', (_, name) => `; ${name} in the body`);
  return [method, ' ', path, query === '' ? '' : `?${query}`, ...headers, ...fields].join('');
}

/** One `--map`: requests at this endpoint belong to the operation. */
export interface UserMap extends Endpoint {
  readonly text: string;
  readonly pattern: RegExp;
  readonly operation: OperationId;
}

const form = "expected 'METHOD PATH=OPERATION', such as 'PUT /v2/{projectId}/jobs=asyncUpdateJobs'";

/** Parses the maps, and adds every mistake. */
export function parseUserMaps(texts: readonly string[], mistakes: string[]): readonly UserMap[] {
  return texts.flatMap((text) => {
    const parsed = parseUserMap(text);
    if (typeof parsed !== 'string') return [parsed];
    mistakes.push(`--map: ${parsed}`);
    return [];
  });
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
