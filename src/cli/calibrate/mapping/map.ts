/** Maps exchanges to operations: by `--map`, by the profile's paths, or by their similarity to the shipped paths. */
import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../../../openapi/contract.ts';
import { addFromBody } from '../../../openapi/identify.ts';
import type { OperationId } from '../../../operations/index.ts';
import { type Exchange, groupBy } from '../exchange.ts';
import { createEndpoint, type Endpoint, findPlaces, type MappedExchange, readIdentifiers } from './endpoint.ts';
import { fitsBodies, isShippedMethod, pathWords } from './skeleton.ts';
import { describeUnmapped, groupByTemplate, type TemplateGroup, type UnmappedGroup } from './unmapped.ts';
import { isAt, toEndpoint, type UserMap } from './user-map.ts';

export interface Mapping {
  /** In the order of the traffic. */
  readonly mapped: readonly MappedExchange[];
  readonly unmapped: readonly UnmappedGroup[];
  /** Where the traffic has each operation, if the profile has it elsewhere. */
  readonly moved: ReadonlyMap<OperationId, Endpoint>;
  /** Maps that match no exchange. */
  readonly unusedMaps: readonly UserMap[];
}

export function mapTraffic(exchanges: readonly Exchange[], contract: Contract, userMaps: readonly UserMap[]): Mapping {
  const found = new Map<Exchange, MappedExchange>();
  const moved = new Map<OperationId, Endpoint>();
  const listOpen = (): readonly Exchange[] => exchanges.filter((exchange) => !found.has(exchange));
  const place = (operation: OperationId, endpoint: Endpoint, group: readonly Exchange[]): void => {
    const isRouted = isSameEndpoint(endpoint, contract.operations.get(operation));
    if (!isRouted) moved.set(operation, endpoint);
    for (const exchange of group)
      found.set(exchange, { exchange, operation, identifiers: readIdentifiers(exchange, endpoint), isRouted });
  };
  // Fixed segments win over parameters, as in a router.
  const countParameters = ({ path }: UserMap): number => path.split('{').length;
  const unusedMaps = userMaps
    .toSorted((a, b) => countParameters(a) - countParameters(b))
    .filter((map) => {
      const group = listOpen().filter((exchange) => isAt(map, exchange));
      if (group.length > 0) place(map.operation, toEndpoint(map, group), group);
      return group.length === 0;
    });
  for (const exchange of listOpen()) {
    const mapped = findRoute(exchange, contract);
    if (mapped && !moved.has(mapped.operation)) found.set(exchange, mapped);
  }
  const groups = groupByTemplate(listOpen(), [...found.values()]);
  for (const { operation, endpoint, group } of findSimilar(groups, [...found.values()]))
    place(operation, endpoint, group.exchanges);
  const mapped = exchanges.flatMap((exchange) => found.get(exchange) ?? []);
  const open = groups.filter(({ exchanges: [first] }) => first && !found.has(first));
  return { mapped, unmapped: describeUnmapped(open, mapped), moved, unusedMaps };
}

function isSameEndpoint({ method, path, identifiers }: Endpoint, routed: Endpoint | undefined): boolean {
  const hasPath = routed?.method === method && routed.path === path;
  return hasPath && isDeepStrictEqual(routed.identifiers?.places, identifiers?.places);
}

/** Maps an exchange at a path of the profile. */
function findRoute(exchange: Exchange, contract: Contract): MappedExchange | undefined {
  const match = contract.match(exchange.method, exchange.url, exchange.headers);
  if (!match.found || Object.values(match.params).some((value) => pathWords.has(value))) return undefined;
  addFromBody(match, exchange.body?.value);
  return { exchange, operation: match.operation.id as OperationId, identifiers: match.params, isRouted: true };
}

interface Fit {
  readonly operation: OperationId;
  readonly endpoint: Endpoint;
  readonly group: TemplateGroup;
}

/**
 * Finds the operations of paths that are similar to shipped ones. The method decides between operations of one path; an
 * operation with another method is what is left. An operation that two paths claim gets none of them.
 */
function findSimilar(all: readonly TemplateGroup[], mapped: readonly MappedExchange[]): readonly Fit[] {
  const similar = all.filter(({ matches, exchanges }) => matches.length > 0 && exchanges.some(({ body }) => body));
  const isSure = ({ matches, method }: TemplateGroup): boolean =>
    matches.some(({ operation, removed }) => removed.length === 0 && isShippedMethod(operation, method));
  // Another host than those that have operations for sure has none.
  const hosts = new Set([
    ...mapped.map(({ exchange }) => exchange.host),
    ...similar.filter(isSure).map((one) => one.host),
  ]);
  const usable = similar.filter(({ host }) => hosts.size === 0 || hosts.has(host));
  const taken = new Set(mapped.map(({ operation }) => operation));
  const found: Fit[] = [];
  for (const hasMethod of [true, false]) {
    const fits = usable.flatMap((group) => findFit(group, hasMethod, taken) ?? []);
    for (const [first, ...others] of groupBy(fits, ({ operation }) => operation).values()) {
      if (first && others.length === 0) found.push(first);
      if (first) taken.add(first.operation);
    }
  }
  return found;
}

/** Returns the only operation that fits, with or without its shipped method. */
function findFit(group: TemplateGroup, hasMethod: boolean, taken: ReadonlySet<string>): Fit | undefined {
  const { method, exchanges, matches } = group;
  const fits = matches.flatMap(({ operation, template, removed }) => {
    const places = findPlaces(exchanges, removed);
    if (Object.keys(places).length < removed.length || !fitsBodies(operation, exchanges)) return [];
    const endpoint = createEndpoint(method, template, places);
    return [{ operation, endpoint, group, removed, isShipped: isShippedMethod(operation, method) }];
  });
  if (fits.some(({ isShipped }) => isShipped) !== hasMethod) return undefined;
  const open = fits.filter(({ isShipped, operation }) => isShipped === hasMethod && !taken.has(operation));
  const fewest = Math.min(...open.map(({ removed }) => removed.length));
  const [best, ...others] = open.filter(({ removed }) => removed.length === fewest);
  return others.length === 0 ? best : undefined;
}
