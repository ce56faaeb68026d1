/** Converts an exchange to a request at the place where the profile has its operation. */
import { defaultKey } from '../../../config/keys.ts';
import { buildRequest } from '../../../openapi/build-request.ts';
import type { Contract } from '../../../openapi/contract.ts';
import { parseJson } from '../../output/text.ts';
import { isObject, toUrl } from '../exchange.ts';
import type { MappedExchange } from '../mapping/endpoint.ts';
import { foreignKey, type PlayedRequest } from './sandbox.ts';

/** How the key of a request is played. */
export type KeyTry = 'valid' | 'missing' | 'unknown' | 'foreign';

const keys: Readonly<Record<KeyTry, string | undefined>> = {
  valid: defaultKey,
  missing: undefined,
  unknown: 'unknown-key',
  foreign: foreignKey,
};

/** Headers that the request keeps; the others describe its connection, or its own key. */
const keptHeaders = /^(content-type|x-(?!sandbox-|forwarded-|real-ip).*)$/;

export function toPlayedRequest(
  mapped: MappedExchange,
  atMs: number,
  contract: Contract,
  { key, body }: { readonly key: KeyTry; readonly body: string },
): PlayedRequest {
  const { exchange, operation, identifiers, isRouted } = mapped;
  const routed = contract.operations.get(operation);
  const headers: Record<string, string> = { host: 'localhost' };
  for (const [name, value] of Object.entries(exchange.headers)) if (keptHeaders.test(name)) headers[name] = value;
  const apikey = keys[key];
  if (apikey !== undefined) headers['apikey'] = apikey;
  const project = identifiers.projectId ?? noProject;
  if (isRouted || !routed) return { project, atMs, method: exchange.method, url: toUrl(exchange), headers, body };
  const value: unknown = parseJson(body);
  const built = buildRequest(routed, identifiers, isObject(value) ? value : {});
  const text = isObject(value) ? JSON.stringify(built.body) : body;
  return { project, atMs, ...built, headers: { ...headers, ...built.headers }, body: text };
}

/** Stands for an identifier that the traffic does not have. */
const noProject = 'unknown';
