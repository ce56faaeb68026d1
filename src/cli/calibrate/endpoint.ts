/** Defines an endpoint: where the traffic has an operation, and where its requests have their identifiers. */
import { type Identifiers, toIdentifiers } from '../../openapi/identify.ts';
import type { IdentifierName, MovedIdentifiers } from '../../openapi/profile/places.ts';
import type { OperationId } from '../../operations/index.ts';
import { type Exchange, findMajority, objectsIn } from './exchange.ts';
import { shippedFacts } from './shipped.ts';

export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly identifiers: Identifiers | undefined;
}

/**
 * Returns the endpoint of an operation at a path. Its parameters with other names are the remaining identifiers, in their
 * order. Identifiers without a place, which are not in the path either, are where most of the requests have them.
 */
export function toEndpoint(
  operation: OperationId,
  { method, path, places = {} }: { readonly method: string; readonly path: string; readonly places?: MovedIdentifiers },
  requests: readonly Exchange[],
): Endpoint {
  const { parameters } = shippedFacts(operation);
  const open = parameters.filter((name) => !path.includes(`{${name}}`));
  const moved = { ...findPlaces(requests, open), ...places };
  const free = open.filter((name) => !(name in moved));
  const named = path.replace(/\{(.*?)\}/g, (whole, name: string) =>
    parameters.some((one) => one === name) ? whole : `{${free.shift() ?? name.replace(/\W/g, '_')}}`,
  );
  return { method, path: named, identifiers: toIdentifiers(named, Object.keys(moved).length > 0 ? moved : undefined) };
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
export function describeEndpoint({ method, path, identifiers }: Endpoint): string {
  const { query = [], header = [], body = [] } = identifiers ?? {};
  const pairs = query.map(([outer, name]) => `${outer}={${name}}`).join('&');
  const headers = header.map(([outer, name]) => `; ${name} in header ${outer}`);
  const fields = body.map(([, name]) => `; ${name} in the body`);
  return `${method} ${path}${pairs === '' ? '' : `?${pairs}`}${[...headers, ...fields].join('')}`;
}
