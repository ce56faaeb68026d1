/** Settles the registration of attendants without access, and of users without a type. */
import type { Json } from '../../../lib/json.ts';
import { isObject } from '../exchange.ts';
import type { Case } from '../play/play.ts';
import type { Proposal, Settler } from './settler.ts';

export const settleUsers: Settler = ({ cases, applied }) => {
  const own = cases.flatMap((one) => {
    const body = one.mapped.exchange.body?.value;
    return one.mapped.operation === 'registerUser' && isObject(body) ? [{ one, body }] : [];
  });
  const { attendantAccess, withoutType } = applied.profile.users;
  const bare = own.filter(({ body }) => body['type'] === 'attendant' && !('access' in body)).map(({ one }) => one);
  const untyped = own.filter(({ body }) => !('type' in body));
  const untypedCases = untyped.map(({ one }) => one);
  const types = untyped.some(({ body }) => isDriver(body)) ? ['driver', 'attendant'] : ['attendant', 'driver'];
  const withoutTypes = types.map((type) => choose(untypedCases, { accepted: type, rejected: 'reject' }));
  return [
    ...toProposals('attendantAccess', attendantAccess, choose(bare, { accepted: 'default', rejected: 'required' })),
    // One after another: only a trial shows which type the real API has.
    ...[...new Set(withoutTypes)].flatMap((wanted) => toProposals('withoutType', withoutType, wanted)),
  ];
};

/** Returns what the real API does with these requests, if the sandbox does otherwise. */
function choose(
  cases: readonly Case[],
  { accepted, rejected }: { readonly accepted: string; readonly rejected: string },
): string | undefined {
  const isAccepted = ({ mapped }: Case): boolean => mapped.exchange.response.status < 300;
  const isValid = (one: Case): boolean => isAccepted(one) || one.mapped.exchange.response.status !== one.ours.status;
  if (cases.some((one) => isValid(one) && one.ours.kind === 'invalid')) return accepted;
  return cases.some((one) => !isAccepted(one) && one.ours.kind === undefined) ? rejected : undefined;
}

function isDriver(body: Json): boolean {
  return 'visibleBy' in body || body['access'] === 'DRIVER';
}

function toProposals(key: string, present: string, wanted: string | undefined): readonly Proposal[] {
  if (wanted === undefined || wanted === present) return [];
  return [
    {
      text: `users.${key}: ${wanted}`,
      patch: { users: { [key]: wanted } },
      isGuess: true,
      settles: ({ operation, kind }) =>
        operation === 'registerUser' && (kind === 'required field' || kind === 'status'),
    },
  ];
}
