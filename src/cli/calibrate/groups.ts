/** Groups exchanges by the template of their path, and finds the operations that fit a group. */
import { isObject } from '../../lib/json.ts';
import { type OperationId, operationIds, operations } from '../../operations/index.ts';
import { type Endpoint, toEndpoint } from './endpoint.ts';
import { type Exchange, findMajority, objectsIn } from './exchange.ts';
import { findSimilarPaths, fitsBodies, pathWords, shippedFacts } from './shipped.ts';

/** Exchanges of one host, method and template. */
export interface TemplateGroup {
  readonly host: string;
  readonly method: string;
  readonly template: string;
  readonly exchanges: readonly Exchange[];
  /** The operations whose shipped paths are similar. */
  readonly similar: readonly OperationId[];
}

/** Common words of paths that are no identifiers. */
const words = /^(v\d+(\.\d+)?|api|rest|bulk|batch|\w*(job|task|order|route|user|location|project|import|update)\w*|)$/i;

const isWord = (segment: string): boolean => words.test(segment) || pathWords.has(segment);

/** Groups by the template of a similar shipped path. In others, an id of the traffic and what looks like one is a parameter. */
export function groupByTemplate(
  exchanges: readonly Exchange[],
  projectIds: readonly (string | undefined)[],
): readonly TemplateGroup[] {
  const all = exchanges.map((exchange) => ({ exchange, similar: findSimilarPaths(exchange.path) }));
  const projects = [...projectIds, ...all.map((one) => one.similar[0]?.projectId)];
  const known = new Map<string | undefined, string>([
    ...findIds(exchanges).map((id) => [id, '{id}'] as const),
    ...projects.map((id) => [id, '{projectId}'] as const),
  ]);
  const toParameter = (segment: string): string =>
    isWord(segment) ? segment : (known.get(decode(segment)) ?? (/\d$|[\da-f-]{16}/.test(segment) ? '{id}' : segment));
  const groups = new Map<string, TemplateGroup & { readonly exchanges: Exchange[] }>();
  for (const { exchange, similar } of all) {
    const { host, method, path } = exchange;
    const template = similar[0]?.template ?? path.split('/').map(toParameter).join('/');
    const key = `${host} ${method} ${template}`;
    const similarIds = similar.map(({ operation }) => operation);
    const group = groups.get(key) ?? { host, method, template, similar: similarIds, exchanges: [] };
    group.exchanges.push(exchange);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns the ids in the bodies of requests, at the top and in their lists. */
function findIds(exchanges: readonly Exchange[]): readonly string[] {
  const bodies = objectsIn(exchanges.map(({ body }) => body));
  const records = [...bodies, ...bodies.flatMap(Object.values).filter(Array.isArray).flat().filter(isObject)];
  return records.flatMap(({ id, username }) => [id, username]).filter((id) => typeof id === 'string');
}

/** An operation at the path of a group. */
export interface Fit {
  readonly operation: OperationId;
  readonly endpoint: Endpoint;
  readonly group: TemplateGroup;
  /** Whether the operation ships with this method. */
  readonly isShipped: boolean;
  /** The greatest rank fits best. */
  readonly rank: number;
}

/** Returns the operations that list, counter, mode and identifiers leave. A path is no evidence without a body. */
function findFits(group: TemplateGroup): readonly Fit[] {
  const { exchanges, template, similar } = group;
  if (!exchanges.some(({ body }) => body)) return [];
  const found = (similar.length > 0 ? similar : operationIds).flatMap((id) => findFit(id, template, group));
  if (found.length > 0 || similar.length > 0) return found;
  const paths = withParameter(template);
  return paths.flatMap((path) => operationIds.flatMap((id) => findFit(id, path, group)));
}

function findFit(operation: OperationId, path: string, group: TemplateGroup): readonly Fit[] {
  const { method, exchanges, similar } = group;
  const { parameters, fields, method: shippedMethod } = shippedFacts(operation);
  const endpoint = toEndpoint(operation, { method, path, places: {} }, exchanges);
  const moved = Object.keys(endpoint.places).length;
  const inPath = path.split('{').length - 1;
  const status = findMajority(exchanges.map(({ response }) => response.status).filter((one) => one < 300))?.value;
  const isOtherMode = status !== undefined && (status === 202) !== (operations[operation].mode === 'async');
  if (inPath + moved !== parameters.length || !fitsBodies(operation, exchanges)) return [];
  if (similar.length === 0 && isOtherMode) return [];
  const names = objectsIn(exchanges.map(({ body }) => body)).flatMap(Object.keys);
  const guess = parameters.length * 1_000_000 + names.filter((name) => fields.includes(name)).length;
  return [
    { operation, endpoint, group, isShipped: method === shippedMethod, rank: similar.length > 0 ? -moved : guess },
  ];
}

/** Returns the template with its only segment that is no word as a parameter: a traffic with one project does not vary. */
function withParameter(template: string): readonly string[] {
  const segments = template.split('/');
  const [index, ...others] = segments.flatMap((segment, at) =>
    at < 2 || segment.startsWith('{') || isWord(segment) ? [] : [at],
  );
  return index === undefined || others.length > 0 ? [] : [segments.with(index, '{id}').join('/')];
}

/**
 * Returns the best fits of each group; none of the operations that others have. The method decides between operations of
 * one path, and an operation with another method is what is left.
 */
export function chooseFits(
  groups: readonly TemplateGroup[],
  others: ReadonlySet<OperationId>,
): readonly (readonly Fit[])[] {
  const taken = new Set(others);
  const all = groups.map(findFits);
  return [true, false].flatMap((hasMethod) => {
    const chosen = all
      .filter((fits) => fits.some(({ isShipped }) => isShipped) === hasMethod)
      .map((fits) => fits.filter(({ isShipped, operation }) => isShipped === hasMethod && !taken.has(operation)))
      .map((fits) => fits.filter(({ rank }) => rank === Math.max(...fits.map((one) => one.rank))));
    for (const [first, ...others] of chosen) if (first && others.length === 0) taken.add(first.operation);
    return chosen.filter(({ length }) => length > 0);
  });
}
