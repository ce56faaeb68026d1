/** Defines an endpoint: where the traffic has an operation, and where its requests have their identifiers. */
import { addFromBody, addFromHead, toIdentifiers } from '../../../openapi/identify.ts';
import type { IdentifierName, MovedIdentifiers } from '../../../openapi/profile/places.ts';
import type { RoutedOperation } from '../../../openapi/router.ts';
import type { OperationId } from '../../../operations/index.ts';
import { countEach, type Exchange, isObject } from '../exchange.ts';

export type Endpoint = Pick<RoutedOperation, 'method' | 'path' | 'identifiers'>;

/** The identifiers of one request, by name. */
export type IdentifierValues = Readonly<Record<string, string>>;

/** An exchange with its operation. */
export interface MappedExchange {
  readonly exchange: Exchange;
  readonly operation: OperationId;
  readonly identifiers: IdentifierValues;
  /** Whether the profile already has this method and path for the operation. */
  readonly isRouted: boolean;
}

export function createEndpoint(method: string, path: string, moved: MovedIdentifiers): Endpoint {
  return { method, path, identifiers: toIdentifiers(path, Object.keys(moved).length > 0 ? moved : undefined) };
}

/** Reads the identifiers of a request at an endpoint. */
export function readIdentifiers(exchange: Exchange, { path, identifiers }: Endpoint): IdentifierValues {
  const params = matchPath(toPathPattern(path), exchange.path) ?? {};
  if (!identifiers) return params;
  addFromHead(params, identifiers, Object.fromEntries(exchange.query), exchange.headers);
  addFromBody({ operation: { identifiers }, params }, exchange.body?.value);
  return params;
}

/** Compiles a path template; its parameters become named groups, those without a name only match. */
export function toPathPattern(template: string, prefix = ''): RegExp {
  const source = template.split('/').map((segment) => {
    const name = /^\{(\w*)\}$/.exec(segment)?.[1];
    if (name === undefined) return segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return name === '' ? '[^/]+' : `(?<${name}>[^/]+)`;
  });
  return new RegExp(`^${prefix}${source.join('/')}/*$`);
}

/** Matches a path. Returns its decoded parameters, or undefined if it does not match. */
export function matchPath(pattern: RegExp, path: string): Record<string, string> | undefined {
  const found = pattern.exec(path);
  if (!found) return undefined;
  return Object.fromEntries(Object.entries(found.groups ?? {}).map(([name, value]) => [name, decode(value)]));
}

export function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Names of query parameters and headers, without separators and in lower case. */
const outerNames: Readonly<Record<IdentifierName, RegExp>> = {
  projectId: /^(x)?(project|proj|tenant|account)(id|name|key)?$/,
  subProjectId: /^(x)?sub(project|proj)?(id|name)?$/,
  jobId: /^(x)?(job|task)(id)?$/,
  orderId: /^(x)?(order)(id|number)?$/,
  username: /^(x)?(user)(name|id)?$/,
};

/** Share of the requests that must have an identifier at a place; the others may lack it by mistake. */
const minShare = 0.7;

/** Finds where requests have identifiers that are not in their path. Returns undefined if one is nowhere. */
export function findPlaces(
  exchanges: readonly Exchange[],
  identifiers: readonly IdentifierName[],
): MovedIdentifiers | undefined {
  const places = identifiers.map((name) => [name, findPlace(exchanges, name)] as const);
  const found = places.filter((pair): pair is [IdentifierName, string] => pair[1] !== undefined);
  return found.length === places.length ? Object.fromEntries(found) : undefined;
}

function findPlace(exchanges: readonly Exchange[], identifier: IdentifierName): string | undefined {
  const isNamed = (name: string): boolean => outerNames[identifier].test(name.toLowerCase().replace(/[^a-z]/g, ''));
  const places = exchanges.flatMap(({ query, headers }) => [
    ...query.flatMap(([name]) => (isNamed(name) ? [`query:${name}`] : [])),
    ...Object.keys(headers).flatMap((name) => (isNamed(name) ? [`header:${name}`] : [])),
  ]);
  const [best] = countEach(places);
  if (best && best.count >= exchanges.length * minShare) return best.value;
  const bodies = exchanges.flatMap(({ body }) => (isObject(body?.value) ? [body.value] : []));
  const inBody = bodies.filter((body) => typeof body[identifier] === 'string').length;
  return inBody > 0 && inBody >= bodies.length / 2 ? 'body' : undefined;
}
