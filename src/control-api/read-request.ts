/** Reads a request of the control API: its body within the limits, validated by the document of the control API. */
import type { IncomingMessage } from 'node:http';
import { checkShape, createBodyReader, parseJson } from '../http/body.ts';
import { isOverTls } from '../http/exchange.ts';
import { toInvalidProblem } from '../http/reply.ts';
import { isDeeperThan, tooDeep } from '../lib/depth.ts';
import { inTurn } from '../lib/in-turn.ts';
import type { Contract } from '../openapi/contract.ts';
import type { FoundMatch, RoutedOperation } from '../openapi/router.ts';
import { isHeavy } from '../usage/shares.ts';
import { sizeOfText } from '../usage/size.ts';
import type { Caller } from './caller.ts';
import { type ControlId, type ControlParts, type ControlRequest, type Rejection, reject } from './handler.ts';

/**
 * Maximum size of a body with scenarios, in bytes, because scenarios stay in memory as long as the server runs. Every body
 * may have as much, and this depth, because a profile may limit those of the API to less.
 */
const maxScenarioBytes = 1024 ** 2;
const minDepth = 100;
const scenarioOperations: ReadonlySet<ControlId> = new Set([
  'putScenario',
  'checkScenario',
  'putActiveScenarios',
  'putActiveScenario',
  'putServerScenarios',
  'putServerScenario',
]);

const json = 'application/json';
const yaml = 'application/yaml';
const yamlType = /^application\/yaml\b/i;

/** Creates a function that reads a request, or returns the problem for which it is rejected. */
export function createRequestReader(
  { limits, admission }: ControlParts,
  contract: Contract,
): (request: IncomingMessage, match: FoundMatch, caller: Caller) => Promise<ControlRequest | Rejection> {
  const readBody = createBodyReader(Math.max(limits.bytes, maxScenarioBytes), admission.bodies);
  const ownRemedy = 'Send larger sets of scenarios in several requests';
  const readScenarios = createBodyReader(maxScenarioBytes, admission.bodies, ownRemedy);

  async function readText(request: IncomingMessage, { operation, params }: FoundMatch, caller: Caller) {
    const read = scenarioOperations.has(operation.id as ControlId) ? readScenarios : readBody;
    const types = acceptsYaml(operation) ? [json, yaml] : [json];
    const raw = await read(request, types, caller.key?.id);
    if ('problem' in raw) return raw;
    if (isHeavy(raw.text)) await admission.turns.next(caller.key?.id ?? '', params['projectId'] ?? '');
    const problem = checkShape(raw.text, limits);
    return problem ? { problem } : raw;
  }

  return async (request, match, caller) => {
    const raw = await readText(request, match, caller);
    if ('problem' in raw) return raw;
    const { text } = raw;
    // Only operations that accept it come here with YAML.
    const isYaml = yamlType.test(request.headers['content-type'] ?? '');
    const parsed = isYaml ? { value: text } : isMissing(match, text) ? { value: undefined } : await parseJson(text);
    if ('problem' in parsed) return parsed;
    return validateRequest(contract, limits.depth, match, {
      // The method of a request with HEAD is not that of its operation.
      method: request.method === 'HEAD' ? 'HEAD' : match.operation.method,
      body: parsed.value,
      caller,
      isYaml,
      bodyBytes: sizeOfText(text),
      headers: request.headers,
      isSecure: isOverTls(request),
      address: toAddress(request),
      onLeave: onLeaveOf(request, caller),
    });
  };
}

function isMissing({ operation: { source } }: FoundMatch, text: string): boolean {
  const { requestBody } = source;
  return requestBody === undefined || (!('required' in requestBody) && text === '');
}

/** Whether the document describes a text as the body. */
function acceptsYaml({ source: { requestBody } }: RoutedOperation): boolean {
  return requestBody !== undefined && 'content' in requestBody && yaml in requestBody.content;
}

/** Validates a request by the document of the control API. Returns the problem for which it is rejected. */
export function validateRequest(
  contract: Contract,
  limit: number,
  { params, query, operation }: FoundMatch,
  sent: Omit<ControlRequest, 'params' | 'query'>,
): ControlRequest | Rejection {
  const { body, isYaml } = sent;
  const depth = Math.max(limit, minDepth);
  if (isDeeperThan(body, depth)) return reject('invalid', tooDeep(depth));
  const shape = { params, query, ...(!isYaml && { body }) };
  const findings = contract.validate(operation, shape, { list: undefined, strict: true });
  if (findings.violationCount > 0) return { problem: toInvalidProblem(findings) };
  return { ...sent, params, query };
}

/** Returns `onLeave`: the client disconnects, or loses its access. */
function onLeaveOf({ socket }: IncomingMessage, { onEnd }: Caller): (listener: () => void) => () => void {
  return (listener) => {
    if (socket.destroyed) queueMicrotask(listener);
    else socket.once('close', listener);
    return inTurn(() => socket.off('close', listener), onEnd(listener));
  };
}

/** Returns the address of a client. One of IPv4 is in the notation of IPv4 too if the server listens on IPv6. */
function toAddress({ socket: { remoteAddress = '' } }: IncomingMessage): string {
  return remoteAddress.replace(/^::ffff:(?=[\d.]+$)/, '');
}
