/** `callback`: disturbs the callbacks of the matched requests. */
import { parseDuration } from '../../lib/duration.ts';
import type { Then } from '../types.ts';
import type { Effect } from './effect.ts';

export function compileCallback({ callback }: Then): Effect | undefined {
  if (!callback) return undefined;
  const { delay, ...rest } = callback;
  const disturbance = { ...rest, delayMs: delay === undefined ? 0 : (parseDuration(delay) ?? 0) };
  return {
    kind: 'callback',
    apply: ({ callbackRules }, { callbackRule }) => {
      // A rule that counts callbacks decides only when a callback is due, so it does not exclude later rules.
      if (!callbackRule.countsCallbacks && callbackRules.some((rule) => !rule.countsCallbacks)) return 'outdone';
      callbackRules.push({ ...callbackRule, disturbance });
      return 'acted';
    },
  };
}
