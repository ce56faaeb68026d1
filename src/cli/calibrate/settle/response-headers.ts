/** Settles headers that all responses have with the same value. */
import { findConstantHeaders } from '../compare/headers.ts';
import type { Proposal, Settler } from './settler.ts';

export const settleResponseHeaders: Settler = ({ cases, applied }) => {
  const seen = findConstantHeaders(cases.map(({ mapped }) => mapped.exchange.response.headers));
  const present = applied.profile.responseHeaders;
  return [...seen].flatMap(([name, value]): readonly Proposal[] => {
    if (present[name] === value) return [];
    return [
      {
        text: `responseHeaders.${name}: ${JSON.stringify(value)}`,
        patch: { responseHeaders: { [name]: value } },
        settles: ({ kind, seen: shown }) => kind === 'header' && shown === `${name}: ${value}`,
      },
    ];
  });
};
