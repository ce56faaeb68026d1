/** Describes at the first line of each rule how often it fired. */
import { readForm } from '../form/scenario-form.ts';
import type { RuleCounts } from './activity.ts';
import type { LineHint } from './hints.ts';

const noHints: readonly LineHint[] = [];

export function toHints(text: string, counts: RuleCounts): readonly LineHint[] {
  if (counts.length === 0) return noHints;
  const form = readForm(text);
  if ('problem' in form) return noHints;
  return form.rules.flatMap(({ name, line }, index) => {
    const found = counts.find(({ rule }) => rule === (name || `rule ${index + 1}`));
    if (!found) return [];
    return [{ line, text: `fired ${found.acted} of ${found.met} matched${found.left === 0 ? ', used up' : ''}` }];
  });
}
