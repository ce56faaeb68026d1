/** Reads the entries of bodies and of batch results. */
import type { Json } from '../../../lib/json.ts';
import { operations } from '../../../operations/index.ts';
import { isObject } from '../exchange.ts';
import type { MappedExchange } from '../mapping/endpoint.ts';

export interface Failure {
  readonly id: string;
  readonly reason: string;
}

/** Returns the entries of a request's list, or its body as the only entry. */
export function entriesOf({ exchange, operation }: Pick<MappedExchange, 'exchange' | 'operation'>): readonly Json[] {
  const { list } = operations[operation];
  const value = exchange.body?.value;
  return [list !== undefined && isObject(value) ? value[list] : value].flat().filter(isObject);
}

/** Returns the failed entries of a batch result, or undefined for other values. */
export function failuresOf(value: unknown): readonly Failure[] | undefined {
  const failed = isObject(value) ? value['failed'] : undefined;
  if (!Array.isArray(failed)) return undefined;
  return failed.filter(isObject).map(({ id, reason }) => ({ id: String(id ?? ''), reason: String(reason ?? '') }));
}

/** Returns the failures that only one side has; none if one of the values is no batch result. */
export function compareFailures(
  ours: unknown,
  real: unknown,
): { readonly onlyOurs: readonly Failure[]; readonly onlyReal: readonly Failure[] } {
  const [ownFailures, realFailures] = [failuresOf(ours), failuresOf(real)];
  if (!ownFailures || !realFailures) return { onlyOurs: [], onlyReal: [] };
  const without = (some: readonly Failure[], others: readonly Failure[]): readonly Failure[] =>
    some.filter(({ id }) => others.every((one) => one.id !== id));
  return { onlyOurs: without(ownFailures, realFailures), onlyReal: without(realFailures, ownFailures) };
}
