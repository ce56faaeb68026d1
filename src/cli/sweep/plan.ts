/** Chooses the cases of a sweep and their order. */
import { callbackTypesOf } from '../../control-api/catalog.ts';
import { createModes } from '../../core.ts';
import { operationIds } from '../../operations/index.ts';
import { type FailureCase, toCases } from '../../scenarios/cases.ts';
import { matchesAny } from '../../scenarios/glob.ts';
import type { SandboxFiles } from '../../server.ts';
import type { SweptOperation } from './baseline.ts';

/** Which cases to run. */
export interface Selection {
  /** Globs; undefined for all. */
  readonly operations: readonly string[] | undefined;
  readonly kinds: readonly string[] | undefined;
  /** Maximum number of occurrences of a kind at an operation. */
  readonly occurrences: number;
  /** Ids of cases that were bad in the last sweep. */
  readonly lastBad: ReadonlySet<string>;
}

/**
 * Returns the cases: what was bad last time, then each kind once at every operation, then outages, then further
 * occurrences.
 */
export function planCases(
  { contract, applied: { profile } }: Pick<SandboxFiles, 'contract' | 'applied'>,
  used: ReadonlyMap<string, SweptOperation>,
  { operations, kinds, occurrences, lastBad }: Selection,
): readonly FailureCase[] {
  const modeOf = createModes(profile);
  const byOperation = operationIds
    .filter((id) => used.has(id) && matchesAny(operations, id))
    .map((id) => {
      const use = used.get(id) as SweptOperation;
      return toCases(id, callbackTypesOf({ contract, modeOf }, id), use, use.varies ? 1 : occurrences);
    });
  const cases = byOperation.flat().filter(({ kind }) => matchesAny(kinds, kind));
  const kindOrder = new Map([...new Set(cases.map(({ kind }) => kind))].map((kind, index) => [kind, index]));
  const rankOf = ({ id, always, occurrence, kind }: FailureCase): readonly number[] => [
    lastBad.has(id) ? 0 : 1,
    occurrence,
    always ? 1 : 0,
    kindOrder.get(kind) ?? 0,
  ];
  return cases.toSorted((one, other) => compareLists(rankOf(one), rankOf(other)));
}

function compareLists(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((number, at) => number !== other[at]);
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}
