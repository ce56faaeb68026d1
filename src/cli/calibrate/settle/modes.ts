/** Settles whether an operation processes its entries before or after its response. */
import { operationFacts } from '../../../config/config-files.ts';
import { operations } from '../../../operations/index.ts';
import { compareEntries } from '../compare/entries.ts';
import { groupBy } from '../exchange.ts';
import type { Case } from '../play/play.ts';
import type { Proposal, Settler } from './settler.ts';

export const settleModes: Settler = ({ cases, applied }) => {
  const facts = operationFacts();
  return [...groupBy(cases, ({ mapped }) => mapped.operation)].flatMap(([id, group]): readonly Proposal[] => {
    const operation = group[0]?.mapped.operation;
    if (operation === undefined || !facts.get(id)?.canBeAsync) return [];
    const present = applied.profile.operations[id]?.mode ?? operations[operation].mode;
    const wanted = present === 'sync' ? 'async' : 'sync';
    const hints = group.filter((one) => (present === 'sync' ? isLaterInReal(one) : isSoonerInReal(one)));
    if (hints.length === 0) return [];
    return [
      {
        text: `operations.${id}.mode: ${wanted}`,
        patch: { operations: { [id]: { mode: wanted } } },
        isGuess: true,
        settles: (finding) =>
          finding.operation === operation && (finding.kind === 'result body' || finding.kind === 'status'),
      },
    ];
  });
};

const stateReason = /unknown|exist|already|not found|duplicate/i;

/** The sandbox's response reports what it found in its records, the real API's does not. */
function isLaterInReal({ ours, mapped }: Case): boolean {
  const { status, body } = mapped.exchange.response;
  if (status >= 300) return false;
  if (ours.kind === 'notFound' || ours.kind === 'duplicate') return true;
  return compareEntries(ours.value, body?.value).some(({ ours: reason }) => stateReason.test(reason ?? ''));
}

/** The real API's response reports what it found in its records, the sandbox's does not. */
function isSoonerInReal({ ours, mapped }: Case): boolean {
  const { status, body } = mapped.exchange.response;
  if (ours.kind !== undefined) return false;
  if (status >= 400) return true;
  return compareEntries(ours.value, body?.value).some(({ real }) => real !== undefined);
}
