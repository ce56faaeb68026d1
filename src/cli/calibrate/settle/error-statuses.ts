/** Settles the statuses of rejections. */
import type { Proposal, Settler } from './settler.ts';
import { findMajority } from './settler.ts';

/** The kinds of problems whose statuses a profile can change. */
const settable = ['invalid', 'missingKey', 'unknownKey', 'foreignKey', 'notFound', 'duplicate', 'downstream'] as const;

export const settleErrorStatuses: Settler = ({ cases, applied }) =>
  settable.flatMap((kind): readonly Proposal[] => {
    const seen = cases
      .filter(({ ours, mapped }) => ours.kind === kind && mapped.exchange.response.status >= 400)
      .map(({ mapped }) => mapped.exchange.response.status);
    const majority = findMajority(seen);
    const present = applied.profile.errors[kind];
    if (!majority || majority.share <= 0.5 || majority.value === present) return [];
    const status = majority.value;
    return [
      {
        text: `errors.${kind}: ${status}`,
        patch: { errors: { [kind]: status } },
        settles: (finding) =>
          finding.kind === 'status' && finding.expected === `${present} (${kind})` && finding.seen === String(status),
      },
    ];
  });
