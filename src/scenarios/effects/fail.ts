/** `fail`: the matched entries fail downstream, optionally with the delay `after`. */
import { parseDuration } from '../../lib/duration.ts';
import type { Then } from '../types.ts';
import type { Effect } from './effect.ts';

export function compileFail({ fail, after }: Then): Effect | undefined {
  if (fail === undefined) return undefined;
  const afterMs = after === undefined ? undefined : parseDuration(after);
  const failure = { reason: fail, ...(afterMs !== undefined && { afterMs }) };
  return {
    kind: 'fail',
    apply: (plan, { items, entryCount }) => {
      plan.failed ??= new Map();
      const { failed } = plan;
      const before = failed.size;
      // Every entry is decided. Returning early matters, because very many rules may follow.
      if (before === entryCount && items.length > 0) return 'outdone';
      for (const item of items) if (!failed.has(item)) failed.set(item, failure);
      if (items.length === 0) return 'idle';
      return failed.size > before ? 'acted' : 'outdone';
    },
  };
}
