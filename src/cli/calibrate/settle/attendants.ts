/** Settles whether an attendant needs `access`. */
import { isObject } from '../exchange.ts';
import type { Settler } from './settler.ts';

export const settleAttendants: Settler = ({ cases, applied }) => {
  const present = applied.profile.users.attendantAccess;
  const isWithout = cases.filter(({ mapped: { operation, exchange } }) => {
    const body = exchange.body?.value;
    return operation === 'registerUser' && isObject(body) && body['type'] === 'attendant' && !('access' in body);
  });
  const accepted = isWithout.some(
    ({ mapped, ours }) => mapped.exchange.response.status < 300 && ours.kind === 'invalid',
  );
  const rejected = isWithout.some(
    ({ mapped, ours }) => mapped.exchange.response.status >= 400 && ours.kind === undefined,
  );
  if (accepted === rejected) return [];
  const wanted = accepted ? 'default' : 'required';
  if (wanted === present) return [];
  return [
    {
      text: `users.attendantAccess: ${wanted}`,
      patch: { users: { attendantAccess: wanted } },
      isGuess: true,
      settles: ({ operation, kind }) =>
        operation === 'registerUser' && (kind === 'required field' || kind === 'status'),
    },
  ];
};
