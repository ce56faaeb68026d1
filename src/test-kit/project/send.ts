/** Sends requests of the API as the sandbox's profile has them: its path, its key, the project where it belongs. */

import { parseJson, send } from '../../client/send.ts';
import { didYouMean } from '../../lib/nearest.ts';
import type { operations } from '../../openapi/api.gen.ts';
import type { CatalogOperation, ControlClient } from '../control-client.ts';
import { checkKeys, mistakeAt, show } from '../methods.ts';
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
  readonly headers?: Readonly<Record<string, string>>;
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
  const { params = {}, headers = {} } = options;
  const operation = await findOperation(client, id);
  const placed = place(operation, project, params, body);
  const stopping = new AbortController();
  const forget = client.onClose(() => stopping.abort());
  const answer = await send(`${url}${placed.path}`, {
    method: operation.method,
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

async function findOperation(client: ControlClient, id: string): Promise<CatalogOperation> {
  const items = await client.catalog();
  const found = items.find(({ operation }) => operation === id);
  if (found) return found;
  const names = items.map(({ operation }) => operation);
  throw mistakeAt('operation', `expected an operationId, got ${show(id)}${didYouMean(String(id), names)}`);
}

interface Placed {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Puts identifiers where the profile has them: into the path, the query, a header or the body. */
function place(
  { path, identifiers = {} }: CatalogOperation,
  project: string,
  given: Readonly<Record<string, string>>,
  body: unknown,
): Placed {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const known = [...inPath, ...Object.keys(identifiers)].filter((name) => name !== 'projectId');
  checkKeys('params', given, known);
  const params = { ...given, projectId: project };
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  const fields: Record<string, string> = {};
  for (const [name, at] of Object.entries(identifiers)) {
    const value = required(params, name);
    const [kind, key = name] = at.split(':');
    if (kind === 'query') query.set(key, value);
    else if (kind === 'header') headers[key] = value;
    else fields[key] = value;
  }
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(required(params, name)));
  return {
    path: query.size > 0 ? `${filled}?${query}` : filled,
    headers,
    body: Object.keys(fields).length > 0 && typeof body === 'object' ? { ...fields, ...body } : body,
  };
}

function required(params: Readonly<Record<string, string>>, name: string): string {
  const value = params[name];
  if (value !== undefined) return value;
  throw mistakeAt('params', `expected ${name}, got none: send(operationId, body, { params: { ${name}: '…' } })`);
}
