/** Settles which statuses may follow a status. */
import { statusesOf } from '../../../openapi/document.ts';
import { operations } from '../../../operations/index.ts';
import { failuresOf } from '../compare/entries.ts';
import { shippedDocument } from './schema-target.ts';
import type { Proposal, Settler } from './settler.ts';
import { toUpdates, type Update } from './updates.ts';

const collections = ['jobs', 'orders'] as const;

/** Number of statuses that must be rejected after a status until it is taken as final. */
const minRejected = 2;

export const settleTransitions: Settler = ({ cases, applied }) => {
  const updates = cases.flatMap(toUpdates);
  return collections.flatMap((collection): readonly Proposal[] => {
    const own = updates.filter(({ case: { mapped } }) => operations[mapped.operation].collection === collection);
    const pairs = own.flatMap((update) => toPair(update, statusesOf(shippedDocument)[collection]));
    const present = applied.profile.transitions[collection];
    const weightOf = (state: string): number =>
      pairs.filter(({ from, ours, real }) => from === state && ours && !real).length;
    const states = [...new Set(pairs.map(({ from }) => from))].toSorted((a, b) => weightOf(b) - weightOf(a));
    return states.flatMap((from): readonly Proposal[] => {
      const same = pairs.filter((one) => one.from === from);
      const rejected = new Set(same.filter((one) => one.ours && !one.real).map(({ to }) => to));
      const named = new Set(same.filter(({ isNamed }) => isNamed).map(({ to }) => to));
      const accepted = new Set(same.filter(({ real, to }) => real && !named.has(to)).map(({ to }) => to));
      const before = present[from] ?? statusesOf(shippedDocument)[collection];
      // Nothing ever left this status, so it is taken as final: asynchronous updates have no visible result.
      const isFinal = accepted.size === 0 && rejected.size >= minRejected;
      const following = isFinal
        ? []
        : [...new Set([...before, ...accepted])].filter((to) => to !== from && (accepted.has(to) || !rejected.has(to)));
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

interface Pair {
  readonly from: string;
  readonly to: string;
  readonly ours: boolean;
  readonly real: boolean;
  /** Whether the rejection names the status before. */
  readonly isNamed: boolean;
}

/**
 * Returns the status before and after an update. A rejection may name the status that the record has: earlier updates
 * without a visible result may have left another one in the sandbox.
 */
function toPair(
  { id, fields, record, ours, real, case: { mapped } }: Update,
  statuses: readonly string[],
): readonly Pair[] {
  const to = fields['status'];
  if (typeof to !== 'string') return [];
  const { body } = mapped.exchange.response;
  const reason = failuresOf(body?.value)?.find((one) => one.id === id)?.reason ?? body?.text ?? '';
  const words: readonly string[] = reason.match(/[A-Z][A-Z_]+/g) ?? [];
  const named = !real && words.includes(to) ? words.find((word) => word !== to && statuses.includes(word)) : undefined;
  const from = named ?? record['status'];
  return typeof from === 'string' && from !== to
    ? [{ from, to, ours: ours || named !== undefined, real, isNamed: named !== undefined }]
    : [];
}
