/** `refuse`: the matched entries are refused in the response. */
import type { Then } from '../types.ts';
import type { Effect } from './effect.ts';

export function compileRefuse({ refuse }: Then): Effect | undefined {
  if (refuse === undefined) return undefined;
  return {
    kind: 'refuse',
    apply: (plan, { items }) => {
      plan.refused ??= new Map();
      const { refused } = plan;
      const before = refused.size;
      for (const item of items) if (!refused.has(item)) refused.set(item, refuse);
      if (items.length === 0) return 'idle';
      return refused.size > before ? 'acted' : 'outdone';
    },
  };
}
