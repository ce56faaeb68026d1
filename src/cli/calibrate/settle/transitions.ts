/** Settles which statuses may follow a status. */
import { statusesOf } from '../../../openapi/document.ts';
import { operations } from '../../../operations/index.ts';
import { shippedDocument } from '../mapping/facts.ts';
import type { Proposal, Settler } from './settler.ts';
import { toUpdates } from './updates.ts';

const collections = ['jobs', 'orders'] as const;

export const settleTransitions: Settler = ({ cases, applied }) => {
  const updates = cases.flatMap(toUpdates);
  return collections.flatMap((collection): readonly Proposal[] => {
    const own = updates.filter(({ case: { mapped } }) => operations[mapped.operation].collection === collection);
    const pairs = own.flatMap(({ fields, record, ours, real }) => {
      const [from, to] = [record['status'], fields['status']];
      return typeof from === 'string' && typeof to === 'string' && from !== to ? [{ from, to, ours, real }] : [];
    });
    const present = applied.profile.transitions[collection];
    return [...new Set(pairs.map(({ from }) => from))].flatMap((from): readonly Proposal[] => {
      const rejected = new Set(pairs.filter((one) => one.from === from && one.ours && !one.real).map(({ to }) => to));
      const accepted = new Set(pairs.filter((one) => one.from === from && one.real).map(({ to }) => to));
      const before = present[from] ?? statusesOf(shippedDocument)[collection];
      const following = [...new Set([...before, ...accepted])].filter(
        (to) => to !== from && (accepted.has(to) || !rejected.has(to)),
      );
      const known = before.filter((to) => to !== from);
      if (following.length === known.length && following.every((to) => known.includes(to))) return [];
      return [
        {
          text: `transitions.${collection}.${from}: [${following.join(', ')}]`,
          patch: { transitions: { [collection]: { [from]: following } } },
          isGuess: true,
          settles: ({ operation, kind }) =>
            operation !== '*' &&
            operations[operation].collection === collection &&
            (kind === 'status' || kind === 'result body'),
        },
      ];
    });
  });
};
