/** Proposes what the real API accepts and the document does not allow: fields, and looser keywords of a schema. */

import { groupBy } from '../../lib/group-by.ts';
import type { Evaluation } from './compare.ts';
import { type AcceptedMistake, toMistakeKey, toStep } from './mistakes.ts';
import type { OverlayAction, Proposal } from './propose.ts';
import { kindOf } from './shape.ts';

export function proposeFields(evaluation: Evaluation): readonly Proposal[] {
  return toProposals(evaluation, (keyword) => keyword === 'additionalProperties');
}

export function proposeLooserSchemas(evaluation: Evaluation): readonly Proposal[] {
  return toProposals(evaluation, (keyword) => keyword !== 'additionalProperties');
}

/** Returns one proposal for equal mistakes of all operations that share a schema. */
function toProposals({ cases }: Evaluation, isWanted: (keyword: string) => boolean): readonly Proposal[] {
  const mistakes = cases
    .flatMap((one) => one.mistakes)
    .filter(({ keyword = '', target }) => target && isWanted(keyword));
  return [...groupBy(mistakes, toMistakeKey)].flatMap(([setting, [first, ...others]]): readonly Proposal[] => {
    const change =
      first &&
      toAction(
        first,
        [first, ...others].map(({ value }) => value),
      );
    if (!change) return [];
    const { target, update } = change;
    const text = update === undefined ? `remove ${target}` : `update ${target}: ${JSON.stringify(update)}`;
    return [{ setting, text: `overlay: ${text}`, change }];
  });
}

function toAction(
  { keyword = '', params = {}, target = '', schema }: AcceptedMistake,
  values: readonly unknown[],
): OverlayAction | undefined {
  if (keyword === 'additionalProperties')
    return { target, update: { properties: { [String(params['additionalProperty'])]: toSchema(values) } } };
  // The sandbox stores objects: nothing else can take their place.
  if (!(keyword in schema) || (keyword === 'type' && schema['type'] === 'object')) return undefined;
  if (keyword === 'required')
    return { target: `${target}.required[?@ == '${params['missingProperty']}']`, remove: true };
  if (keyword === 'enum') return { target, update: { enum: [...new Set(values)] } };
  if (keyword === 'type')
    return { target, update: { type: [...new Set([schema['type'], ...values.map(kindOf)].flat())] } };
  return { target: `${target}${toStep(keyword)}`, remove: true };
}

/** Returns a schema that all values satisfy. A field that was only null may have any type. */
function toSchema(values: readonly unknown[]): object {
  const types = [...new Set(values.map(kindOf))];
  if (types.every((type) => type === 'null')) return {};
  const type = types.length > 1 ? types : types[0];
  return { type, ...(types.includes('object') && { additionalProperties: true }) };
}
