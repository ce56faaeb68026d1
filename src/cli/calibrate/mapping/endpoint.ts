/** Defines an endpoint: where the traffic has an operation, and where its identifiers are. */
import type { RoutedOperation } from '../../../openapi/router.ts';
import { type Exchange, isObject } from '../exchange.ts';
import type { IdentifierName, Identifiers } from './facts.ts';

/** Where an identifier is outside of the path. */
export type Place =
  | { readonly in: 'query' | 'header'; readonly name: string }
  | { readonly in: 'body'; readonly name: IdentifierName };

/** A place of the traffic: method, path and identifiers. */
export interface Endpoint {
  readonly method: string;
  /** Path with `{identifier}`s, without the query. */
  readonly template: string;
  readonly places: Readonly<Partial<Record<IdentifierName, Place>>>;
}

/** Returns where a profile has an operation. */
export function toEndpoint({
  method,
  path,
  identifiers,
}: Pick<RoutedOperation, 'method' | 'path' | 'identifiers'>): Endpoint {
  const { query = [], header = [], body = [] } = identifiers ?? {};
  const places = [
    ...query.map(([outer, name]) => [name, { in: 'query', name: outer }]),
    ...header.map(([outer, name]) => [name, { in: 'header', name: outer }]),
    ...body.map((name) => [name, { in: 'body', name }]),
  ];
  return { method, template: path, places: Object.fromEntries(places) as Endpoint['places'] };
}

/** Reads the identifiers of a request at an endpoint. `values`: those of the path. */
export function readPlaces(exchange: Exchange, { places }: Endpoint, values: Identifiers): Identifiers {
  const found: Record<string, string> = { ...values };
  for (const [identifier, place] of Object.entries(places)) {
    const value = readPlace(exchange, place);
    if (value !== undefined) found[identifier] = value;
  }
  return found;
}

function readPlace({ query, headers, body }: Exchange, place: Place): string | undefined {
  switch (place.in) {
    case 'query':
      return query.find(([name]) => name === place.name)?.[1];
    case 'header':
      return headers[place.name];
    case 'body': {
      const value = isObject(body?.value) ? body.value[place.name] : undefined;
      return typeof value === 'string' ? value : undefined;
    }
    default:
      return place satisfies never;
  }
}

/** Compiles a path template; its parameters become named groups. */
export function toPathPattern(template: string, prefix = ''): RegExp {
  const source = template
    .split('/')
    .map((segment) => {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      return name === undefined ? segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : `(?<${name}>[^/]+)`;
    })
    .join('/');
  return new RegExp(`^${prefix}${source}/*$`);
}

/** Matches a path. Returns its decoded parameters, or undefined if it does not match. */
export function matchPath(pattern: RegExp, path: string): Record<string, string> | undefined {
  const groups = pattern.exec(path)?.groups;
  if (groups) return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decode(value)]));
  return pattern.test(path) ? {} : undefined;
}

export function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
