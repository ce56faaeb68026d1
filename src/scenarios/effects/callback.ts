/** `callback`: disturbs the callbacks of the matched requests. */
import { parseDuration } from '../../base/duration.ts';
import type { Then } from '../types.ts';
import type { Effect } from './effect.ts';

export function compileCallback({ callback }: Then): Effect | undefined {
  if (!callback) return undefined;
  const delayMs = parseDuration(callback.delay) ?? 0;
  return {
    kind: 'callback',
    apply: ({ callbackRules }, { callbackRule }) => {
      // A rule that counts callbacks may let this one pass, so the next rule goes along too.
      if (callbackRules.some((rule) => !rule.countsCallbacks)) return false;
      callbackRules.push({ ...callbackRule, delayMs });
      return true;
    },
  };
}
