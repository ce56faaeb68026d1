/** Settles methods and paths: a prefix of all paths, and the operations that are elsewhere. */
import type { Json } from '../../../lib/json.ts';
import type { OperationId } from '../../../operations/index.ts';
import type { Endpoint } from '../mapping/endpoint.ts';
import { operationFactOf } from '../mapping/facts.ts';
import { pathWords } from '../mapping/skeleton.ts';
import type { Evidence, Proposal, Settler } from './settler.ts';

export const settlePaths: Settler = (evidence) => {
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
};

/** Returns the longest prefix of fixed segments that all endpoints have, without the words of the default paths. */
function chooseBasePath({ mapping, applied }: Evidence): string {
  const routed = mapping.mapped.some(({ isRouted }) => isRouted);
  if (routed) return applied.profile.basePath;
  const prefixes = [...mapping.moved.values()].map(({ template }) => {
    const segments = template.split('/').slice(1);
    const end = segments.findIndex((segment) => segment.startsWith('{') || pathWords.has(segment));
    return segments.slice(0, Math.min(end < 0 ? segments.length : end, segments.length - 1));
  });
  const [first = []] = prefixes;
  const common = first.filter((segment, index) =>
    prefixes.every((prefix) => prefix.slice(0, index + 1).join('/') === [...first.slice(0, index), segment].join('/')),
  );
  return common.map((segment) => `/${segment}`).join('');
}

/** Returns the override of an operation: what differs from its default under the base path. */
function toOverride(operation: OperationId, { method, template, places }: Endpoint, basePath: string): Json {
  const fact = operationFactOf.get(operation);
  const path = template.startsWith(`${basePath}/`) ? template.slice(basePath.length) : template;
  const all = Object.entries(places);
  const query = all.flatMap(([identifier, place]) =>
    place.in === 'query' && place.name !== identifier ? [`${encodeURIComponent(place.name)}={${identifier}}`] : [],
  );
  const identifiers = all.flatMap(([identifier, place]): [string, string][] => {
    if (place.in === 'header') return [[identifier, `header:${place.name}`]];
    return place.in === 'body' || place.name === identifier ? [[identifier, place.in]] : [];
  });
  const full = query.length > 0 ? `${path}?${query.join('&')}` : path;
  // An identifier that leaves the path takes its segment along.
  const kept = fact?.path.split('/').filter((segment) => !identifiers.some(([name]) => segment === `{${name}}`));
  return {
    ...(method !== fact?.method && { method }),
    ...(full !== kept?.join('/') && { path: full }),
    ...(identifiers.length > 0 && { identifiers: Object.fromEntries(identifiers) }),
  };
}
