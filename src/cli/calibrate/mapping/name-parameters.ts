/** Names the parameters of templates. */
import type { IdentifierName } from './facts.ts';

const nouns: Readonly<Record<IdentifierName, RegExp>> = {
  projectId: /^projects?$/i,
  subProjectId: /^sub-?projects?$/i,
  jobId: /^jobs?$/i,
  orderId: /^orders?$/i,
  username: /^users?$/i,
};

/**
 * Names the parameters of a template after the words before them, the others in the order of the identifiers. Returns
 * undefined if there are too many. A template that has names already keeps them.
 */
export function nameParameters(
  template: string,
  identifiers: readonly IdentifierName[],
): { readonly template: string; readonly rest: readonly IdentifierName[] } | undefined {
  const segments = template.split('/');
  const free = new Set(identifiers.filter((name) => !template.includes(`{${name}}`)));
  const take = (name: IdentifierName | undefined): string | undefined => {
    if (name === undefined || !free.delete(name)) return undefined;
    return `{${name}}`;
  };
  const byNoun = segments.map((segment, index) => {
    if (segment !== '{}') return segment;
    const noun = segments[index - 1] ?? '';
    return take(identifiers.find((name) => nouns[name].test(noun))) ?? segment;
  });
  // The segment after "subprojects" is never another identifier.
  if (byNoun.some((segment, index) => segment === '{}' && nouns.subProjectId.test(byNoun[index - 1] ?? '')))
    return undefined;
  const named = byNoun.map((segment) => (segment === '{}' ? take([...free][0]) : segment));
  if (named.includes(undefined)) return undefined;
  return { template: named.join('/'), rest: [...free] };
}
