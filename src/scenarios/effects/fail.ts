/** `fail`: the matched entries fail downstream, `after` some time where that is given. */
import { parseDuration } from '../../base/duration.ts';
import type { Then } from '../types.ts';
import type { Effect } from './effect.ts';

export function compileFail({ fail, after }: Then): Effect | undefined {
  if (fail === undefined) return undefined;
  const afterMs = after === undefined ? undefined : parseDuration(after);
  const failure = { reason: fail, ...(afterMs !== undefined && { afterMs }) };
  return {
    kind: 'fail',
    apply: (plan, { items }) => {
      plan.failed ??= new Map();
      const { failed } = plan;
      const before = failed.size;
      for (const item of items) if (!failed.has(item)) failed.set(item, failure);
      if (items.length === 0) return 'idle';
      return failed.size > before ? 'acted' : 'outdone';
    },
  };
}
