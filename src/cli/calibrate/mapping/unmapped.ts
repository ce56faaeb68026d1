/** Describes the exchanges without an operation, each method and path once, with a `--map` to complete. */
import { identifierNames } from '../../../openapi/profile/places.ts';
import { type OperationId, operations } from '../../../operations/index.ts';
import { countEach, type Exchange, groupBy, isObject } from '../exchange.ts';
import { decode, findPlaces, type MappedExchange } from './endpoint.ts';
import { findSkeletons, fitsBodies, pathWords, shippedFacts } from './skeleton.ts';
import { nameParameters } from './user-map.ts';

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

export function describeUnmapped(
  exchanges: readonly Exchange[],
  mapped: readonly MappedExchange[],
): readonly UnmappedGroup[] {
  const projects = mapped.map(({ identifiers }) => identifiers['projectId']);
  const known = new Map<string, string>(findIds(exchanges).map((id) => [id, '{id}']));
  for (const id of projects) if (id !== undefined) known.set(id, '{projectId}');
  const taken = new Set(mapped.map(({ operation }) => operation));
  const similar = groupBy(exchanges, ({ method, path }) => {
    const template = findSkeletons(path)[0]?.template;
    return template === undefined ? '' : `${method} ${template}`;
  });
  const others = groupBy(similar.get('') ?? [], ({ method, path }) => `${method} ${path.split('/').length}`);
  similar.delete('');
  const groups = [
    ...[...similar].map(([key, group]) => ({ template: key.slice(key.indexOf('/')), exchanges: group })),
    ...[...others.values()].flatMap((group) => splitAt(group, 1, '', known)),
  ];
  const described = groups.map((group) => describe(group, taken));
  // What may be an operation comes before the files of a web page.
  return described.toSorted((a, b) => Number(b.map !== undefined) - Number(a.map !== undefined));
}

interface Group {
  readonly template: string;
  readonly exchanges: readonly Exchange[];
}

/** Common words of paths that are no identifiers. */
const words = /^(v\d+(\.\d+)?|api|rest|bulk|batch|\w*(job|task|order|route|user|location|project|import|update)\w*)$/i;

/** Number of different values at one position that show a parameter. */
const minValues = 4;

/** Splits exchanges whose paths have the same length by their segments. An id, or what varies, is a parameter. */
function splitAt(
  exchanges: readonly Exchange[],
  position: number,
  template: string,
  known: ReadonlyMap<string, string>,
): readonly Group[] {
  const segmentOf = ({ path }: Exchange): string => path.split('/')[position] ?? '';
  const values = new Set(exchanges.map(segmentOf));
  if ([...values].every((value) => value === '')) return [{ template: template === '' ? '/' : template, exchanges }];
  const isOpen = (value: string): boolean => !pathWords.has(value) && !words.test(value);
  const varies = [...values].filter(isOpen).length >= minValues;
  const groups = groupBy(exchanges, (exchange) => {
    const segment = segmentOf(exchange);
    return known.get(decode(segment)) ?? (varies && isOpen(segment) ? '{id}' : segment);
  });
  return [...groups].flatMap(([segment, group]) => splitAt(group, position + 1, `${template}/${segment}`, known));
}

/** Returns the ids in the bodies of requests, at the top and in their lists. */
function findIds(exchanges: readonly Exchange[]): readonly string[] {
  const bodies = exchanges.flatMap(({ body }) => (isObject(body?.value) ? [body.value] : []));
  const records = [...bodies, ...bodies.flatMap(Object.values).filter(Array.isArray).flat().filter(isObject)];
  return records.flatMap(({ id, username }) => [id, username]).filter((id) => typeof id === 'string');
}

function describe({ template, exchanges }: Group, taken: ReadonlySet<OperationId>): UnmappedGroup {
  const example = exchanges[0] as Exchange;
  const { method } = example;
  const isLikely = method !== 'GET' && exchanges.some(({ response: { status } }) => status !== 404 && status !== 405);
  const hasBody = exchanges.some(({ body }) => body);
  const paths = isLikely && hasBody ? [template, ...withParameter(template)] : [];
  const places = identifierNames.filter((name) => findPlaces(exchanges, [name]));
  const [best = { path: template, candidates: [] }] = paths
    .map((path) => ({ path, candidates: findCandidates(path, exchanges, { taken, places }) }))
    .filter(({ candidates }) => candidates.length > 0);
  const { candidates } = best;
  const [operation] = candidates;
  const path = operation === undefined ? best.path : nameParameters(best.path, operation, places);
  const fits = operation === undefined ? 'fits no operation' : `fits ${candidates.length} operations equally well`;
  const isComplete = candidates.length === 1;
  return {
    ...{ method, path, count: exchanges.length, example, candidates },
    reason: isComplete ? `may be ${operation}` : `${fits}: name one by --map if it is one`,
    map: isLikely ? `--map '${method} ${path}=${isComplete ? operation : 'OPERATION'}'` : undefined,
  };
}

/** Returns the template with its only segment that is no word as a parameter: a traffic with one project does not vary. */
function withParameter(template: string): readonly string[] {
  const segments = template.split('/');
  const open = segments.flatMap((segment, index) =>
    index < 2 || segment.startsWith('{') || pathWords.has(segment) || words.test(segment) ? [] : [index],
  );
  const [index] = open;
  return index === undefined || open.length > 1 ? [] : [segments.with(index, '{id}').join('/')];
}

/** Returns the operations that list, counter, action, mode, identifiers and fields leave. */
function findCandidates(
  path: string,
  exchanges: readonly Exchange[],
  { taken, places }: { readonly taken: ReadonlySet<OperationId>; readonly places: readonly string[] },
): readonly OperationId[] {
  const [status] = countEach(exchanges.map(({ response }) => response.status).filter((one) => one < 300));
  const mode = /\b(async|sync)\b/.exec(path)?.[1] ?? (status && (status.value === 202 ? 'async' : 'sync'));
  const creates = isCreation(path, exchanges[0]?.method);
  const inPath = path.split('/').filter((segment) => segment.startsWith('{')).length;
  const found = [...shippedFacts].flatMap(([id, { method, parameters, fields }]) => {
    if ((creates ?? method === 'POST') !== (method === 'POST') || (mode ?? operations[id].mode) !== operations[id].mode)
      return [];
    const named = inPath + parameters.filter((name) => places.includes(name)).length;
    if (named !== parameters.length || taken.has(id) || !fitsBodies(id, exchanges)) return [];
    return [{ id, score: named * 1_000_000 + countFields(exchanges, fields) }];
  });
  const best = Math.max(...found.map(({ score }) => score));
  return found.filter(({ score }) => score === best).map(({ id }) => id);
}

/** Whether requests create records; undefined if neither a word of their path nor their method shows it. */
function isCreation(path: string, method = ''): boolean | undefined {
  if (/\/(import|create|add|new|register)/i.test(path)) return true;
  if (/\/(update|change|edit|modify)/i.test(path)) return false;
  return method === 'PUT' ? undefined : method === 'POST';
}

/** Counts the fields in bodies that an operation has. */
function countFields(exchanges: readonly Exchange[], known: readonly string[]): number {
  const names = exchanges.flatMap(({ body }) => (isObject(body?.value) ? Object.keys(body.value) : []));
  return names.filter((name) => known.includes(name)).length;
}
