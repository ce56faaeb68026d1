/** Maps exchanges to operations: by `--map`, by the profile's paths, by their similarity, by their bodies. */
import { isDeepStrictEqual } from 'node:util';
import type { Contract } from '../../../openapi/contract.ts';
import { addFromBody } from '../../../openapi/identify.ts';
import type { OperationId } from '../../../operations/index.ts';
import { type Exchange, groupBy, toUrl } from '../exchange.ts';
import { type Candidates, chooseOperations, type UnmappedGroup } from './choose.ts';
import { type Endpoint, matchPath, readPlaces, toEndpoint, toPathPattern } from './endpoint.ts';
import { isContradicted, toEvidence } from './evidence.ts';
import { type Identifiers, operationFactOf } from './facts.ts';
import { toFreeCandidates } from './free-candidates.ts';
import { groupFreePaths } from './free-path.ts';
import { mergeVarying, refuseLiterals } from './literals.ts';
import { findSkeletons, pathWords } from './skeleton.ts';
import { toSkeletonCandidates } from './skeleton-candidates.ts';
import type { UserMap } from './user-map.ts';

/** An exchange with its operation. */
export interface MappedExchange {
  readonly exchange: Exchange;
  readonly operation: OperationId;
  readonly identifiers: Identifiers;
  /** Whether the profile already has this method and path for the operation. */
  readonly isRouted: boolean;
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
  const place = (operation: OperationId, endpoint: Endpoint, group: readonly Exchange[]): void => {
    moved.set(operation, endpoint);
    const pattern = toPathPattern(endpoint.template);
    for (const exchange of group) {
      const identifiers = readPlaces(exchange, endpoint, matchPath(pattern, exchange.path) ?? {});
      found.set(exchange, { exchange, operation, identifiers, isRouted: false });
    }
  };
  const unusedMaps = userMaps.filter((map) => {
    const group = exchanges.filter((exchange) => !found.has(exchange) && isAt(map, exchange));
    if (group.length === 0) return true;
    place(map.operation, map, group);
    return false;
  });
  const routed = findRouted(
    exchanges.filter((exchange) => !found.has(exchange)),
    contract,
  );
  for (const mapped of routed) if (!moved.has(mapped.operation)) found.set(mapped.exchange, mapped);
  const taken = new Set([...found.values()].map(({ operation }) => operation));
  const candidates = findCandidates(
    exchanges.filter((exchange) => !found.has(exchange)),
    [...found.values()],
  );
  const { chosen, unmapped } = chooseOperations(candidates, taken);
  for (const { operation, endpoint, exchanges: group } of chosen) place(operation, endpoint, group);
  for (const [operation, endpoint] of moved)
    if (isSameEndpoint(endpoint, operation, contract)) {
      moved.delete(operation);
      for (const [exchange, one] of found)
        if (one.operation === operation) found.set(exchange, { ...one, isRouted: true });
    }
  return { mapped: exchanges.flatMap((exchange) => found.get(exchange) ?? []), unmapped, moved, unusedMaps };
}

function isAt({ method, template }: UserMap, exchange: Exchange): boolean {
  return exchange.method === method && matchPath(toPathPattern(template), exchange.path) !== undefined;
}

/** Whether a map names the place that the profile has anyway. */
function isSameEndpoint(endpoint: Endpoint, operation: OperationId, contract: Contract): boolean {
  const routed = contract.operations.get(operation);
  return routed !== undefined && isDeepStrictEqual({ ...toEndpoint(routed) }, toPlain(endpoint));
}

function toPlain({ method, template, places }: Endpoint): Endpoint {
  return { method, template, places };
}

/** Maps the exchanges at the profile's own paths, unless their bodies contradict the operation. */
function findRouted(exchanges: readonly Exchange[], contract: Contract): readonly MappedExchange[] {
  const matches = exchanges.flatMap((exchange): readonly MappedExchange[] => {
    const match = contract.match(exchange.method, toUrl(exchange), exchange.headers);
    if (match.found) addFromBody(match, exchange.body?.value);
    if (!match.found || Object.values(match.params).some((value) => pathWords.has(value))) return [];
    const operation = match.operation.id as OperationId;
    return [{ exchange, operation, identifiers: match.params, isRouted: true }];
  });
  return [...groupBy(matches, ({ operation }) => operation).values()].flatMap((group) => {
    const [first] = group;
    const fact = first && operationFactOf.get(first.operation);
    const evidence = toEvidence(
      group.map(({ exchange }) => exchange),
      first?.exchange.method ?? '',
      '',
    );
    return fact && isContradicted(fact, evidence) ? [] : group;
  });
}

/**
 * Groups the remaining exchanges by their endpoints, each with the operations that it may have. A path is no evidence
 * without a body, nor at another host than those that have operations for sure.
 */
function findCandidates(exchanges: readonly Exchange[], mapped: readonly MappedExchange[]): readonly Candidates[] {
  const known = new Map(exchanges.map((exchange) => [exchange, findSkeletons(exchange.path)]));
  const hasWholePath = (exchange: Exchange): boolean =>
    exchange.body !== undefined &&
    known.get(exchange)?.some(({ fact, removed }) => fact.method === exchange.method && removed.length === 0) === true;
  const sure = [...mapped.map(({ exchange }) => exchange), ...exchanges.filter(hasWholePath)];
  const hosts = new Set(sure.map(({ host }) => host));
  const isElsewhere = ({ host }: Exchange): boolean => hosts.size > 0 && !hosts.has(host);
  const inPaths = [...known.values()].flat().map(({ values }) => values['projectId']);
  const projectIds = new Set(
    [...inPaths, ...mapped.map(({ identifiers }) => identifiers.projectId)].filter((id) => id !== undefined),
  );
  const all = [...groupBy(exchanges, (exchange) => String(isElsewhere(exchange))).values()].flatMap((part) => {
    const similar = part.filter((exchange) => known.get(exchange)?.length !== 0);
    const groups = groupBy(similar, (exchange) => `${exchange.method} ${known.get(exchange)?.[0]?.template ?? ''}`);
    const free = groupFreePaths(
      part.filter((exchange) => known.get(exchange)?.length === 0),
      projectIds,
    );
    return [
      ...[...groups.values()].map((group) => toSkeletonCandidates(group, known.get(group[0] as Exchange) ?? [])),
      ...mergeVarying(free).map(toFreeCandidates),
    ];
  });
  const isEvidence = (exchange: Exchange): boolean => exchange.body !== undefined && !isElsewhere(exchange);
  const possible = all.map((group) => (group.exchanges.some(isEvidence) ? group : { ...group, candidates: [] }));
  return refuseLiterals(possible, projectIds);
}
