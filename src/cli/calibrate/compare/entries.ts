/** Pairs the entries of two batch results. */
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
  const onlyReal = [...(failuresOf(real) ?? [])];
  const oursFailed = failuresOf(ours);
  if (!oursFailed || !failuresOf(real)) return { onlyOurs: [], onlyReal: [] };
  const onlyOurs = oursFailed.filter(({ id }) => {
    const at = onlyReal.findIndex((one) => one.id === id);
    if (at >= 0) onlyReal.splice(at, 1);
    return at < 0;
  });
  return { onlyOurs, onlyReal };
}
