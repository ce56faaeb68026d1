/** Recognizes paths that differ from the default ones by a prefix, or by identifiers that left the path. */
import { matchPath, toPathPattern } from './endpoint.ts';
import { type IdentifierName, type OperationFact, operationList } from './facts.ts';

/** A default path without some of its identifiers. */
interface Skeleton {
  readonly fact: OperationFact;
  readonly template: string;
  readonly removed: readonly IdentifierName[];
  readonly pattern: RegExp;
}

/** A path that has the form of an operation's. */
export interface SkeletonMatch {
  readonly fact: OperationFact;
  /** The whole template, with its prefix. */
  readonly template: string;
  readonly values: Readonly<Record<string, string>>;
  readonly removed: readonly IdentifierName[];
}

/** Words of the default paths, which are no identifiers. */
export const pathWords: ReadonlySet<string> = new Set(
  operationList.flatMap(({ path }) => path.split('/').filter((part) => part !== '' && !part.startsWith('{'))),
);

const skeletons: readonly Skeleton[] = operationList.flatMap((fact) =>
  subsetsOf(fact.identifiers).map((removed) => {
    const kept = fact.path.split('/').filter((part) => !removed.some((name) => part === `{${name}}`));
    const template = kept.join('/');
    return { fact, template, removed, pattern: toPathPattern(template, '(?<prefix>(?:/[^/]+)*?)') };
  }),
);

function subsetsOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const [first, ...rest] = items;
  if (first === undefined) return [[]];
  const without = subsetsOf(rest);
  return [...without, ...without.map((subset) => [first, ...subset])];
}

/** Returns all operations whose path has the form of this one; only those with the fewest missing identifiers. */
export function findSkeletons(path: string): readonly SkeletonMatch[] {
  const found = skeletons.flatMap((skeleton) => {
    const { prefix = '', ...values } = matchPath(skeleton.pattern, path) ?? { none: '' };
    if ('none' in values || !isPlausible(prefix, values)) return [];
    return [{ fact: skeleton.fact, template: prefix + skeleton.template, values, removed: skeleton.removed }];
  });
  const least = Math.min(...found.map(({ template }) => wordsBefore(template)));
  return found.filter(({ template }) => wordsBefore(template) === least);
}

/** A word of the default paths is neither an identifier nor part of the prefix. */
function isPlausible(prefix: string, values: Readonly<Record<string, string>>): boolean {
  return (
    !Object.values(values).some((value) => pathWords.has(value)) &&
    !prefix.split('/').some((part) => pathWords.has(part))
  );
}

/** Length of the part of a template that is neither a word nor an identifier. */
function wordsBefore(template: string): number {
  return template.split('/').filter((part) => part !== '' && !part.startsWith('{') && !pathWords.has(part)).length;
}
