/** The control API: guarded, routed and judged by its own document, answered by the handlers of this folder. */
import type { IncomingMessage } from 'node:http';
import { isDeeperThan, tooDeep } from '../../base/depth.ts';
import type { Contract } from '../../contract/contract.ts';
import { createBodyReader, parseJson } from '../body.ts';
import { type Reply, toInvalid, toJsonReply, toProblemReply } from '../reply.ts';
import { createSignpost } from '../signpost.ts';
import { callbackHandlers } from './callbacks.ts';
import { createGuard, type GuardOptions } from './guard.ts';
import type { ControlHandlers, ControlId, ControlParts } from './handler.ts';
import { projectHandlers } from './projects.ts';
import { recordHandlers } from './records.ts';
import { requestHandlers } from './requests.ts';
import { serverHandlers } from './server.ts';

const handlers: ControlHandlers<ControlId> = {
  ...serverHandlers,
  ...projectHandlers,
  ...recordHandlers,
  ...requestHandlers,
  ...callbackHandlers,
};

const yamlTypes = ['application/yaml'];

/** Takes requests under /_sandbox and gives answers. */
export function createControl(
  parts: ControlParts,
  contract: Contract,
  guardOptions: GuardOptions,
): (request: IncomingMessage) => Promise<Reply> {
  const guard = createGuard(guardOptions);
  const signpost = createSignpost(contract.operations.values(), 'control');
  const readBody = createBodyReader(parts.limits.bytes);

  return async (request) => {
    const method = request.method ?? 'GET';
    const match = contract.match(method, request.url ?? '/');
    const guarded = guard(request, match.found ? match.operation.id : undefined);
    if (guarded) return toProblemReply(guarded);
    if (!match.found) return toProblemReply(signpost(match, method, request.url ?? '/'));
    const id = match.operation.id as ControlId;
    const isYaml = id === 'putScenario' && yamlTypes.includes(request.headers['content-type']?.split(';')[0] ?? '');
    const types = id === 'putScenario' ? ['application/json', ...yamlTypes] : ['application/json'];
    const raw = await readBody(request, types);
    if ('problem' in raw) return toProblemReply(raw.problem);
    const takesBody = match.operation.source.requestBody !== undefined;
    const parsed = !takesBody ? { value: undefined } : isYaml ? { value: raw.text } : await parseJson(raw.text);
    if ('problem' in parsed) return toProblemReply(parsed.problem);
    const { depth } = parts.limits;
    if (isDeeperThan(parsed.value, depth)) return toProblemReply({ kind: 'invalid', message: tooDeep(depth) });
    const { params, query } = match;
    const shape = { params, query, ...(isYaml ? {} : { body: parsed.value }) };
    const findings = contract.judge(match.operation, shape, { list: undefined, strict: true, depth });
    if (findings.violationCount > 0) return toProblemReply(toInvalid(findings.violations, findings.violationCount));
    const reply = await handlers[id](parts, { params, query, body: parsed.value, isYaml });
    if ('problem' in reply) return toProblemReply(reply.problem);
    return reply.body === undefined
      ? { status: reply.status, headers: {}, body: undefined }
      : toJsonReply(reply.status, reply.body);
  };
}
