/** Settles what happens to an id that exists: the entry is rejected, or it replaces the record. */
import { operations } from '../../../operations/index.ts';
import { compareEntries } from '../compare/entries.ts';
import { isObject } from '../exchange.ts';
import type { Case } from '../play/play.ts';
import type { Proposal, Settler } from './settler.ts';

const exists = /exist|duplicate|already/i;

export const settleDuplicates: Settler = ({ cases, applied }) => {
  const replaced = cases.some((one) => isOurDuplicate(one) && isAcceptedByReal(one));
  const rejected = cases.some(isTheirDuplicate);
  const present = applied.profile.duplicates;
  const wanted = replaced ? 'replace' : rejected ? 'reject' : present;
  if (wanted === present) return [];
  const proposal: Proposal = {
    text: `duplicates: ${wanted}`,
    patch: { duplicates: wanted },
    isGuess: true,
    settles: ({ kind, expected, seen }) =>
      (kind === 'status' && (expected.includes('(duplicate)') || seen === '409')) ||
      (kind === 'result body' && exists.test(expected + seen)),
  };
  return [proposal];
};

function isOurDuplicate({ ours, mapped }: Case): boolean {
  if (ours.kind === 'duplicate') return true;
  const differences = compareEntries(ours.value, mapped.exchange.response.body?.value);
  return differences.some(({ ours: reason }) => reason !== undefined && exists.test(reason));
}

function isAcceptedByReal({ mapped }: Case): boolean {
  return mapped.exchange.response.status < 300;
}

/** An entry that the real API rejects because it exists, and the sandbox replaces. */
function isTheirDuplicate({ ours, mapped, before }: Case): boolean {
  if (before.size === 0 || ours.kind !== undefined) return false;
  const { status, body } = mapped.exchange.response;
  const creates = operations[mapped.operation].action.name !== '' && mapped.exchange.method !== 'PATCH';
  if (status >= 400) return creates && (status === 409 || exists.test(body?.text ?? ''));
  return isObject(body?.value) && compareEntries(ours.value, body.value).some(({ real }) => exists.test(real ?? ''));
}
