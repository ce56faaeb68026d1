/** Groups exchanges by the template of their path, and describes those without an operation, with a `--map`. */
import { identifierNames } from '../../../openapi/profile/places.ts';
import { type OperationId, operationIds, operations } from '../../../operations/index.ts';
import { type Exchange, findMajority, isObject } from '../exchange.ts';
import { decode, findPlaces, type MappedExchange } from './endpoint.ts';
import { findSkeletons, fitsBodies, isCreation, pathWords, type SkeletonMatch, shippedFacts } from './skeleton.ts';
import { nameParameters } from './user-map.ts';

/** Exchanges of one host, method and template. */
export interface TemplateGroup {
  readonly host: string;
  readonly method: string;
  readonly template: string;
  readonly exchanges: readonly Exchange[];
  /** The operations whose shipped paths are similar. */
  readonly matches: readonly SkeletonMatch[];
}

/** Exchanges of one method and path without an operation. */
export interface UnmappedGroup {
  readonly method: string;
  readonly path: string;
  readonly count: number;
  readonly example: Exchange;
  readonly reason: string;
  /** Operations that fit equally well. */
  readonly candidates: readonly OperationId[];
  /** A `--map`, complete if one operation fits; undefined for requests that are hardly one. */
  readonly map: string | undefined;
}

/** Common words of paths that are no identifiers. */
const words = /^(v\d+(\.\d+)?|api|rest|bulk|batch|\w*(job|task|order|route|user|location|project|import|update)\w*|)$/i;

const isWord = (segment: string): boolean => words.test(segment) || pathWords.has(segment);

/** Groups by the template of a similar shipped path. In others, an id of the traffic and what looks like one is a parameter. */
export function groupByTemplate(
  exchanges: readonly Exchange[],
  mapped: readonly MappedExchange[],
): readonly TemplateGroup[] {
  const all = exchanges.map((exchange) => ({ exchange, matches: findSkeletons(exchange.path) }));
  const similar = all.flatMap(({ matches }) => matches.slice(0, 1).map(({ values }) => values));
  const known = new Map<string, string>(findIds(exchanges).map((id) => [id, '{id}']));
  for (const { projectId } of [...mapped.map(({ identifiers }) => identifiers), ...similar])
    if (projectId !== undefined) known.set(projectId, '{projectId}');
  const toParameter = (segment: string): string =>
    isWord(segment) ? segment : (known.get(decode(segment)) ?? (/\d$|[\da-f-]{16}/.test(segment) ? '{id}' : segment));
  const groups = new Map<string, TemplateGroup & { readonly exchanges: Exchange[] }>();
  for (const { exchange, matches } of all) {
    const { host, method, path } = exchange;
    const template = matches[0]?.template ?? path.split('/').map(toParameter).join('/');
    const key = `${host} ${method} ${template}`;
    const group = groups.get(key) ?? { host, method, template, matches, exchanges: [] };
    group.exchanges.push(exchange);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Returns the ids in the bodies of requests, at the top and in their lists. */
function findIds(exchanges: readonly Exchange[]): readonly string[] {
  const bodies = exchanges.flatMap(({ body }) => (isObject(body?.value) ? [body.value] : []));
  const records = [...bodies, ...bodies.flatMap(Object.values).filter(Array.isArray).flat().filter(isObject)];
  return records.flatMap(({ id, username }) => [id, username]).filter((id) => typeof id === 'string');
}

export function describeUnmapped(
  groups: readonly TemplateGroup[],
  mapped: readonly MappedExchange[],
): readonly UnmappedGroup[] {
  const taken = new Set(mapped.map(({ operation }) => operation));
  // What may be an operation comes before the files of a web page.
  return groups
    .map((group) => describe(group, taken))
    .toSorted((a, b) => Number(b.map !== undefined) - Number(a.map !== undefined));
}

function describe({ method, template, exchanges }: TemplateGroup, taken: ReadonlySet<OperationId>): UnmappedGroup {
  const isLikely = method !== 'GET' && exchanges.some(({ response: { status } }) => status !== 404 && status !== 405);
  const hasBody = exchanges.some(({ body }) => body);
  const places = identifierNames.filter((name) => name in findPlaces(exchanges, [name]));
  const [best = { path: template, candidates: [] }] = (
    isLikely && hasBody ? [template, ...withParameter(template)] : []
  )
    .map((path) => ({ path, candidates: findCandidates(path, method, exchanges, { taken, places }) }))
    .filter(({ candidates }) => candidates.length > 0);
  const { candidates } = best;
  const [operation] = candidates;
  const path = operation === undefined ? best.path : nameParameters(best.path, operation, places);
  const fits = operation === undefined ? 'fits no operation' : `fits ${candidates.length} operations equally well`;
  const isComplete = candidates.length === 1;
  return {
    ...{ method, path, count: exchanges.length, example: exchanges[0] as Exchange, candidates },
    reason: isComplete ? `may be ${operation}` : `${fits}: name one by --map if it is one`,
    map: isLikely ? `--map '${method} ${path}=${isComplete ? operation : 'OPERATION'}'` : undefined,
  };
}

/** Returns the template with its only segment that is no word as a parameter: a traffic with one project does not vary. */
function withParameter(template: string): readonly string[] {
  const segments = template.split('/');
  const [index, ...others] = segments.flatMap((segment, at) =>
    at < 2 || segment.startsWith('{') || isWord(segment) ? [] : [at],
  );
  return index === undefined || others.length > 0 ? [] : [segments.with(index, '{id}').join('/')];
}

/** Returns the operations that list, counter, action, mode, identifiers and fields leave. */
function findCandidates(
  path: string,
  method: string,
  exchanges: readonly Exchange[],
  { taken, places }: { readonly taken: ReadonlySet<OperationId>; readonly places: readonly string[] },
): readonly OperationId[] {
  const status = findMajority(exchanges.map(({ response }) => response.status).filter((one) => one < 300));
  const mode = /\b(async|sync)\b/.exec(path)?.[1] ?? (status && (status.value === 202 ? 'async' : 'sync'));
  const inPath = path.split('{').length - 1;
  const fields = exchanges.flatMap(({ body }) => (isObject(body?.value) ? Object.keys(body.value) : []));
  const found = operationIds.flatMap((id) => {
    const { parameters, fields: own } = shippedFacts(id);
    const named = inPath + parameters.filter((name) => places.includes(name)).length;
    if (taken.has(id) || named !== parameters.length || (mode ?? operations[id].mode) !== operations[id].mode)
      return [];
    if ((creates(path, method) ?? isCreation(id)) !== isCreation(id) || !fitsBodies(id, exchanges)) return [];
    return [{ id, score: named * 1_000_000 + fields.filter((name) => own.includes(name)).length }];
  });
  const best = Math.max(...found.map(({ score }) => score));
  return found.filter(({ score }) => score === best).map(({ id }) => id);
}

/** Whether requests create records; undefined if neither a word of their path nor their method shows it. */
function creates(path: string, method: string): boolean | undefined {
  if (/\/(import|create|add|new|register)/i.test(path)) return true;
  if (/\/(update|change|edit|modify)/i.test(path)) return false;
  return method === 'PUT' ? undefined : method === 'POST';
}
