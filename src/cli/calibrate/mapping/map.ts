/** Maps exchanges to operations: by `--map`, by the profile's paths, or by their similarity to the shipped paths. */
import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../../../openapi/contract.ts';
import { addFromBody } from '../../../openapi/identify.ts';
import type { OperationId } from '../../../operations/index.ts';
import { type Exchange, groupBy, toUrl } from '../exchange.ts';
import { createEndpoint, type Endpoint, findPlaces, type MappedExchange, readIdentifiers } from './endpoint.ts';
import { findSkeletons, fitsBodies, pathWords, type SkeletonMatch, shippedFacts } from './skeleton.ts';
import { describeUnmapped, type UnmappedGroup } from './unmapped.ts';
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
  for (const { operation, endpoint, group } of findSimilar(listOpen(), [...found.values()]))
    place(operation, endpoint, group);
  const mapped = exchanges.flatMap((exchange) => found.get(exchange) ?? []);
  return { mapped, unmapped: describeUnmapped(listOpen(), mapped), moved, unusedMaps };
}

function isSameEndpoint({ method, path, identifiers }: Endpoint, routed: Endpoint | undefined): boolean {
  return (
    routed?.method === method &&
    routed.path === path &&
    isDeepStrictEqual(routed.identifiers?.places, identifiers?.places)
  );
}

/** Maps an exchange at a path of the profile. */
function findRoute(exchange: Exchange, contract: Contract): MappedExchange | undefined {
  const match = contract.match(exchange.method, toUrl(exchange), exchange.headers);
  if (!match.found || Object.values(match.params).some((value) => pathWords.has(value))) return undefined;
  addFromBody(match, exchange.body?.value);
  return { exchange, operation: match.operation.id as OperationId, identifiers: match.params, isRouted: true };
}

/** Exchanges whose paths have the form of the same operations. */
interface Similar {
  readonly method: string;
  readonly group: readonly Exchange[];
  readonly matches: readonly SkeletonMatch[];
}

interface Fit {
  readonly operation: OperationId;
  readonly endpoint: Endpoint;
  readonly group: readonly Exchange[];
}

/**
 * Finds the operations of paths that are similar to shipped ones. The method decides between operations of one path; an
 * operation with another method is what is left. An operation that two paths claim gets none of them.
 */
function findSimilar(exchanges: readonly Exchange[], mapped: readonly MappedExchange[]): readonly Fit[] {
  const similar = findGroups(exchanges, mapped);
  const taken = new Set(mapped.map(({ operation }) => operation));
  const found: Fit[] = [];
  for (const hasMethod of [true, false]) {
    const fits = similar.flatMap((one) => findFit(one, hasMethod, taken) ?? []);
    const single = [...groupBy(fits, ({ operation }) => operation).values()]
      .filter(({ length }) => length === 1)
      .flat();
    found.push(...single);
    for (const { operation } of fits) taken.add(operation);
  }
  return found;
}

/**
 * Groups exchanges by method and template. A path is no evidence without a body, nor at another host than those that
 * have operations for sure.
 */
function findGroups(exchanges: readonly Exchange[], mapped: readonly MappedExchange[]): readonly Similar[] {
  const all = exchanges.map((exchange) => ({ exchange, matches: findSkeletons(exchange.path) }));
  const sure = all.filter(
    ({ exchange, matches }) =>
      exchange.body && matches.some((one) => hasMethodOf(one, exchange.method) && one.removed.length === 0),
  );
  const hosts = new Set([...mapped, ...sure].map(({ exchange }) => exchange.host));
  const usable = all.filter(
    ({ exchange: { host }, matches }) => matches.length > 0 && (hosts.size === 0 || hosts.has(host)),
  );
  const groups = groupBy(usable, ({ exchange, matches }) => `${exchange.method} ${matches[0]?.template ?? ''}`);
  return [...groups.values()].flatMap((found): readonly Similar[] => {
    const group = found.map(({ exchange }) => exchange);
    const [first] = found;
    return first && group.some(({ body }) => body)
      ? [{ method: first.exchange.method, group, matches: first.matches }]
      : [];
  });
}

function hasMethodOf({ operation }: Pick<SkeletonMatch, 'operation'>, method: string): boolean {
  return shippedFacts.get(operation)?.method === method;
}

/** Returns the only operation that fits, with or without its shipped method. */
function findFit({ method, group, matches }: Similar, hasMethod: boolean, taken: ReadonlySet<string>): Fit | undefined {
  const fits = matches.flatMap(({ operation, template, removed }) => {
    const places = fitsBodies(operation, group) ? findPlaces(group, removed) : undefined;
    return places ? [{ operation, removed, endpoint: createEndpoint(method, template, places), group }] : [];
  });
  if (fits.some((fit) => hasMethodOf(fit, method)) !== hasMethod) return undefined;
  const open = fits.filter((fit) => hasMethodOf(fit, method) === hasMethod && !taken.has(fit.operation));
  const fewest = Math.min(...open.map(({ removed }) => removed.length));
  const [best, ...others] = open.filter(({ removed }) => removed.length === fewest);
  return others.length === 0 ? best : undefined;
}
