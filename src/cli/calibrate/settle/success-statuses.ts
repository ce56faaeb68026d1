/** Settles the success status of each operation. */
import { groupBy } from '../exchange.ts';
import type { Proposal, Settler } from './settler.ts';
import { findMajority } from './settler.ts';

export const settleSuccessStatuses: Settler = ({ cases }) => {
  const successes = cases.filter(
    ({ ours, mapped }) => ours.kind === undefined && mapped.exchange.response.status < 300,
  );
  return [...groupBy(successes, ({ mapped }) => mapped.operation)].flatMap(
    ([operation, group]): readonly Proposal[] => {
      const majority = findMajority(group.map(({ mapped }) => mapped.exchange.response.status));
      const present = group[0]?.ours.status;
      if (!majority || majority.value === present) return [];
      const status = majority.value;
      return [
        {
          text: `operations.${operation}.status: ${status}`,
          patch: { operations: { [operation]: { status } } },
          settles: (finding) =>
            finding.operation === operation &&
            finding.kind === 'status' &&
            finding.expected === String(present) &&
            finding.seen === String(status),
        },
      ];
    },
  );
};
