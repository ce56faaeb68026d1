/** The control API: guarded, routed and judged by its own document, answered by the handlers of this folder. */
import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import controlDocument from '../../../spec/control.yaml';
import { isDeeperThan, tooDeep } from '../../base/depth.ts';
import { createContract } from '../../contract/contract.ts';
import type { ApiDocument } from '../../contract/document.ts';
import { createBodyReader, parseJson } from '../body.ts';
import { type Reply, toInvalid, toJsonReply, toProblemReply, toUnkeptReply } from '../reply.ts';
import { createSignpost } from '../signpost.ts';
import { callbackHandlers } from './callbacks.ts';
import { catalogHandlers } from './catalog.ts';
import { coverageHandlers } from './coverage.ts';
import { eventHandlers, publishChange } from './events.ts';
import { evidenceHandlers } from './evidence.ts';
import { createGuard } from './guard.ts';
import type { ControlHandlers, ControlId, ControlParts } from './handler.ts';
import { metricHandlers } from './metrics.ts';
import { projectHandlers } from './projects.ts';
import { recordHandlers } from './records.ts';
import { requestHandlers } from './requests.ts';
import { scenarioHandlers } from './scenarios.ts';
import { serverHandlers } from './server.ts';
import { cameByTls, sessionHandlers } from './session.ts';

const handlers: ControlHandlers<ControlId> = {
  ...serverHandlers,
  ...scenarioHandlers,
  ...projectHandlers,
  ...recordHandlers,
  ...requestHandlers,
  ...callbackHandlers,
  ...eventHandlers,
  ...evidenceHandlers,
  ...metricHandlers,
  ...catalogHandlers,
  ...coverageHandlers,
  ...sessionHandlers,
};

/** Scenarios are kept as long as the server runs, each project's own and those of the library. */
const mostScenarioBytes = 1024 ** 2;
const takesScenarios: ReadonlySet<ControlId> = new Set(['putScenario', 'putActiveScenarios', 'putServerScenarios']);

const yamlTypes = ['application/yaml'];

/** Nobody on the way may keep a stream, or hold it back until there is more. */
const streamHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

/** No answer is to be taken for a script or a page, and no page of another origin may show it. */
const safeHeaders = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' };

/** The version is that of Prometheus's format. */
const textHeaders = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };

/** Takes requests under /_sandbox and gives answers. */
export function createControl(parts: ControlParts, onLoopback: boolean): (request: IncomingMessage) => Promise<Reply> {
  const contract = createContract(controlDocument as ApiDocument);
  const guard = createGuard({ session: parts.session, onLoopback });
  const signpost = createSignpost(contract.operations.values(), 'control');
  const readBody = createBodyReader(parts.limits.bytes);
  const readScenarios = createBodyReader(Math.min(parts.limits.bytes, mostScenarioBytes));

  async function answer(request: IncomingMessage): Promise<Reply> {
    const method = request.method ?? 'GET';
    const match = contract.match(method, request.url ?? '/');
    const guarded = guard(request, match.found ? match.operation.id : undefined);
    if (guarded) return toProblemReply(guarded);
    if (!match.found) return toProblemReply(signpost(match, method, request.url ?? '/'));
    const id = match.operation.id as ControlId;
    const isYaml = id === 'putScenario' && yamlTypes.includes(toMediaType(request));
    const types = id === 'putScenario' ? ['application/json', ...yamlTypes] : ['application/json'];
    const raw = await (takesScenarios.has(id) ? readScenarios : readBody)(request, types);
    if ('problem' in raw) return toProblemReply(raw.problem);
    const takesBody = match.operation.source.requestBody !== undefined;
    const parsed = !takesBody ? { value: undefined } : isYaml ? { value: raw.text } : await parseJson(raw.text);
    if ('problem' in parsed) return toProblemReply(parsed.problem);
    const { depth } = parts.limits;
    if (isDeeperThan(parsed.value, depth)) return toProblemReply({ kind: 'invalid', message: tooDeep(depth) });
    const { params, query } = match;
    const shape = { params, query, ...(isYaml ? {} : { body: parsed.value }) };
    const findings = contract.judge(match.operation, shape, { list: undefined, strict: true, depth });
    if (findings.violationCount > 0) return toProblemReply(toInvalid(findings));
    const { headers } = request;
    const reply = await handlers[id](parts, {
      params,
      query,
      headers,
      isSecure: cameByTls(request),
      body: parsed.value,
      isYaml,
      onLeave: leavingOf(request),
    });
    const writing = toWrite(parts, params['projectId'], method);
    const unkept = writing && (await awaitWrite(parts, writing));
    if (unkept) return unkept;
    if ('problem' in reply) return toProblemReply(reply.problem);
    publishChange(parts.events, id, params['projectId']);
    if ('stream' in reply) {
      return { status: reply.status, headers: streamHeaders, body: undefined, stream: reply.stream };
    }
    if ('text' in reply)
      return { status: reply.status, headers: { ...textHeaders, ...reply.headers }, body: reply.text };
    return reply.body === undefined
      ? { status: reply.status, headers: reply.headers ?? {}, body: undefined }
      : toJsonReply(reply.status, reply.body, reply.headers);
  }

  return async (request) => {
    const reply = await answer(request);
    return { ...reply, headers: { ...reply.headers, ...safeHeaders } };
  };
}

/** Tells when the client has gone; it may wait for many answers on one connection. */
function leavingOf({ socket }: IncomingMessage): (listener: () => void) => () => void {
  return (listener) => {
    setMaxListeners(0, socket);
    if (socket.destroyed) queueMicrotask(listener);
    else socket.once('close', listener);
    return () => socket.off('close', listener);
  };
}

/** What is said of a project, or was changed in any, is kept before it is answered: what there is to wait for. */
function toWrite({ worlds }: ControlParts, project: string | undefined, method: string): Promise<void> | undefined {
  return project === undefined && (method === 'GET' || method === 'HEAD') ? undefined : worlds.kept(project);
}

/** Waits for it; gives back the answer where it can't be kept. */
async function awaitWrite(parts: ControlParts, writing: Promise<void>): Promise<Reply | undefined> {
  try {
    await writing;
    return undefined;
  } catch (error) {
    const id = parts.strayId();
    parts.noteUnkept(id, error);
    return toUnkeptReply(id);
  }
}

/** Types are the same however they are written, and whatever stands behind them. */
function toMediaType({ headers }: IncomingMessage): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase();
}
