/** Maps and plays the traffic under one profile. */
import type { AppliedProfile } from '../../config/config-files.ts';
import { type Contract, createContract } from '../../openapi/contract.ts';
import { type AssumedRecord, findAssumed, toKey, toSnapshots } from './assume.ts';
import { compareCase, isAgreed } from './compare/compare.ts';
import type { Finding } from './compare/difference.ts';
import { compareHeaders } from './compare/headers.ts';
import { comparePaths } from './compare/paths.ts';
import type { Exchange } from './exchange.ts';
import { type Mapping, mapTraffic } from './mapping/map.ts';
import type { UserMap } from './mapping/user-map.ts';
import { type Case, play } from './play/play.ts';
import type { Evidence } from './settle/settler.ts';

/** The traffic under one profile. */
export interface Evaluation extends Evidence {
  readonly mapping: Mapping;
  readonly cases: readonly Case[];
  readonly assumed: readonly AssumedRecord[];
  readonly findings: readonly Finding[];
  /** Number of exchanges with the same status and body shape. */
  readonly agreed: number;
}

/** Maximum number of plays until all assumed records are known. */
const maxPlays = 4;

export interface Evaluator {
  evaluate(applied: AppliedProfile): Promise<Evaluation>;
}

/** Creates an evaluator. It compiles equal documents once. */
export function createEvaluator(exchanges: readonly Exchange[], userMaps: readonly UserMap[]): Evaluator {
  const contracts = new Map<string, Contract>();
  const mappings = new Map<string, Mapping>();

  /** Maps the traffic. Contracts with equal routes have the same mapping. */
  function toMapping(contract: Contract): Mapping {
    const routes = [...contract.operations.values()].map(({ method, path, identifiers }) => [
      method,
      path,
      identifiers,
    ]);
    const key = JSON.stringify(routes);
    const mapping = mappings.get(key) ?? mapTraffic(exchanges, contract, userMaps);
    mappings.set(key, mapping);
    return mapping;
  }

  function toContract({ document, profile }: AppliedProfile): Contract {
    // Only requests are validated, so that equal requests need one compilation.
    const withoutResponses = (name: string, value: unknown): unknown => (name === 'responses' ? undefined : value);
    const key = JSON.stringify([document, profile.limits.depth], withoutResponses);
    const contract = contracts.get(key) ?? createContract(document, profile.limits.depth);
    contracts.set(key, contract);
    return contract;
  }

  return {
    evaluate: async (applied) => {
      const contract = toContract(applied);
      const mapping = toMapping(contract);
      let cases: readonly Case[] = [];
      // Another profile may explain a response without them.
      let assumed: readonly AssumedRecord[] = [];
      for (let count = 0; count < maxPlays; count += 1) {
        cases = await play({ mapped: mapping.mapped, applied, contract, assumed: toSnapshots(assumed) });
        const known = new Set(assumed.map(toKey));
        const added = findAssumed(cases).filter((record) => !known.has(toKey(record)));
        if (added.length === 0) break;
        assumed = [...assumed, ...added];
      }
      const findings = [...comparePaths(mapping, contract), ...cases.flatMap(compareCase), ...compareHeaders(cases)];
      return { mapping, cases, assumed, applied, findings, agreed: cases.filter(isAgreed).length };
    },
  };
}
