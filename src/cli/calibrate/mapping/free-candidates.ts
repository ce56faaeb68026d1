/** Scores all operations for a path that has nothing in common with the default ones. */
import type { Exchange } from '../exchange.ts';
import type { Candidate, Candidates } from './choose.ts';
import { type Evidence, isResource, scoreOf, toEvidence } from './evidence.ts';
import { type OperationFact, operationList } from './facts.ts';
import { type FreeGroup, isWord } from './free-path.ts';
import { nameParameters } from './name-parameters.ts';
import { findPlaces } from './skeleton-candidates.ts';

export function toFreeCandidates({ method, template, exchanges }: FreeGroup): Candidates {
  const evidence = toEvidence(exchanges, method, template);
  // Unknown paths and methods are no operations.
  const isNothing = exchanges.every(({ response: { status } }) => status === 404 || status === 405);
  const toAll = (path: string): readonly Candidate[] =>
    isNothing ? [] : operationList.flatMap((fact) => toCandidate(fact, evidence, path, exchanges));
  const [own, ...variants] = [template, ...withProject(template)].map((path) => ({ path, candidates: toAll(path) }));
  const fitting = variants.filter(({ candidates }) => candidates.length > 0);
  const best = own && own.candidates.length === 0 && fitting.length === 1 ? fitting[0] : own;
  return { method, template: best?.path ?? template, exchanges, candidates: best?.candidates ?? [] };
}

/** Returns the templates in which a fixed segment is the project: a traffic with one project does not show it. */
function withProject(template: string): readonly string[] {
  const segments = template.split('/');
  return segments.flatMap((segment, index) =>
    index < 2 || segment === '{}' || isWord(segment) || isResource(segment)
      ? []
      : [segments.with(index, '{}').join('/')],
  );
}

function toCandidate(
  fact: OperationFact,
  evidence: Evidence,
  template: string,
  exchanges: readonly Exchange[],
): readonly Candidate[] {
  const score = scoreOf(fact, evidence);
  if (score === undefined) return [];
  const named = nameParameters(template, fact.identifiers);
  if (!named) return [];
  const places = findPlaces(exchanges, named.rest);
  if (!places) return [];
  return [{ operation: fact.id, endpoint: { method: evidence.method, template: named.template, places }, score }];
}
