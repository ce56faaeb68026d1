/** Compares requests with the operations as the API's document ships them. */
import { operationFacts } from '../../config/config-files.ts';
import type { IdentifierName } from '../../openapi/profile/places.ts';
import type { OperationFacts } from '../../openapi/profile/profile.ts';
import { type OperationId, operations } from '../../operations/index.ts';
import { type Exchange, findMajority, objectsIn } from './exchange.ts';

/** An operation as the API's document ships it. */
export type ShippedFacts = Omit<OperationFacts, 'parameters'> & { readonly parameters: readonly IdentifierName[] };

const facts = operationFacts() as ReadonlyMap<OperationId, ShippedFacts>;

export function shippedFacts(operation: OperationId): ShippedFacts {
  return facts.get(operation) as ShippedFacts;
}

/** Whether an operation creates records; the others change them. */
export function isCreation(operation: OperationId): boolean {
  return shippedFacts(operation).method === 'POST';
}

const isOpen = (segment: string): boolean => segment.startsWith('{');

/** Words of the shipped paths, which are no identifiers. */
export const pathWords: ReadonlySet<string> = new Set(
  [...facts.values()].flatMap(({ path }) => path.split('/').filter((segment) => segment !== '' && !isOpen(segment))),
);

/** Match the whole path of an operation, after a prefix, and with each identifier if it is there. */
const similarPaths = [...facts].map(([operation, { path }]) => {
  const segments = path.split('/').slice(1);
  const source = segments.map((one) => (isOpen(one) ? `(?:/(?<${one.slice(1, -1)}>[^/]+))?` : `/${one}`));
  return { operation, segments, pattern: new RegExp(`^(?<prefix>(?:/[^/]+)*?)${source.join('')}/*$`) };
});

/** A path that has the form of an operation's. */
export interface SimilarPath {
  readonly operation: OperationId;
  /** The whole template, with its prefix. */
  readonly template: string;
  readonly projectId: string | undefined;
}

/** Returns all operations whose path has the form of this one, those with the shortest prefix. */
export function findSimilarPaths(path: string): readonly SimilarPath[] {
  const found = similarPaths.flatMap(({ operation, segments, pattern }) => {
    const groups = pattern.exec(path)?.groups;
    if (!groups) return [];
    const { prefix = '', ...values } = groups;
    // A word of the shipped paths is neither an identifier nor part of the prefix.
    if ([...prefix.split('/'), ...Object.values(values)].some((part) => pathWords.has(part))) return [];
    const kept = segments.filter((one) => !isOpen(one) || values[one.slice(1, -1)]);
    const template = [prefix, ...kept].join('/');
    return [{ operation, template, projectId: values['projectId'], length: prefix.split('/').length }];
  });
  const shortest = Math.min(...found.map(({ length }) => length));
  return found.filter(({ length }) => length === shortest);
}

const lists = ['jobs', 'orders', 'routes', 'locations'] as const;
const counters = ['jobsReceived', 'ordersReceived'] as const;

/** Whether the bodies have the list of an operation, and its counter in their results. */
export function fitsBodies(operation: OperationId, exchanges: readonly Exchange[]): boolean {
  const { list, listsFailures, collection } = operations[operation];
  const bodies = objectsIn(exchanges.map(({ body }) => body));
  const listed = findMajority(bodies.map((body) => lists.find((name) => name in body)));
  if (listed && listed.value !== list) return false;
  const results = objectsIn(exchanges.map(({ response }) => (response.status < 300 ? response.body : undefined)));
  const counted = findMajority(results.map((result) => counters.find((name) => name in result)));
  const counter = collection === 'orders' ? 'ordersReceived' : 'jobsReceived';
  return !counted || counted.value === (listsFailures ? counter : undefined);
}
