/** Scores the operations of a path that differs from the default ones by a prefix or by missing identifiers. */
import type { Exchange } from '../exchange.ts';
import type { Candidate, Candidates } from './choose.ts';
import type { Place } from './endpoint.ts';
import { scoreOf, toEvidence } from './evidence.ts';
import type { IdentifierName } from './facts.ts';
import { findPlace } from './places.ts';
import type { SkeletonMatch } from './skeleton.ts';

export function toSkeletonCandidates(exchanges: readonly Exchange[], matches: readonly SkeletonMatch[]): Candidates {
  const method = exchanges[0]?.method ?? '';
  const template = matches[0]?.template ?? '';
  const evidence = toEvidence(exchanges, method, template);
  const candidates = matches.flatMap((match): readonly Candidate[] => {
    const places = findPlaces(exchanges, match.removed);
    const score = scoreOf(match.fact, evidence);
    if (!places || score === undefined) return [];
    const endpoint = { method, template: match.template, places };
    // A path with all identifiers is more likely than one that lost some.
    return [{ operation: match.fact.id, endpoint, score: score + 6 - match.removed.length }];
  });
  return { method, template, exchanges, candidates };
}

/** Returns the places of identifiers that are not in the path, or undefined if one is nowhere. */
export function findPlaces(
  exchanges: readonly Exchange[],
  identifiers: readonly IdentifierName[],
): Readonly<Partial<Record<IdentifierName, Place>>> | undefined {
  const places: Partial<Record<IdentifierName, Place>> = {};
  for (const identifier of identifiers) {
    const place = findPlace(exchanges, identifier);
    if (!place) return undefined;
    places[identifier] = place;
  }
  return places;
}
