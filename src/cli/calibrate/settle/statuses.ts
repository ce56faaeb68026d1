/** Settles the statuses of results and of rejections, and the headers that all responses have. */
import { findConstantHeaders } from '../compare/headers.ts';
import { countEach, groupBy } from '../exchange.ts';
import type { Evidence, Proposal } from './proposal.ts';

export function settleSuccessStatuses({ cases }: Evidence): readonly Proposal[] {
  const successes = cases.filter(
    ({ ours, mapped }) => ours.kind === undefined && mapped.exchange.response.status < 300,
  );
  return [...groupBy(successes, ({ mapped }) => mapped.operation)].flatMap(([operation, group]) => {
    const [majority] = countEach(group.map(({ mapped }) => mapped.exchange.response.status));
    const present = group[0]?.ours.status;
    if (!majority || majority.value === present) return [];
    return [
      {
        text: `operations.${operation}.status: ${majority.value}`,
        patch: { operations: { [operation]: { status: majority.value } } },
        settles: ({ operation: id, kind, expected, seen }) =>
          id === operation && kind === 'status' && expected === String(present) && seen === String(majority.value),
      },
    ];
  });
}

/** The kinds of problems whose statuses a profile can change, and that traffic shows. */
const kinds = ['invalid', 'missingKey', 'unknownKey', 'foreignKey', 'notFound', 'duplicate', 'downstream'] as const;

export function settleErrorStatuses({ cases, applied }: Evidence): readonly Proposal[] {
  return kinds.flatMap((kind): readonly Proposal[] => {
    const rejected = cases.filter(({ ours, mapped }) => ours.kind === kind && mapped.exchange.response.status >= 400);
    const [majority] = countEach(rejected.map(({ mapped }) => mapped.exchange.response.status));
    const present = applied.profile.errors[kind];
    if (!majority || majority.count <= rejected.length / 2 || majority.value === present) return [];
    return [
      {
        text: `errors.${kind}: ${majority.value}`,
        patch: { errors: { [kind]: majority.value } },
        settles: (finding) =>
          finding.kind === 'status' &&
          finding.expected === `${present} (${kind})` &&
          finding.seen === String(majority.value),
      },
    ];
  });
}

export function settleResponseHeaders({ cases, applied }: Evidence): readonly Proposal[] {
  const seen = findConstantHeaders(cases.map(({ mapped }) => mapped.exchange.response.headers));
  const missing = [...seen].filter(([name, value]) => applied.profile.responseHeaders[name] !== value);
  return missing.map(([name, value]) => ({
    text: `responseHeaders.${name}: ${JSON.stringify(value)}`,
    patch: { responseHeaders: { [name]: value } },
    settles: ({ kind, seen: shown }) => kind === 'header' && shown === `${name}: ${value}`,
  }));
}
