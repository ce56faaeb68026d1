/** Parses `--map 'METHOD PATH=OPERATION'`. */
import { didYouMean } from '../../../lib/nearest.ts';
import { type OperationId, operationIds } from '../../../operations/index.ts';
import type { Place } from './endpoint.ts';
import { type IdentifierName, identifierNames, operationFactOf } from './facts.ts';

/** One `--map`: requests at this method and path belong to the operation. */
export interface UserMap {
  readonly text: string;
  readonly method: string;
  readonly template: string;
  readonly places: Readonly<Partial<Record<IdentifierName, Place>>>;
  readonly operation: OperationId;
}

const form = "expected 'METHOD PATH=OPERATION', such as 'PUT /v2/{projectId}/jobs=asyncUpdateJobs'";

/** Parses the maps. Returns them, or every mistake. */
export function parseUserMaps(texts: readonly string[]): readonly UserMap[] | { readonly mistakes: readonly string[] } {
  const parsed = texts.map(parseUserMap);
  const mistakes = parsed.flatMap((one) => (typeof one === 'string' ? [`--map: ${one}`] : []));
  return mistakes.length > 0 ? { mistakes } : parsed.filter((one) => typeof one !== 'string');
}

function parseUserMap(text: string): UserMap | string {
  const [, method = '', target = '', name = ''] = /^\s*([a-z]+)\s+(\/\S*)\s*=\s*(\w+)\s*$/i.exec(text) ?? [];
  if (method === '') return `${form}; got ${JSON.stringify(text)}`;
  const operation = operationIds.find((id) => id === name);
  if (!operation) return `unknown operation "${name}"${didYouMean(name, operationIds)} in ${JSON.stringify(text)}`;
  const [path = '', query = ''] = target.split('?');
  const places: Partial<Record<IdentifierName, Place>> = {};
  for (const [outer, value] of new URLSearchParams(query)) {
    const identifier = identifierNames.find((one) => value === `{${one}}`);
    if (!identifier) return `expected a query such as ?project={projectId}, got ${JSON.stringify(text)}`;
    places[identifier] = { in: 'query', name: outer };
  }
  return { text, method: method.toUpperCase(), template: nameParameters(path, operation), places, operation };
}

/** Names the parameters of a path. Those with other names are the operation's remaining identifiers, in their order. */
function nameParameters(path: string, operation: OperationId): string {
  const expected = operationFactOf.get(operation)?.identifiers ?? [];
  const free = expected.filter((name) => !path.includes(`{${name}}`));
  return path.replace(/\{(.*?)\}/g, (whole, name: string) =>
    expected.some((one) => one === name) ? whole : `{${free.shift() ?? name.replace(/\W/g, '_')}}`,
  );
}
