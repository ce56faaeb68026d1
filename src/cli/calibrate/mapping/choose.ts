/** Chooses one operation for each endpoint: the best one, if no other fits equally well. */
import type { OperationId } from '../../../operations/index.ts';
import type { Exchange } from '../exchange.ts';
import type { Endpoint } from './endpoint.ts';
import { identifierNames, operationFactOf } from './facts.ts';
import { nameParameters } from './name-parameters.ts';

export interface Candidate {
  readonly operation: OperationId;
  readonly endpoint: Endpoint;
  readonly score: number;
}

/** The exchanges of one endpoint, with the operations that it may have. */
export interface Candidates {
  readonly method: string;
  readonly template: string;
  readonly exchanges: readonly Exchange[];
  readonly candidates: readonly Candidate[];
}

/** Exchanges of one method and path whose operation is not clear. */
export interface UnmappedGroup {
  readonly method: string;
  readonly path: string;
  readonly count: number;
  readonly example: Exchange;
  readonly reason: string;
  /** Operations that fit equally well. */
  readonly candidates: readonly OperationId[];
  /** A `--map` to complete by the operation; undefined for requests that are hardly one. */
  readonly map: string | undefined;
}

interface Chosen extends Pick<Candidate, 'operation' | 'endpoint'> {
  readonly exchanges: readonly Exchange[];
}

/** Minimum distance between the scores of the best and the second operation. */
const minMargin = 1;

/**
 * Chooses the clearest endpoints first: an operation that has its endpoint is no candidate for others. `taken`: the
 * operations that have one already.
 */
export function chooseOperations(
  all: readonly Candidates[],
  taken: ReadonlySet<OperationId>,
): { readonly chosen: readonly Chosen[]; readonly unmapped: readonly UnmappedGroup[] } {
  const used = new Set(taken);
  const chosen: Chosen[] = [];
  let open = all;
  for (;;) {
    const [best] = open
      .map((group) => ({ group, ...rank(group, used) }))
      .filter(({ first, margin }) => first !== undefined && margin >= minMargin)
      .toSorted((a, b) => b.margin - a.margin || b.group.exchanges.length - a.group.exchanges.length);
    if (!best?.first) break;
    const { operation, endpoint } = best.first;
    chosen.push({ operation, endpoint, exchanges: best.group.exchanges });
    used.add(operation);
    open = open.filter((group) => group !== best.group);
  }
  return { chosen, unmapped: open.map((group) => toUnmapped(group, used)) };
}

function rank({ candidates }: Candidates, used: ReadonlySet<OperationId>) {
  const [first, second] = candidates
    .filter(({ operation }) => !used.has(operation))
    .toSorted((a, b) => b.score - a.score);
  // An operation without a rival must still fit.
  const margin = first ? first.score - Math.max(second?.score ?? 0, 0) : 0;
  return { first, margin };
}

function toUnmapped(
  { method, template, exchanges, candidates }: Candidates,
  used: ReadonlySet<OperationId>,
): UnmappedGroup {
  const left = candidates.filter(({ operation }) => !used.has(operation)).toSorted((a, b) => b.score - a.score);
  const best = left[0]?.score ?? 0;
  const near = left.filter(({ score }) => best - score < minMargin).map(({ operation }) => operation);
  const reason =
    near.length > 1
      ? `fits ${near.length} operations equally well: name one by --map`
      : 'fits no operation: name one by --map if it is one';
  const path = nameForUser(template, near[0]);
  const isLikely = method !== 'GET' && exchanges.some(({ response: { status } }) => status !== 404 && status !== 405);
  const [operation = 'OPERATION'] = near.length === 1 ? near : [];
  return {
    method,
    path,
    count: exchanges.length,
    example: exchanges[0] as Exchange,
    reason,
    candidates: near,
    map: isLikely ? `--map '${method} ${path}=${operation}'` : undefined,
  };
}

/** Names the parameters of a template as `--map` accepts them. */
function nameForUser(template: string, operation: OperationId | undefined): string {
  const identifiers = operation === undefined ? undefined : operationFactOf.get(operation)?.identifiers;
  const named = (identifiers && nameParameters(template, identifiers)) ?? nameParameters(template, identifierNames);
  return (named?.template ?? template).replaceAll('{}', '{parameter}');
}
