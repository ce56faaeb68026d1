/** Settles methods and paths: a prefix of all paths, and the operations that are elsewhere. */
import type { Json } from '../../../lib/json.ts';
import type { OperationId } from '../../../operations/index.ts';
import type { Endpoint } from '../mapping/endpoint.ts';
import { pathWords, shippedFacts } from '../mapping/skeleton.ts';
import type { Evidence, Proposal } from './proposal.ts';

export function settlePaths(evidence: Evidence): readonly Proposal[] {
  const { moved } = evidence.mapping;
  if (moved.size === 0) return [];
  const basePath = chooseBasePath(evidence);
  const proposals: Proposal[] = [];
  if (basePath !== evidence.applied.profile.basePath)
    proposals.push({
      text: `basePath: ${JSON.stringify(basePath)}`,
      patch: { basePath },
      settles: ({ kind, seen }) => kind === 'path' && seen.includes(` ${basePath}/`),
    });
  for (const [operation, endpoint] of moved) {
    const patch = toOverride(operation, endpoint, basePath);
    const texts = Object.entries(patch).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    if (texts.length === 0) continue;
    proposals.push({
      text: `operations.${operation}: { ${texts.join(', ')} }`,
      patch: { operations: { [operation]: patch } },
      settles: (finding) => finding.kind === 'path' && finding.operation === operation,
    });
  }
  return proposals;
}

/** Returns the longest prefix of fixed segments that all endpoints have, without the words of the shipped paths. */
function chooseBasePath({ mapping, applied }: Evidence): string {
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

/** Returns the override of an operation: what differs from its default under the base path. */
function toOverride(operation: OperationId, { method, path, identifiers }: Endpoint, basePath: string): Json {
  const shipped = shippedFacts.get(operation);
  const own = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
  const places = identifiers?.places ?? {};
  // An identifier that leaves the path takes its segment along.
  const kept = shipped?.path.split('/').filter((segment) => !(segment.slice(1, -1) in places));
  return {
    ...(method !== shipped?.method && { method }),
    ...(own !== kept?.join('/') && { path: own }),
    ...(identifiers && { identifiers: places }),
  };
}
