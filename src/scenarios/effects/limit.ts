/**
 * `limit`: rejects requests beyond a rate, in a fixed window of the project clock that begins with its first request.
 */
import { parseDuration } from '../../lib/duration.ts';
import type { Then } from '../types.ts';
import type { Effect } from './effect.ts';

export function compileLimit({ limit }: Then): Effect | undefined {
  if (!limit) return undefined;
  const perMs = parseDuration(limit.per) ?? 0;
  return {
    kind: 'limit',
    apply: (plan, { count, now }) => {
      if (plan.limit) return 'outdone';
      if (!count.window || now >= count.window.from + perMs) count.window = { from: now, used: 0 };
      const { window } = count;
      window.used += 1;
      const isBeyond = window.used > limit.requests;
      plan.limit = { retryAfter: isBeyond ? Math.ceil((window.from + perMs - now) / 1000) : undefined };
      return isBeyond ? 'acted' : 'idle';
    },
  };
}
