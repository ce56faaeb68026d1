/** `callback`: disturbs the callbacks of the matched requests. */
import { parseDuration } from '../../base/duration.ts';
import type { Then } from '../types.ts';
import type { Effect } from './effect.ts';

export function compileCallback({ callback }: Then): Effect | undefined {
  if (!callback) return undefined;
  const { delay, ...rest } = callback;
  const disturbance = { ...rest, delayMs: delay === undefined ? 0 : (parseDuration(delay) ?? 0) };
  return {
    kind: 'callback',
    apply: ({ callbackRules }, { callbackRule }) => {
      // Whether a rule that counts callbacks acts is seen only when one is due: it goes along, and so does the next rule.
      if (!callbackRule.countsCallbacks && callbackRules.some((rule) => !rule.countsCallbacks)) return 'outdone';
      callbackRules.push({ ...callbackRule, disturbance });
      return 'acted';
    },
  };
}
