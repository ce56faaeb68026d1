/** Settles whether a null stands for an absent value. */
import { compareEntries } from '../compare/entries.ts';
import { readRejection } from '../compare/rejection.ts';
import { isObject } from '../exchange.ts';
import type { Case } from '../play/play.ts';
import type { Settler } from './settler.ts';

export const settleNulls: Settler = ({ cases, applied }) => {
  const present = applied.profile.nulls;
  const withNulls = cases.filter(({ mapped }) => hasNull(mapped.exchange.body?.value));
  const wanted = withNulls.some(isAcceptedByReal) ? 'ignore' : withNulls.some(isRejectedByReal) ? 'reject' : present;
  if (wanted === present) return [];
  return [
    {
      text: `nulls: ${wanted}`,
      patch: { nulls: wanted },
      isGuess: true,
      settles: ({ expected, seen }) => seen === 'null' || /got null/.test(expected),
    },
  ];
};

/** The sandbox rejects it, or one of its entries, and the real API does not. */
function isAcceptedByReal({ ours, mapped }: Case): boolean {
  const { status, body } = mapped.exchange.response;
  // Another rejection shows that the body was valid, too.
  if (status >= 300) return status !== ours.status && readRejection(ours.rejection).some(({ seen }) => seen === 'null');
  const reasons = compareEntries(ours.value, body?.value).map(({ ours: reason }) => reason ?? '');
  return ours.kind === 'invalid' || reasons.some((reason) => /got null/.test(reason));
}

function isRejectedByReal({ ours, mapped }: Case): boolean {
  const { status, body } = mapped.exchange.response;
  if (ours.kind !== undefined) return false;
  return status >= 400 || compareEntries(ours.value, body?.value).some(({ real }) => /null/.test(real ?? ''));
}

function hasNull(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasNull);
  return isObject(value) ? Object.values(value).some(hasNull) : value === null;
}
