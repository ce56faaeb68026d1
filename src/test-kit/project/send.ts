/** Sends requests of the API as the sandbox's profile has them: its path, its key, the project where it belongs. */

import { parseJson, send } from '../../client/send.ts';
import { isObject } from '../../lib/json.ts';
import { didYouMean } from '../../lib/nearest.ts';
import type { operations } from '../../openapi/api.gen.ts';
import { buildRequest } from '../../openapi/build-request.ts';
import { toIdentifiers } from '../../openapi/identify.ts';
import { parameterNames } from '../../openapi/profile/places.ts';
import type { CatalogOperation, ControlClient } from '../control-client.ts';
import { checkAll, checkArguments, checkKeys, mistakeAt, show } from '../methods.ts';
import { SandboxError } from '../sandbox-error.ts';
import type { OperationName } from '../types.ts';

/** The body of an operation's requests. */
export type RequestBody<Id extends OperationName> = operations[Id]['requestBody']['content']['application/json'];

/** The bodies of an operation's responses. */
export type ResponseBody<Id extends OperationName> = BodyOf<
  operations[Id]['responses'][keyof operations[Id]['responses']]
>;
type BodyOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : never;

/** Parameters beside the project, and further headers. */
export interface SendOptions {
  /** Identifiers such as `jobId`, by their names in the API's document. */
  readonly params?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string | number>>;
}

/** A response of the API. */
export interface SentResponse<Body> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; its text if it is not JSON. */
  readonly body: Body;
}

interface Target {
  readonly client: ControlClient;
  readonly url: string;
  readonly project: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a request for a project. @throws SandboxError if a parameter is missing, or if no response arrives */
export async function sendRequest<Id extends OperationName>(
  { client, url, project, headers: own }: Target,
  id: Id,
  body: RequestBody<Id>,
  options: SendOptions = {},
): Promise<SentResponse<ResponseBody<Id>>> {
  const operations = await client.catalog();
  const { params = {}, headers = {} } = Object(options) as SendOptions;
  const [{ method, path, identifiers = {} }] = checkAll(
    () => checkParams(findOperation(operations, id), params, project),
    () => checkArguments('sendArguments', [id, body, options]),
  );
  const places = { method, path, identifiers: toIdentifiers(path, identifiers) };
  const placed = buildRequest(places, { ...params, projectId: project }, body);
  const stopping = new AbortController();
  const forget = client.onClose(() => stopping.abort());
  const answer = await send(url + placed.url, {
    method: placed.method,
    headers: { 'content-type': 'application/json', ...own, ...placed.headers, ...headers },
    body: JSON.stringify(placed.body),
    signal: stopping.signal,
  })
    .catch((cause: unknown) => {
      const { message } = cause as Error;
      if (stopping.signal.aborted) throw client.toError({ ok: false, reason: 'unreachable', message });
      throw new SandboxError(`${id} got no response: ${message}`, { code: 'no_response', cause });
    })
    .finally(forget);
  return { status: answer.status, headers: answer.headers, body: (parseJson(answer.text) ?? answer.text) as never };
}

function findOperation(items: readonly CatalogOperation[], id: string): CatalogOperation {
  const found = items.find(({ operation }) => operation === id);
  if (found) return found;
  const names = items.map(({ operation }) => operation);
  throw mistakeAt('operation', `expected an operationId, got ${show(id)}${didYouMean(String(id), names)}`);
}

/** Checks the given identifiers, which may include that of the project. Returns their operation. */
function checkParams(operation: CatalogOperation, given: NonNullable<SendOptions['params']>, project: string) {
  const { path, identifiers = {} } = operation;
  if (!isObject(given)) return operation;
  const known = [...parameterNames(path), ...Object.keys(identifiers)].filter((name) => name !== 'projectId');
  checkKeys('params', given, given['projectId'] === project ? [...known, 'projectId'] : known);
  const missing = known.filter((name) => (given[name] ?? undefined) === undefined);
  if (missing.length === 0) return operation;
  const example = `send(operationId, body, { params: { ${missing.map((name) => `${name}: '…'`).join(', ')} } })`;
  throw mistakeAt('params', `expected ${missing.join(' and ')}, got none: ${example}`);
}
