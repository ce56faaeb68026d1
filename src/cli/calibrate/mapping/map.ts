/** Maps exchanges to operations: by `--map`, by the profile's paths, or by their similarity to the shipped paths. */
import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../../../openapi/contract.ts';
import { addFromBody } from '../../../openapi/identify.ts';
import type { OperationId } from '../../../operations/index.ts';
import { type Exchange, groupBy, toExampleName } from '../exchange.ts';
import { type Endpoint, type MappedExchange, readIdentifiers, toEndpoint } from './endpoint.ts';
import { chooseFits, type Fit, groupByTemplate, type TemplateGroup } from './groups.ts';
import { pathWords, shippedFacts } from './shipped.ts';
import type { UserMap } from './user-map.ts';

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
      const group = listOpen().filter(({ method, path }) => method === map.method && map.pattern.test(path));
      if (group.length > 0) place(map.operation, toEndpoint(map.operation, map, group), group);
      return group.length === 0;
    });
  for (const exchange of listOpen()) {
    const mapped = findRoute(exchange, contract);
    if (mapped && !moved.has(mapped.operation)) found.set(exchange, mapped);
  }
  const sure = [...found.values()];
  const groups = groupByTemplate(listOpen(), sure);
  const similar = findSimilar(groups, sure);
  for (const { operation, endpoint, group } of similar) place(operation, endpoint, group.exchanges);
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

/**
 * Finds the operations of paths that are similar to shipped ones, at hosts that have operations for sure. An operation
 * that two paths claim gets none of them.
 */
function findSimilar(all: readonly TemplateGroup[], sure: readonly MappedExchange[]): readonly Fit[] {
  const similar = all.filter((group) => group.similar.length > 0);
  const isSure = ({ similar: ids, method, template, exchanges }: TemplateGroup): boolean =>
    exchanges.some(({ body }) => body) &&
    ids.some((id) => shippedFacts(id).method === method && template.endsWith(shippedFacts(id).path));
  const hosts = new Set([
    ...sure.map(({ exchange }) => exchange.host),
    ...similar.filter(isSure).map(({ host }) => host),
  ]);
  const usable = similar.filter(({ host }) => hosts.size === 0 || hosts.has(host));
  const chosen = chooseFits(usable, new Set(sure.map(({ operation }) => operation)));
  const single = chosen.flatMap(([first, ...others]) => (first && others.length === 0 ? [first] : []));
  return [...groupBy(single, ({ operation }) => operation).values()].filter(({ length }) => length === 1).flat();
}

function describeUnmapped(
  groups: readonly TemplateGroup[],
  mapped: readonly MappedExchange[],
): readonly UnmappedGroup[] {
  const chosen = chooseFits(groups.filter(isLikely), new Set(mapped.map(({ operation }) => operation)));
  const described = groups.map((group) => describe(group, chosen.find(([first]) => first?.group === group) ?? []));
  // What may be an operation comes before the files of a web page.
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
