/** Decides what came of a request: the numbers of its entries, and the outcomes by which lists filter. */
import type { JournalEntry } from '../../journal/entry.ts';
import type { components } from '../../openapi/control.gen.ts';
import type { RequestFacts } from './facts.ts';
import type { LaterEffects } from './later-effects.ts';

type NamedFacts = Pick<RequestFacts, 'named'>;

/** The outcomes, in the order of their bits in a set of outcomes. */
const outcomes = ['accepted', 'rejected', 'failed', 'pending', 'warned', 'faulted'] as const;

/** A set of outcomes: a number, because lists of 50,000 requests count them. */
type OutcomeSet = number;

const [accepted, rejected, failed, pending, warned, faulted] = [1, 2, 4, 8, 16, 32];

/** Returns the names of the outcomes in a set. */
export function outcomesIn(set: OutcomeSet): readonly string[] {
  return outcomes.filter((_, bit) => set & (1 << bit));
}

/** Returns the outcomes of a request, which may have several. */
export function outcomesOf(entry: JournalEntry, effects: LaterEffects | undefined, facts: NamedFacts): OutcomeSet {
  const { status, rejectedCount, warnings, fault } = entry;
  const failedCount = effects === undefined ? 0 : effects.failed;
  let set = 0;
  if (isSuccess(status) && (rejectedCount + failedCount === 0 || countEntries(entry, effects, facts).accepted > 0))
    set |= accepted;
  if ((status >= 400 && status < 500) || rejectedCount > 0) set |= rejected;
  if (status >= 500 || status === 0 || failedCount > 0) set |= failed;
  if (effects !== undefined && effects.pending > 0) set |= pending;
  if (warnings.length > 0) set |= warned;
  if (fault !== undefined) set |= faulted;
  return set;
}

/** Counts the entries of a request. Journals of older versions have no `named`, so its facts derive it. */
export function countEntries(
  entry: JournalEntry,
  effects: Pick<LaterEffects, 'failed' | 'pending'> | undefined,
  facts: NamedFacts,
): components['schemas']['RowEntryCounts'] {
  const { status, rejectedCount } = entry;
  const { failed: failedCount = 0, pending: pendingCount = 0 } = effects ?? {};
  const entries = isSuccess(status) ? facts.named(entry).entries : 0;
  return {
    accepted: Math.max(0, entries - rejectedCount - failedCount),
    refused: rejectedCount,
    failed: failedCount,
    pending: pendingCount,
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
