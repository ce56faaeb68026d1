/** Settles updates through another subproject than that of the record. */
import type { Settler } from './settler.ts';
import { toUpdates, type Update } from './updates.ts';

export const settleOtherSubproject: Settler = ({ cases, applied }) => {
  const through = cases.flatMap(toUpdates).filter(isThroughOther);
  const present = applied.profile.otherSubproject;
  const rejected = through.some(({ ours, real }) => ours && !real);
  const accepted = through.some(({ ours, real }) => !ours && real);
  const wanted = accepted ? 'warn' : rejected ? 'reject' : present;
  if (wanted === present) return [];
  return [
    {
      text: `otherSubproject: ${wanted}`,
      patch: { otherSubproject: wanted },
      isGuess: true,
      settles: ({ kind, expected, seen }) =>
        kind === 'status' || (kind === 'result body' && `${expected} ${seen}`.includes('subproject')),
    },
  ];
};

function isThroughOther({ case: { mapped }, fields, record }: Update): boolean {
  const requested = fields['subProjectId'] ?? mapped.identifiers.subProjectId;
  return requested !== undefined && requested !== record['subProjectId'];
}
