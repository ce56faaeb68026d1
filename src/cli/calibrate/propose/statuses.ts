/** Proposes the statuses of results and of errors, and the headers that all responses have. */
import { findConstantHeaders, toStatusKeys } from '../compare/compare.ts';
import type { Evaluation } from '../evaluate.ts';
import { findMajority, groupBy } from '../exchange.ts';
import { type Proposal, propose } from './proposal.ts';

export function proposeStatuses({ cases, applied }: Evaluation): readonly Proposal[] {
  const alike = cases.filter(({ ours: { kind }, mapped: { exchange } }) =>
    kind === undefined
      ? exchange.response.status < 300
      : kind in applied.profile.errors && exchange.response.status >= 400,
  );
  return [...groupBy(alike, (one) => toStatusKeys(one).join('.')).values()].flatMap((group) => {
    const [first] = group;
    const majority = findMajority(group.map(({ mapped }) => mapped.exchange.response.status));
    if (!first || !majority || majority.count <= group.length / 2 || majority.value === first.ours.status) return [];
    return [propose(toStatusKeys(first), majority.value)];
  });
}

export function proposeHeaders({ cases, applied }: Evaluation): readonly Proposal[] {
  const missing = findConstantHeaders(cases).filter(([name, value]) => applied.profile.responseHeaders[name] !== value);
  return missing.map(([name, value]) => propose(['responseHeaders', name], value));
}
