/** `connection`: breaks the response on the connection. */
import type { Then } from '../types.ts';
import type { Effect } from './effect.ts';

export function compileConnection({ connection, processed = false }: Then): Effect | undefined {
  if (connection === undefined) return undefined;
  const broken = { fault: connection, processed };
  return {
    kind: 'connection',
    apply: (plan) => {
      if (plan.connection) return 'outdone';
      plan.connection = broken;
      return 'acted';
    },
  };
}
