/** Parses `--map 'METHOD PATH=OPERATION'`. */
import { didYouMean } from '../../lib/nearest.ts';
import { identifierNames } from '../../openapi/profile/places.ts';
import { type OperationId, operationIds } from '../../operations/index.ts';
import type { Endpoint } from './endpoint.ts';
import { toPatternText } from './exchange.ts';

/** One `--map`: requests at this endpoint belong to the operation. */
export interface UserMap extends Endpoint {
  readonly text: string;
  readonly pattern: RegExp;
  readonly operation: OperationId;
}

const form = "expected 'METHOD PATH=OPERATION', such as 'PUT /v2/{projectId}/jobs=asyncUpdateJobs'";

/** Parses the maps, and adds every mistake. */
export function parseUserMaps(texts: readonly string[], mistakes: string[]): readonly UserMap[] {
  return texts.flatMap((text) => {
    const parsed = parseUserMap(text);
    if (typeof parsed !== 'string') return [parsed];
    mistakes.push(`--map: ${parsed}`);
    return [];
  });
}

function parseUserMap(text: string): UserMap | string {
  const [, method = '', target = '', name = ''] = /^\s*([a-z]+)\s+(\/\S*)\s*=\s*(\w+)\s*$/i.exec(text) ?? [];
  if (method === '') return `${form}; got ${JSON.stringify(text)}`;
  const operation = operationIds.find((id) => id === name);
  if (!operation) return `unknown operation "${name}"${didYouMean(name, operationIds)} in ${JSON.stringify(text)}`;
  const [path = '', query = ''] = target.split('?');
  const places: Record<string, string> = {};
  for (const [outer, value] of new URLSearchParams(query)) {
    const identifier = identifierNames.find((one) => value === `{${one}}`);
    if (!identifier) return `expected a query such as ?project={projectId}, got ${JSON.stringify(text)}`;
    places[identifier] = `query:${outer}`;
  }
  const literals = path.split(/\{.*?\}/).map(toPatternText);
  return {
    text,
    method: method.toUpperCase(),
    path,
    pattern: new RegExp(`^${literals.join('[^/]+')}/*$`),
    places,
    operation,
  };
}
