/** `respond`: replaces the real response. */
import type { Then } from '../types.ts';
import type { Effect } from './effect.ts';

export function compileRespond({ respond, processed = false }: Then): Effect | undefined {
  if (!respond) return undefined;
  const response = { status: respond.status, headers: respond.headers ?? {}, body: respond.body, processed };
  return {
    kind: 'respond',
    apply: (plan) => {
      if (plan.respond) return 'outdone';
      plan.respond = response;
      return 'acted';
    },
  };
}
