/** Maps and plays the traffic under one profile. */
import type { AppliedProfile } from '../../config/config-files.ts';
import { type Contract, createContract } from '../../openapi/contract.ts';
import { compareCase, isAgreed } from './compare/compare.ts';
import type { Finding } from './compare/difference.ts';
import { compareHeaders } from './compare/headers.ts';
import { comparePaths } from './compare/paths.ts';
import type { Exchange } from './exchange.ts';
import { type Mapping, mapTraffic } from './mapping/map.ts';
import type { UserMap } from './mapping/user-map.ts';
import type { AssumedRecord } from './play/assume.ts';
import { type Case, play } from './play/play.ts';
import type { Evidence } from './settle/proposal.ts';

/** The traffic under one profile. */
export interface Evaluation extends Evidence {
  readonly assumed: readonly AssumedRecord[];
  readonly findings: readonly Finding[];
  /** The cases with a difference other than in their path or headers. */
  readonly differing: readonly Case[];
  /** Number of exchanges with the same status and body shape. */
  readonly agreed: number;
}

/** Evaluates profiles with the same traffic. Compiles equal documents once, and maps once for equal routes. */
export class Evaluator {
  readonly #exchanges: readonly Exchange[];
  readonly #userMaps: readonly UserMap[];
  readonly #contracts = new Map<string, Contract>();
  readonly #mappings = new Map<string, Mapping>();

  constructor(exchanges: readonly Exchange[], userMaps: readonly UserMap[]) {
    this.#exchanges = exchanges;
    this.#userMaps = userMaps;
  }

  /** Returns undefined as soon as more than `most` exchanges differ. */
  async evaluate(applied: AppliedProfile, most: number = Number.POSITIVE_INFINITY): Promise<Evaluation | undefined> {
    const contract = this.#toContract(applied);
    const mapping = this.#toMapping(contract);
    let different = 0;
    const played = await play(mapping.mapped, applied, contract, (one) => {
      different += isAgreed(one) ? 0 : 1;
      return different > most;
    });
    if (!played) return undefined;
    const { cases, assumed } = played;
    const compared = cases.map((one) => ({ one, findings: compareCase(one) }));
    const differing = compared.filter(({ findings }) => findings.length > 0).map(({ one }) => one);
    const inBodies = compared.flatMap(({ findings }) => findings);
    const findings = [...comparePaths(mapping, contract), ...inBodies, ...compareHeaders(cases)];
    return { mapping, cases, assumed, applied, findings, differing, agreed: cases.length - different };
  }

  #toContract({ document, profile }: AppliedProfile): Contract {
    // Only requests are validated, so that equal requests need one compilation.
    const withoutResponses = (name: string, value: unknown): unknown => (name === 'responses' ? undefined : value);
    const key = JSON.stringify([document, profile.limits.depth], withoutResponses);
    const contract = this.#contracts.get(key) ?? createContract(document, profile.limits.depth);
    this.#contracts.set(key, contract);
    return contract;
  }

  #toMapping(contract: Contract): Mapping {
    const routes = [...contract.operations.values()].map(({ method, path, identifiers }) => [
      method,
      path,
      identifiers,
    ]);
    const key = JSON.stringify(routes);
    const mapping = this.#mappings.get(key) ?? mapTraffic(this.#exchanges, contract, this.#userMaps);
    this.#mappings.set(key, mapping);
    return mapping;
  }
}
