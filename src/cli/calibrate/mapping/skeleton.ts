/** Recognizes paths that differ from the shipped ones by a prefix, or by identifiers that left the path. */
import { operationFacts } from '../../../config/config-files.ts';
import type { IdentifierName } from '../../../openapi/profile/places.ts';
import type { OperationFacts } from '../../../openapi/profile/profile.ts';
import { type OperationId, operations } from '../../../operations/index.ts';
import { type Exchange, findMajority, isObject } from '../exchange.ts';
import { matchPath } from './endpoint.ts';

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

export function isShippedMethod(operation: OperationId, method: string): boolean {
  return shippedFacts(operation).method === method;
}

const isOpen = (segment: string): boolean => segment.startsWith('{');

/** Words of the shipped paths, which are no identifiers. */
export const pathWords: ReadonlySet<string> = new Set(
  [...facts.values()].flatMap(({ path }) => path.split('/').filter((segment) => segment !== '' && !isOpen(segment))),
);

/** A path that has the form of an operation's. */
export interface SkeletonMatch {
  readonly operation: OperationId;
  /** The whole template, with its prefix. */
  readonly template: string;
  readonly values: Readonly<Record<string, string>>;
  /** The identifiers that left the path. */
  readonly removed: readonly IdentifierName[];
}

/** Matches the whole path of an operation, after a prefix, and with each identifier if it is there. */
const skeletons = [...facts].map(([operation, { path }]) => {
  const segments = path.split('/').slice(1);
  const source = segments.map((one) => (isOpen(one) ? `(?:/(?<${one.slice(1, -1)}>[^/]+))?` : `/${one}`));
  return { operation, segments, pattern: new RegExp(`^(?<prefix>(?:/[^/]+)*?)${source.join('')}/*$`) };
});

/** Returns all operations whose path has the form of this one, those with the shortest prefix. */
export function findSkeletons(path: string): readonly SkeletonMatch[] {
  const found = skeletons.flatMap(({ operation, segments, pattern }) => {
    const { prefix = '', ...values } = matchPath(pattern, path) ?? { prefix: '//' };
    // A word of the shipped paths is neither an identifier nor part of the prefix.
    if (prefix === '//' || [...prefix.split('/'), ...Object.values(values)].some((part) => pathWords.has(part)))
      return [];
    const kept = segments.filter((one) => !isOpen(one) || one.slice(1, -1) in values);
    const removed = shippedFacts(operation).parameters.filter((name) => !(name in values));
    const template = [prefix, ...kept].join('/');
    return [{ operation, template, values, removed, length: prefix.split('/').length }];
  });
  const shortest = Math.min(...found.map(({ length }) => length));
  return found.filter(({ length }) => length === shortest);
}

const lists = ['jobs', 'orders', 'routes', 'locations'] as const;
const counters = ['jobsReceived', 'ordersReceived'] as const;

/** Whether the bodies have the list of an operation, and its counter in their results. */
export function fitsBodies(operation: OperationId, exchanges: readonly Exchange[]): boolean {
  const { list, listsFailures, collection } = operations[operation];
  const bodies = exchanges.flatMap(({ body }) => (isObject(body?.value) ? [body.value] : []));
  const listed = findMajority(bodies.map((body) => lists.find((name) => name in body)));
  if (listed && listed.value !== list) return false;
  const results = exchanges.flatMap(({ response: { status, body } }) =>
    status < 300 && isObject(body?.value) ? [body.value] : [],
  );
  const counted = findMajority(results.map((result) => counters.find((name) => name in result)));
  const counter = collection === 'orders' ? 'ordersReceived' : 'jobsReceived';
  return !counted || counted.value === (listsFailures ? counter : undefined);
}
