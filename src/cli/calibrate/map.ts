/** Maps exchanges to operations: by the profile's paths, by `--map`, or by their similarity to the shipped paths. */

import { isDeepStrictEqual } from 'node:util';
import { ConfigError } from '../../config/config-error.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { Contract } from '../../openapi/contract.ts';
import { addFromBody } from '../../openapi/identify.ts';
import type { RoutedOperation } from '../../openapi/router.ts';
import type { OperationId } from '../../operations/index.ts';
import { type Endpoint, toEndpoint, type UserMap } from './endpoint.ts';
import { type Exchange, type MappedExchange, toExampleName } from './exchange.ts';
import { chooseFits, type Fit, groupByTemplate, type TemplateGroup } from './groups.ts';
import { pathWords, shippedFacts } from './shipped.ts';

/** Where the traffic has an operation that the profile has elsewhere. */
export interface Move {
  readonly endpoint: Endpoint;
  readonly exchanges: readonly Exchange[];
}

export interface Places {
  /** The exchanges at the profile's own paths. */
  readonly routed: ReadonlySet<Exchange>;
  readonly moved: ReadonlyMap<OperationId, Move>;
  /** Maps that match no exchange. */
  readonly unusedMaps: readonly UserMap[];
}

/** @throws ConfigError if two maps have requests of one operation */
export function findPlaces(exchanges: readonly Exchange[], contract: Contract, userMaps: readonly UserMap[]): Places {
  const open = new Set(exchanges);
  const moved = new Map<OperationId, Move>();
  const take = (operation: OperationId, endpoint: Endpoint, group: readonly Exchange[]): void => {
    if (isSameEndpoint(endpoint, contract.operations.get(operation))) return;
    moved.set(operation, { endpoint, exchanges: group });
    for (const exchange of group) open.delete(exchange);
  };
  // Fixed segments win over parameters, as in a router.
  const countParameters = ({ path }: UserMap): number => path.split('{').length;
  const unusedMaps = userMaps
    .toSorted((a, b) => countParameters(a) - countParameters(b))
    .filter((map) => {
      const group = [...open].filter(({ method, path }) => method === map.method && map.pattern.test(path));
      if (group.length > 0) take(map.operation, toEndpoint(map.operation, map, group), group);
      return group.length === 0;
    });
  checkUnique(userMaps.filter((map) => !unusedMaps.includes(map)));
  const routed = mapRoutes([...open], contract).filter(({ operation }) => !moved.has(operation));
  for (const { exchange } of routed) open.delete(exchange);
  const sure = [...routed.map(({ exchange }) => exchange), ...[...moved.values()].flatMap((move) => move.exchanges)];
  const taken = new Set([...routed.map(({ operation }) => operation), ...moved.keys()]);
  const similar = findSimilar(groupByTemplate([...open], []), new Set(sure.map(({ host }) => host)), taken);
  for (const { operation, endpoint, group } of similar) take(operation, endpoint, group.exchanges);
  return { routed: new Set(routed.map(({ exchange }) => exchange)), moved, unusedMaps };
}

/** A profile has each operation at one place: of two maps, the second would replace the first. */
function checkUnique(maps: readonly UserMap[]): void {
  const groups = [...groupBy(maps, ({ operation }) => operation).values()].filter(({ length }) => length > 1);
  const mistakes = groups.map((group) => {
    const texts = group.map(({ text }) => `'${text}'`).join(' and ');
    return `--map: ${texts} have requests of one operation; a profile has each at one method and path: keep one of them`;
  });
  if (mistakes.length > 0) throw new ConfigError(mistakes);
}

function isSameEndpoint({ method, path, places }: Endpoint, routed: RoutedOperation | undefined): boolean {
  const hasPath = routed?.method === method && routed.path === path;
  return hasPath && isDeepStrictEqual(routed.identifiers?.places ?? {}, places);
}

/** Maps the exchanges that are at a path of the profile. */
export function mapRoutes(exchanges: readonly Exchange[], contract: Contract): readonly MappedExchange[] {
  return exchanges.flatMap((exchange) => {
    const match = contract.match(exchange.method, exchange.url, exchange.headers);
    if (!match.found || Object.values(match.params).some((value) => pathWords.has(value))) return [];
    addFromBody(match, exchange.body?.value);
    return [{ exchange, operation: match.operation.id as OperationId, identifiers: match.params }];
  });
}

/**
 * Finds the operations of paths that are similar to shipped ones, at hosts that have operations for sure. An operation
 * that two paths claim gets none of them. `taken`: operations that have a path.
 */
function findSimilar(
  all: readonly TemplateGroup[],
  sureHosts: ReadonlySet<string>,
  taken: ReadonlySet<OperationId>,
): readonly Fit[] {
  const similar = all.filter((group) => group.similar.length > 0);
  const isSure = ({ similar: ids, method, template, exchanges }: TemplateGroup): boolean =>
    exchanges.some(({ body }) => body) &&
    ids.some((id) => shippedFacts(id).method === method && template.endsWith(shippedFacts(id).path));
  const hosts = new Set([...sureHosts, ...similar.filter(isSure).map(({ host }) => host)]);
  const chosen = chooseFits(
    similar.filter(({ host }) => hosts.size === 0 || hosts.has(host)),
    taken,
  );
  const single = chosen.flatMap(([first, ...others]) => (first && others.length === 0 ? [first] : []));
  return [...groupBy(single, ({ operation }) => operation).values()].filter(({ length }) => length === 1).flat();
}

/** Exchanges of one method and path without an operation. */
export interface UnmappedGroup {
  readonly method: string;
  readonly path: string;
  readonly count: number;
  readonly example: string;
  readonly reason: string;
  /** Operations that fit equally well. */
  readonly candidates: readonly OperationId[];
  /** A `--map`, complete if one operation fits; undefined for requests that are hardly one. */
  readonly map: string | undefined;
}

/** Describes the exchanges that are not mapped; what may be an operation comes before the files of a web page. */
export function describeUnmapped(
  exchanges: readonly Exchange[],
  mapped: readonly MappedExchange[],
): readonly UnmappedGroup[] {
  const known = new Set(mapped.map(({ exchange }) => exchange));
  const groups = groupByTemplate(
    exchanges.filter((exchange) => !known.has(exchange)),
    mapped.map(({ identifiers }) => identifiers['projectId']),
  );
  const chosen = chooseFits(groups.filter(isLikely), new Set(mapped.map(({ operation }) => operation)));
  const described = groups.map((group) => describe(group, chosen.find(([first]) => first?.group === group) ?? []));
  return described.toSorted((a, b) => Number(b.map !== undefined) - Number(a.map !== undefined));
}

function isLikely({ method, exchanges }: TemplateGroup): boolean {
  return method !== 'GET' && exchanges.some(({ response: { status } }) => status !== 404 && status !== 405);
}

function describe(group: TemplateGroup, fits: readonly Fit[]): UnmappedGroup {
  const { method, template, exchanges } = group;
  const candidates = fits.map(({ operation }) => operation);
  const path = fits[0]?.endpoint.path ?? template;
  const operation = candidates.length === 1 ? candidates[0] : 'OPERATION';
  return {
    ...{ method, path, count: exchanges.length, candidates },
    example: toExampleName(exchanges[0] as Exchange),
    reason: candidates.length === 0 ? 'fits no operation' : `may be ${candidates.join(' or ')}`,
    map: isLikely(group) ? `--map '${method} ${path}=${operation}'` : undefined,
  };
}
