/** Plays traffic under one profile, and compares the responses. */
import type { AppliedProfile } from '../../config/config-files.ts';
import { type Contract, createContract } from '../../openapi/contract.ts';
import type { ApiDocument } from '../../openapi/document.ts';
import { compareAll, type Finding, isAgreed } from './compare.ts';
import type { MappedExchange } from './exchange.ts';
import { type Played, play } from './play.ts';

/** The traffic beside the sandbox's responses under one profile. */
export interface Evaluation extends Played {
  readonly applied: AppliedProfile;
  readonly findings: readonly Finding[];
  /** Number of exchanges with the same status and body shape. */
  readonly agreed: number;
}

/** Only requests are validated, so that profiles with other responses share the compiled validators. */
export function toContract({ document, profile }: AppliedProfile): Contract {
  const toRequests = (name: string, value: unknown): unknown => (name === 'responses' ? undefined : value);
  return createContract(JSON.parse(JSON.stringify(document, toRequests)) as ApiDocument, profile.limits.depth);
}

/** Plays exchanges under a profile. Returns undefined as soon as more than `most` of them differ. */
export async function evaluate(
  mapped: readonly MappedExchange[],
  applied: AppliedProfile,
  most: number = Number.POSITIVE_INFINITY,
): Promise<Evaluation | undefined> {
  let different = 0;
  const played = await play(mapped, applied, toContract(applied), (one) => {
    different += isAgreed(one) ? 0 : 1;
    return different > most;
  });
  if (!played) return undefined;
  return { ...played, applied, findings: compareAll(played.cases), agreed: played.cases.length - different };
}
