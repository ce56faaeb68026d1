/** Reads a request of the control API: its body within the limits, validated by the document of the control API. */
import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type BodyReader, createBodyReader, parseJson } from '../http/body.ts';
import { checkShape } from '../http/body-shape.ts';
import { toInvalidProblem } from '../http/reply.ts';
import { isDeeperThan, tooDeep } from '../lib/depth.ts';
import { inTurn } from '../lib/in-turn.ts';
import type { Problem } from '../lib/problem.ts';
import type { Contract } from '../openapi/contract.ts';
import type { FoundMatch } from '../openapi/router.ts';
import { isHeavy } from '../usage/shares.ts';
import { sizeOfText } from '../usage/size.ts';
import { type Caller, isOverTls } from './caller.ts';
import type { ControlId, ControlParts, ControlRequest } from './handler.ts';

/** Maximum size of a body with scenarios, in bytes, because scenarios stay in memory as long as the server runs. */
const maxScenarioBytes = 1024 ** 2;
const scenarioOperations: ReadonlySet<ControlId> = new Set([
  'putScenario',
  'checkScenario',
  'putActiveScenarios',
  'putActiveScenario',
  'putServerScenarios',
  'putServerScenario',
]);
/** Operations that accept the text of a scenario. */
const yamlOperations: ReadonlySet<ControlId> = new Set([
  'putScenario',
  'checkScenario',
  'putActiveScenario',
  'putServerScenario',
]);

const jsonTypes = ['application/json'];
const yamlTypes = ['application/yaml'];

/** Creates a function that reads a request, or returns the problem for which it is rejected. */
export function createRequestReader(
  { limits, admission }: ControlParts,
  contract: Contract,
): (
  request: IncomingMessage,
  match: FoundMatch,
  caller: Caller,
) => Promise<ControlRequest | { readonly problem: Problem }> {
  const readBody = createBodyReader(limits.bytes, admission.bodies);
  const readScenarios = createScenarioReader(limits.bytes, admission.bodies);

  async function readText(request: IncomingMessage, { operation, params }: FoundMatch, caller: Caller) {
    const id = operation.id as ControlId;
    const types = yamlOperations.has(id) ? [...jsonTypes, ...yamlTypes] : jsonTypes;
    const raw = await (scenarioOperations.has(id) ? readScenarios : readBody)(request, types, caller.key?.id);
    if ('problem' in raw) return raw;
    if (isHeavy(raw.text)) await admission.turns.next(caller.key?.id ?? '', params['projectId'] ?? '');
    const problem = checkShape(raw.text, limits);
    return problem ? { problem } : raw;
  }

  return async (request, match, caller) => {
    const id = match.operation.id as ControlId;
    const raw = await readText(request, match, caller);
    if ('problem' in raw) return raw;
    const isYaml = yamlOperations.has(id) && yamlTypes.includes(toMediaType(request)) && raw.text !== '';
    const { requestBody } = match.operation.source;
    const isOptional = requestBody !== undefined && !('required' in requestBody);
    const takesBody = requestBody !== undefined && !(isOptional && raw.text === '');
    const unparsed = isYaml ? { value: raw.text } : { value: undefined };
    const parsed = takesBody && !isYaml ? await parseJson(raw.text) : unparsed;
    if ('problem' in parsed) return parsed;
    const sent = {
      method: methodOf(request, match),
      value: parsed.value,
      isYaml,
      bytes: sizeOfText(raw.text),
      headers: request.headers,
      isSecure: isOverTls(request),
      address: toAddress(request),
      onLeave: onLeaveOf(request, caller),
    };
    return validateRequest({ contract, depth: limits.depth }, { match, caller }, sent);
  };
}

/** What a client has sent, before it is validated. */
interface Sent extends Pick<ControlRequest, 'method' | 'headers' | 'isSecure' | 'isYaml' | 'address' | 'onLeave'> {
  readonly value: unknown;
  readonly bytes: number;
}

/** Validates a request by the document of the control API. Returns the problem for which it is rejected. */
export function validateRequest(
  { contract, depth }: { readonly contract: Contract; readonly depth: number },
  { match, caller }: { readonly match: FoundMatch; readonly caller: Caller },
  { value, bytes, ...sent }: Sent,
): ControlRequest | { readonly problem: Problem } {
  if (isDeeperThan(value, depth)) return { problem: { kind: 'invalid', message: tooDeep(depth) } };
  const { params, query, operation } = match;
  const shape = { params, query, ...(!sent.isYaml && { body: value }) };
  const findings = contract.validate(operation, shape, { list: undefined, strict: true, depth });
  if (findings.violationCount > 0) return { problem: toInvalidProblem(findings) };
  return { ...sent, caller, params, query, body: value, bodyBytes: bytes };
}

function createScenarioReader(maxBytes: number, budget: Parameters<typeof createBodyReader>[1]): BodyReader {
  if (maxBytes <= maxScenarioBytes) return createBodyReader(maxBytes, budget);
  return createBodyReader(maxScenarioBytes, budget, 'Send larger sets of scenarios in several requests');
}

/** Returns `onLeave`: the client disconnects, or loses its access. */
function onLeaveOf(request: IncomingMessage, { onEnd }: Caller): (listener: () => void) => () => void {
  const onDisconnect = onDisconnectOf(request);
  return (listener) => inTurn(onDisconnect(listener), onEnd(listener));
}

/** Returns the subscription of a disconnection. Removes the limit of listeners: a client can wait for many responses on a socket. */
function onDisconnectOf({ socket }: IncomingMessage): (listener: () => void) => () => void {
  return (listener) => {
    setMaxListeners(0, socket);
    if (socket.destroyed) queueMicrotask(listener);
    else socket.once('close', listener);
    return () => void socket.off('close', listener);
  };
}

/** Returns the method of a request, which for HEAD is not that of its operation. */
function methodOf({ method }: IncomingMessage, { operation }: FoundMatch): string {
  return method === 'HEAD' ? method : operation.method;
}

/** Returns the address of a client. One of IPv4 is in the notation of IPv4 too if the server listens on IPv6. */
function toAddress({ socket: { remoteAddress = '' } }: IncomingMessage): string {
  return remoteAddress.replace(/^::ffff:(?=[\d.]+$)/, '');
}

/** Returns the media type of a request in lower case, without parameters. */
function toMediaType({ headers }: IncomingMessage): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase();
}
