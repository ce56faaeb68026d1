/** Reads the entries of bodies and of batch results. */
import type { Json } from '../../../lib/json.ts';
import { isObject } from '../exchange.ts';

export interface Failure {
  readonly id: string;
  readonly reason: string;
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

/** Returns the value at a JSON Pointer. */
export function valueAt(value: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.reduce<unknown>((at, key) => {
    const name = key.replace(/~1/g, '/').replace(/~0/g, '~');
    return typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as Json)[name] : undefined;
  }, value);
}
