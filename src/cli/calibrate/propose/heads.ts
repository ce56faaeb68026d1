/** Proposes what the responses show: paths, statuses, and the headers that all responses have. */
import { isDeepStrictEqual } from 'node:util';
import { findConstantHeaders, toStatusKeys } from '../compare/compare.ts';
import type { Evaluation } from '../evaluate.ts';
import { findMajority, groupBy } from '../exchange.ts';
import { pathWords, shippedFacts } from '../mapping/shipped.ts';
import { type Proposal, propose } from './proposal.ts';

export function proposePaths(evaluation: Evaluation): readonly Proposal[] {
  const { moved } = evaluation.mapping;
  if (moved.size === 0) return [];
  const { profile } = evaluation.applied;
  const basePath = chooseBasePath(evaluation);
  const overrides = [...moved].flatMap(([operation, { method, path, identifiers }]) => {
    const shipped = shippedFacts(operation);
    const places = identifiers?.places ?? {};
    // An identifier that leaves the path takes its segment along.
    const kept = shipped.path.split('/').filter((segment) => !(segment.slice(1, -1) in places));
    const own = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
    const values = { method, path: own, identifiers: places };
    const defaults = { method: shipped.method, path: kept.join('/'), identifiers: {} };
    return (['method', 'path', 'identifiers'] as const)
      .filter((name) => !isDeepStrictEqual(values[name], defaults[name]))
      .map((name) => propose(['operations', operation, name], values[name], `operations.${operation}.${name}`));
  });
  return basePath === profile.basePath ? overrides : [propose(['basePath'], basePath), ...overrides];
}

/** Returns the longest prefix of fixed segments that all endpoints have, without the words of the shipped paths. */
function chooseBasePath({ mapping, applied }: Evaluation): string {
  if (mapping.mapped.some(({ isRouted }) => isRouted)) return applied.profile.basePath;
  const prefixes = [...mapping.moved.values()].map(({ path }) => {
    const segments = path.split('/');
    const end = segments.findIndex((segment) => segment.startsWith('{') || pathWords.has(segment));
    return segments.slice(0, end < 0 ? -1 : end);
  });
  const [first = []] = prefixes;
  const differs = first.findIndex((segment, index) => prefixes.some((prefix) => prefix[index] !== segment));
  return first.slice(0, differs < 0 ? first.length : differs).join('/');
}

export function proposeStatuses({ cases, applied }: Evaluation): readonly Proposal[] {
  const alike = cases.filter(({ ours: { kind }, mapped: { exchange } }) =>
    kind === undefined
      ? exchange.response.status < 300
      : kind in applied.profile.errors && exchange.response.status >= 400,
  );
  return [...groupBy(alike, (one) => toStatusKeys(one).join('.')).values()].flatMap((group) => {
    const [first] = group;
    const majority = findMajority(group.map(({ mapped }) => mapped.exchange.response.status));
    if (!first || !majority || majority.count <= group.length / 2 || majority.value === first.ours.status) return [];
    return [propose(toStatusKeys(first), majority.value)];
  });
}

export function proposeHeaders({ cases, applied }: Evaluation): readonly Proposal[] {
  const missing = findConstantHeaders(cases).filter(([name, value]) => applied.profile.responseHeaders[name] !== value);
  return missing.map(([name, value]) => propose(['responseHeaders', name], value));
}
