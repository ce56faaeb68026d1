/** Settles what happens to an id that exists: the entry is rejected, or it replaces the record. */
import { type OperationId, operations } from '../../../operations/index.ts';
import { compareEntries } from '../compare/entries.ts';
import { isCreation as creates } from '../mapping/skeleton.ts';
import type { Case } from '../play/play.ts';
import type { Proposal, Settler } from './settler.ts';

const exists = /exist|duplicate|already/i;
const collections = ['jobs', 'orders', 'routes', 'users'] as const;

export const settleDuplicates: Settler = ({ cases, applied }) =>
  collections.flatMap((collection): readonly Proposal[] => {
    const own = cases.filter(({ mapped: { operation } }) => isCreation(operation, collection));
    const replaced = own.some((one) => isOurDuplicate(one) && one.mapped.exchange.response.status < 300);
    const present = applied.profile.duplicates[collection];
    const wanted = replaced ? 'replace' : own.some(isTheirDuplicate) ? 'reject' : present;
    if (wanted === present) return [];
    return [
      {
        text: `duplicates.${collection}: ${wanted}`,
        patch: { duplicates: { [collection]: wanted } },
        isGuess: true,
        settles: ({ operation, kind, expected, seen }) =>
          operation !== '*' &&
          isCreation(operation, collection) &&
          ((kind === 'status' && (expected.includes('(duplicate)') || seen === '409')) ||
            (kind === 'result body' && exists.test(expected + seen))),
      },
    ];
  });

/** The creation of a single job is always rejected if it exists. */
function isCreation(operation: OperationId, collection: string): boolean {
  return (
    creates(operation) &&
    operations[operation].collection === collection &&
    (operations[operation].list !== undefined || collection === 'users')
  );
}

function isOurDuplicate({ ours, mapped }: Case): boolean {
  if (ours.kind === 'duplicate') return true;
  const differences = compareEntries(ours.value, mapped.exchange.response.body?.value);
  return differences.some(({ ours: reason }) => reason !== undefined && exists.test(reason));
}

/** A creation that the real API rejects because the record exists, and the sandbox accepts. */
function isTheirDuplicate({ ours, mapped, before }: Case): boolean {
  if (before.size === 0 || ours.kind !== undefined) return false;
  const { status, body } = mapped.exchange.response;
  if (status >= 400) return status === 409 || exists.test(body?.text ?? '');
  return compareEntries(ours.value, body?.value).some(({ real }) => exists.test(real ?? ''));
}
