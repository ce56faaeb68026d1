/** `refuse`: the response rejects the matched entries. */
import type { Then } from '../types.ts';
import type { Effect } from './effect.ts';

export function compileRefuse({ refuse }: Then): Effect | undefined {
  if (refuse === undefined) return undefined;
  return {
    kind: 'refuse',
    apply: (plan, { items, entryCount }) => {
      plan.refused ??= new Map();
      const { refused } = plan;
      const before = refused.size;
      // Every entry is decided. Returning early matters, because very many rules may follow.
      if (before === entryCount && items.length > 0) return 'outdone';
      for (const item of items) if (!refused.has(item)) refused.set(item, refuse);
      if (items.length === 0) return 'idle';
      return refused.size > before ? 'acted' : 'outdone';
    },
  };
}
