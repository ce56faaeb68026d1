/** Maps and plays the traffic under one profile. */
import type { AppliedProfile } from '../../config/config-files.ts';
import { createContract } from '../../openapi/contract.ts';
import type { ApiDocument } from '../../openapi/document.ts';
import { compareAll, type Finding, isAgreed } from './compare/compare.ts';
import type { Exchange } from './exchange.ts';
import { type Mapping, mapTraffic } from './mapping/map.ts';
import type { UserMap } from './mapping/user-map.ts';
import { type Played, play } from './play/play.ts';

/** The traffic, with the operations that the user names. */
export interface NamedTraffic {
  readonly exchanges: readonly Exchange[];
  readonly userMaps: readonly UserMap[];
}

/** The traffic beside the sandbox's responses under one profile. */
export interface Evaluation extends Played {
  readonly applied: AppliedProfile;
  readonly mapping: Mapping;
  readonly findings: readonly Finding[];
  /** Number of exchanges with the same status and body shape. */
  readonly agreed: number;
}

/** Returns undefined as soon as more than `most` exchanges differ. */
export async function evaluate(
  { exchanges, userMaps }: NamedTraffic,
  applied: AppliedProfile,
  most: number = Number.POSITIVE_INFINITY,
): Promise<Evaluation | undefined> {
  // Only requests are validated, so that profiles with other responses share the compiled validators.
  const toRequests = (name: string, value: unknown): unknown => (name === 'responses' ? undefined : value);
  const document = JSON.parse(JSON.stringify(applied.document, toRequests)) as ApiDocument;
  const contract = createContract(document, applied.profile.limits.depth);
  const mapping = mapTraffic(exchanges, contract, userMaps);
  let different = 0;
  const played = await play(mapping.mapped, applied, contract, (one) => {
    different += isAgreed(one) ? 0 : 1;
    return different > most;
  });
  if (!played) return undefined;
  const findings = compareAll(played.cases, mapping, contract);
  return { ...played, applied, mapping, findings, agreed: played.cases.length - different };
}
