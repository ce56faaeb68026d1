/** Chooses the cases of a sweep and their order. */

import type { SandboxFiles } from '../../config/sandbox-files.ts';
import { callbackTypesOf } from '../../control-api/catalog.ts';
import { createModes } from '../../core.ts';
import { operationIds } from '../../operations/index.ts';
import { type FailureCase, toCases } from '../../scenarios/cases.ts';
import { matchesAny } from '../../scenarios/glob.ts';
import type { SweptOperation } from './baseline.ts';

/** Ids of cases of the last sweep. */
export interface LastSweep {
  readonly bad: ReadonlySet<string>;
  /** All cases that were tried, if there were others; otherwise empty. */
  readonly tried: ReadonlySet<string>;
}

/** Which cases to run. */
export interface Selection {
  /** Globs; undefined for all. */
  readonly operations: readonly string[] | undefined;
  readonly kinds: readonly string[] | undefined;
  /** Maximum number of occurrences of a kind at an operation. */
  readonly occurrences: number;
  readonly last: LastSweep;
}

/**
 * Returns the cases: what was bad last time, then each kind once at every operation, then outages, then further
 * occurrences. Kinds that most clients report, such as a 404, come after the others.
 */
export function planCases(
  { contract, applied: { profile } }: Pick<SandboxFiles, 'contract' | 'applied'>,
  used: ReadonlyMap<string, SweptOperation>,
  { operations, kinds, occurrences, last }: Selection,
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
  const rankOf = ({ id, always, occurrence, kind, expects }: FailureCase): readonly number[] => [
    last.bad.has(id) ? 0 : 1,
    occurrence,
    always ? 1 : 0,
    last.tried.has(id) ? 1 : 0,
    expects === 'report' && kind.startsWith('status-') ? 1 : 0,
    kindOrder.get(kind) ?? 0,
  ];
  return cases.toSorted((one, other) => compareLists(rankOf(one), rankOf(other)));
}

function compareLists(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((number, at) => number !== other[at]);
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}
