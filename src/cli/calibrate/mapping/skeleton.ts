/** Recognizes paths that differ from the shipped ones by a prefix, or by identifiers that left the path. */
import { operationFacts } from '../../../config/config-files.ts';
import type { IdentifierName } from '../../../openapi/profile/places.ts';
import type { OperationFacts } from '../../../openapi/profile/profile.ts';
import { type OperationId, operations } from '../../../operations/index.ts';
import { countEach, type Exchange, isObject } from '../exchange.ts';
import { matchPath, toPathPattern } from './endpoint.ts';

/** The operations as the API's document ships them. */
export const shippedFacts: ReadonlyMap<OperationId, OperationFacts> = operationFacts() as ReadonlyMap<
  OperationId,
  OperationFacts
>;

/** Whether an operation creates records; the others change them. */
export function isCreation(operation: OperationId): boolean {
  return shippedFacts.get(operation)?.method === 'POST';
}

/** Words of the shipped paths, which are no identifiers. */
export const pathWords: ReadonlySet<string> = new Set(
  [...shippedFacts.values()].flatMap(({ path }) => path.split('/').filter((part) => /^[^{]/.test(part))),
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

const skeletons = [...shippedFacts].flatMap(([operation, { path, parameters }]) =>
  subsetsOf(parameters as readonly IdentifierName[]).map((removed) => {
    const kept = path.split('/').filter((part) => !removed.some((name) => part === `{${name}}`));
    const template = kept.join('/');
    return { operation, template, removed, pattern: toPathPattern(template, '(?<prefix>(?:/[^/]+)*?)') };
  }),
);

function subsetsOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const [first, ...rest] = items;
  if (first === undefined) return [[]];
  const without = subsetsOf(rest);
  return [...without, ...without.map((subset) => [first, ...subset])];
}

/** Returns all operations whose path has the form of this one, those with the shortest prefix. */
export function findSkeletons(path: string): readonly SkeletonMatch[] {
  const found = skeletons.flatMap(({ operation, template, removed, pattern }): readonly SkeletonMatch[] => {
    const groups = matchPath(pattern, path);
    if (!groups) return [];
    const { prefix = '', ...values } = groups;
    // A word of the shipped paths is neither an identifier nor part of the prefix.
    if ([...prefix.split('/'), ...Object.values(values)].some((part) => pathWords.has(part))) return [];
    return [{ operation, template: prefix + template, values, removed }];
  });
  const lengthOf = ({ template }: SkeletonMatch): number =>
    template.split('/').filter((part) => /^[^{]/.test(part) && !pathWords.has(part)).length;
  const shortest = Math.min(...found.map(lengthOf));
  return found.filter((match) => lengthOf(match) === shortest);
}

const lists = ['jobs', 'orders', 'routes', 'locations'] as const;
const counters = ['jobsReceived', 'ordersReceived'] as const;

/** Whether the bodies have the list of an operation, and its counter in their results. */
export function fitsBodies(operation: OperationId, exchanges: readonly Exchange[]): boolean {
  const { list, listsFailures, collection } = operations[operation];
  const bodies = exchanges.flatMap(({ body }) => (isObject(body?.value) ? [body.value] : []));
  const [listed] = countEach(bodies.map((body) => lists.find((name) => name in body)));
  if (listed && listed.value !== list) return false;
  const results = exchanges.flatMap(({ response: { status, body } }) =>
    status < 300 && isObject(body?.value) ? [body.value] : [],
  );
  const [counted] = countEach(results.map((result) => counters.find((name) => name in result)));
  const counter = collection === 'orders' ? 'ordersReceived' : 'jobsReceived';
  return !counted || counted.value === (listsFailures ? counter : undefined);
}
