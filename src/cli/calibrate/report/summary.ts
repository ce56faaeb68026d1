/** Converts a calibration to the values that all reports show. */
import type { Calibration } from '../calibrate.ts';
import type { Difference } from '../compare/difference.ts';
import { type BrokenEntry, groupBy, toExampleName } from '../exchange.ts';
import type { UnmappedGroup } from '../mapping/unmapped.ts';

/** The content of a report; `--json` writes it. */
export interface Summary {
  readonly exchanges: number;
  readonly mapped: number;
  readonly unmapped: readonly (Omit<UnmappedGroup, 'example'> & { readonly example: string })[];
  /** Share of the mapped exchanges with the same status and body shape, from 0 to 1. */
  readonly agreement: number;
  readonly differences: readonly Difference[];
  readonly broken: readonly BrokenEntry[];
  readonly assumed: readonly { readonly project: string; readonly collection: string; readonly id: string }[];
  /** With all proposals. */
  readonly proposed: { readonly agreement: number; readonly inexpressible: readonly Difference[] };
  readonly notes: readonly string[];
}

export function toSummary(
  { before, after, differences, remaining }: Calibration,
  exchanges: number,
  broken: readonly BrokenEntry[],
): Summary {
  const { mapping } = before;
  const unknown = mapping.mapped.filter(({ exchange }) => exchange.response.isBodyUnknown).length;
  const unrecorded = `${unknown} of the mapped responses have no recorded body: only their status is compared`;
  return {
    exchanges,
    mapped: mapping.mapped.length,
    unmapped: mapping.unmapped.map(({ example, ...group }) => ({ ...group, example: toExampleName(example) })),
    agreement: toShare(before.agreed, before.cases.length),
    differences,
    broken,
    assumed: after.assumed.map(({ project, collection, id }) => ({ project, collection, id })),
    proposed: { agreement: toShare(after.agreed, after.cases.length), inexpressible: remaining },
    notes: [
      ...mapping.unusedMaps.map(({ text }) => `--map '${text}' matches no exchange`),
      ...(unknown > 0 ? [unrecorded] : []),
    ],
  };
}

/** Rounds down to four digits, so that 1 means all. */
function toShare(part: number, all: number): number {
  return all === 0 ? 0 : Math.floor((part / all) * 10_000) / 10_000;
}

/** Differences that one proposal settles, or equal ones of several operations that nothing settles. */
export interface DifferenceGroup {
  /** The most frequent difference. */
  readonly first: Difference;
  readonly count: number;
  readonly operations: string;
}

/** Returns the groups, most frequent first; those without a proposal at the end. */
export function groupDifferences(differences: readonly Difference[]): readonly DifferenceGroup[] {
  const groups = groupBy(differences, (one) => one.proposal ?? toKey(one));
  return [...groups.values()]
    .flatMap((group): readonly DifferenceGroup[] => {
      const [first] = group;
      if (!first) return [];
      const count = group.reduce((sum, one) => sum + one.count, 0);
      const { size } = new Set(group.map(({ operation }) => operation));
      const single = first.operation === '*' ? 'all operations' : first.operation;
      return [{ first, count, operations: size > 1 ? `${size} operations` : single }];
    })
    .toSorted(
      (a, b) => Number(a.first.proposal === undefined) - Number(b.first.proposal === undefined) || b.count - a.count,
    );
}

/** Returns the groups that proposals do not settle, without those that are listed without a proposal. */
export function groupUnsettled({ differences, proposed }: Summary): readonly DifferenceGroup[] {
  const shown = new Set(differences.filter(({ proposal }) => proposal === undefined).map(toKey));
  return groupDifferences(proposed.inexpressible.filter((one) => !shown.has(toKey(one))));
}

function toKey({ kind, expected, seen }: Difference): string {
  return JSON.stringify([kind, expected, seen]);
}
