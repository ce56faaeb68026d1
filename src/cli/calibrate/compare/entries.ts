/** Pairs the entries of two batch results: those that one side accepts and the other does not. */
import { isObject } from '../exchange.ts';

/** An entry on which the real API and the sandbox disagree. */
export interface EntryDifference {
  readonly id: string;
  /** Why the sandbox rejects it, or undefined if only the real API does. */
  readonly ours: string | undefined;
  /** Why the real API rejects it, or undefined if only the sandbox does. */
  readonly real: string | undefined;
}

/** Returns the entries that only one side rejects; empty if one of the values is no batch result. */
export function compareEntries(ours: unknown, real: unknown): readonly EntryDifference[] {
  const oursFailed = failuresOf(ours);
  const realFailed = failuresOf(real);
  if (!oursFailed || !realFailed) return [];
  const remaining = [...realFailed];
  const onlyOurs = oursFailed.filter(({ id }) => {
    const at = remaining.findIndex((one) => one.id === id);
    if (at >= 0) remaining.splice(at, 1);
    return at < 0;
  });
  return [
    ...onlyOurs.map(({ id, reason }) => ({ id, ours: reason, real: undefined })),
    ...remaining.map(({ id, reason }) => ({ id, ours: undefined, real: reason })),
  ];
}

/** Returns the failed entries of a batch result, or undefined for other values. */
export function failuresOf(value: unknown): readonly { readonly id: string; readonly reason: string }[] | undefined {
  const failed = isObject(value) ? value['failed'] : undefined;
  if (!Array.isArray(failed)) return undefined;
  return failed.filter(isObject).map(({ id, reason }) => ({ id: String(id ?? ''), reason: String(reason ?? '') }));
}
