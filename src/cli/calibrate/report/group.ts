/** Groups the differences by what settles them, for reports that people read. */
import type { Difference } from '../compare/difference.ts';
import { groupBy } from '../exchange.ts';

/** Differences that one proposal settles, or a single one that nothing settles. */
export interface DifferenceGroup {
  readonly proposal: string | undefined;
  readonly count: number;
  readonly operations: number;
  /** The most frequent difference. */
  readonly first: Difference;
}

/** Returns the groups, most frequent first; those without a proposal at the end. */
export function groupDifferences(differences: readonly Difference[]): readonly DifferenceGroup[] {
  const groups = groupBy(
    differences,
    (one) => one.proposal ?? JSON.stringify([one.operation, one.kind, one.expected, one.seen]),
  );
  return [...groups.values()]
    .flatMap((group): readonly DifferenceGroup[] => {
      const [first] = group;
      if (!first) return [];
      const count = group.reduce((sum, one) => sum + one.count, 0);
      const operations = new Set(group.map(({ operation }) => operation)).size;
      return [{ proposal: first.proposal, count, operations, first }];
    })
    .toSorted((a, b) => Number(a.proposal === undefined) - Number(b.proposal === undefined) || b.count - a.count);
}
