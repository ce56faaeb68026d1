/** Settles which statuses may follow a status. */
import { statusesOf } from '../../../openapi/document.ts';
import { operations } from '../../../operations/index.ts';
import { isCreation } from '../mapping/skeleton.ts';
import type { Case } from '../play/play.ts';
import { listEntries } from './entries.ts';
import { shippedDocument } from './overlay.ts';
import type { Evidence, Trial } from './proposal.ts';

/** Number of statuses that must be rejected after a status until it is taken as final. */
const minRejected = 2;

/** A change of a status that the real API accepts, or rejects although the sandbox does not. */
interface Change {
  readonly from: string;
  readonly to: string;
  readonly isAccepted: boolean;
  /** Whether the rejection names both statuses: the sandbox may have missed an update without a visible result. */
  readonly isNamed: boolean;
}

export function tryTransitions({ cases, applied }: Evidence): readonly Trial[] {
  return (['jobs', 'orders'] as const).flatMap((collection) => {
    const statuses = statusesOf(shippedDocument)[collection];
    const isAbout = ({ mapped: { operation } }: Case): boolean =>
      (operations[operation].collection === 'orders' ? 'orders' : 'jobs') === collection;
    const changes = cases.filter(isAbout).flatMap((one) => findChanges(one, statuses));
    return statuses.flatMap((from): readonly Trial[] => {
      const known = (applied.profile.transitions[collection][from] ?? statuses).filter((to) => to !== from);
      const following = findFollowing(
        changes.filter((change) => change.from === from),
        known,
      );
      if (following.length === known.length && following.every((to) => known.includes(to))) return [];
      const text = `transitions.${collection}.${from}: [${following.join(', ')}]`;
      return [{ text, patch: { transitions: { [collection]: { [from]: following } } }, isAbout }];
    });
  });
}

function findFollowing(changes: readonly Change[], known: readonly string[]): readonly string[] {
  const named = new Set(changes.filter(({ isNamed }) => isNamed).map(({ to }) => to));
  const rejected = new Set(changes.filter(({ isAccepted }) => !isAccepted).map(({ to }) => to));
  const accepted = new Set(changes.filter(({ isAccepted, to }) => isAccepted && !named.has(to)).map(({ to }) => to));
  // Nothing ever left this status, so it is taken as final: asynchronous updates have no visible result.
  if (accepted.size === 0 && rejected.size >= minRejected) return [];
  return [...new Set([...known, ...accepted])].filter((to) => accepted.has(to) || !rejected.has(to));
}

/** Returns the changes of a request, those of jobs in routes included. A rejection may name the status before. */
function findChanges(one: Case, statuses: readonly string[]): readonly Change[] {
  if (one.key !== 'valid') return [];
  const entries = [...listEntries(one), ...listEntries(one, true)];
  return entries.flatMap(({ value, record, ours, real, reason }): readonly Change[] => {
    const to = value['status'];
    if (typeof to !== 'string') return [];
    const words: readonly string[] = real ? [] : (reason.match(/\b[A-Z][A-Z_]+\b/g) ?? []);
    const named = words.includes(to) ? words.find((word) => word !== to && statuses.includes(word)) : undefined;
    if (named !== undefined) return [{ from: named, to, isAccepted: false, isNamed: true }];
    const from = isCreation(one.mapped.operation) ? undefined : record?.['status'];
    if (typeof from !== 'string' || from === to || !(ours || real)) return [];
    return [{ from, to, isAccepted: real, isNamed: false }];
  });
}
