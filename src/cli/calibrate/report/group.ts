/** Groups the differences by what settles them, for reports that people read. */
import type { Difference } from '../compare/difference.ts';
import { groupBy } from '../exchange.ts';
import type { Summary } from './summary.ts';

/** Differences that one proposal settles, or equal ones of several operations that nothing settles. */
export interface DifferenceGroup {
  readonly proposal: string | undefined;
  readonly count: number;
  readonly operations: number;
  /** The most frequent difference. */
  readonly first: Difference;
}

/** Returns the groups, most frequent first; those without a proposal at the end. */
export function groupDifferences(differences: readonly Difference[]): readonly DifferenceGroup[] {
  const groups = groupBy(differences, (one) => one.proposal ?? toKey(one));
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

function toKey({ kind, expected, seen }: Difference): string {
  return JSON.stringify([kind, expected, seen]);
}

/** Returns the groups that proposals do not settle, without those that the first list shows as such. */
export function groupUnsettled({ differences, proposed }: Summary): readonly DifferenceGroup[] {
  const shown = new Set(differences.filter(({ proposal }) => proposal === undefined).map(toKey));
  return groupDifferences(proposed.inexpressible.filter((one) => !shown.has(toKey(one))));
}

/** Names the operations of a group. */
export function toOperations({ operations, first }: DifferenceGroup): string {
  if (operations > 1) return `${operations} operations`;
  return first.operation === '*' ? 'all operations' : first.operation;
}
