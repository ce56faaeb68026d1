/** The control API: checks access, routes and validates requests by its own document, and calls the handlers. */
import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import controlDocument from '../../spec/control.yaml';
import { type BodyReader, createBodyReader, parseJson } from '../http/body.ts';
import { checkShape } from '../http/body-shape.ts';
import { createNotFound } from '../http/not-found.ts';
import {
  type Reply,
  toInvalidProblem,
  toJsonReply,
  toPiecesReply,
  toProblemReply,
  toUnsavedReply,
} from '../http/reply.ts';
import { isDeeperThan, tooDeep } from '../lib/depth.ts';
import type { Problem } from '../lib/problem.ts';
import { createContract } from '../openapi/contract.ts';
import type { ApiDocument } from '../openapi/document.ts';
import { sizeOfText } from '../usage/size.ts';
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
import { isOverTls, sessionHandlers } from './session.ts';

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

/** Maximum size of a body with scenarios, in bytes, because scenarios stay in memory as long as the server runs. */
const maxScenarioBytes = 1024 ** 2;
const scenarioOperations: ReadonlySet<ControlId> = new Set(['putScenario', 'putActiveScenarios', 'putServerScenarios']);

const yamlTypes = ['application/yaml'];

/** Headers that forbid proxies to cache or buffer a stream. */
const streamHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

/** Headers that forbid browsers to interpret responses as scripts or pages, and other origins to embed them. */
const safeHeaders = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' };

/** Every 401 response names the accepted scheme (RFC 9110, 15.5.2). */
const challenge = { 'www-authenticate': 'Bearer realm="field-sandbox"' };

/** Content type of metrics; the version is that of Prometheus's text format. */
const textHeaders = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };

/** Longer bodies are parsed in slices, in characters: one megabyte of a snapshot may hold 100,000 small records. */
const maxAtOnce = 500_000;

/** Creates the handler of requests under /_sandbox. */
export function createControl(parts: ControlParts, onLoopback: boolean): (request: IncomingMessage) => Promise<Reply> {
  const contract = createContract(controlDocument as ApiDocument);
  const guard = createGuard({ session: parts.session, onLoopback });
  const toNotFound = createNotFound(contract.operations.values(), 'control');
  const readBody = createBodyReader(parts.limits.bytes, parts.admission.bodies);
  const readScenarios = createScenarioReader(parts);

  async function answer(request: IncomingMessage): Promise<Reply> {
    const method = request.method ?? 'GET';
    const match = contract.match(method, request.url ?? '/');
    const denied = guard(request, match.found ? match.operation.id : undefined);
    if (denied) return toProblemReply(denied);
    if (!match.found) return toProblemReply(toNotFound(match, method, request.url ?? '/'));
    const id = match.operation.id as ControlId;
    const project = match.params['projectId'];
    const overRate = project === undefined ? undefined : parts.admission.rate.refuse(project, parts.wall.elapsed());
    if (overRate) return toProblemReply(overRate.problem);
    if (project !== undefined) await parts.projects.readAhead(project);
    const isYaml = id === 'putScenario' && yamlTypes.includes(toMediaType(request));
    const types = id === 'putScenario' ? ['application/json', ...yamlTypes] : ['application/json'];
    const raw = await (scenarioOperations.has(id) ? readScenarios : readBody)(request, types);
    if ('problem' in raw) return toProblemReply(raw.problem);
    const checked = await checkShape(raw, parts.limits, parts.wall);
    if (checked && 'problem' in checked) return toProblemReply(checked.problem);
    const takesBody = match.operation.source.requestBody !== undefined;
    const parsed = !takesBody
      ? { value: undefined }
      : isYaml
        ? { value: raw.text }
        : await parseJson(raw.text, parts.wall, maxAtOnce);
    if ('problem' in parsed) return toProblemReply(parsed.problem);
    const { depth } = parts.limits;
    if (isDeeperThan(parsed.value, depth)) return toProblemReply({ kind: 'invalid', message: tooDeep(depth) });
    const { params, query } = match;
    const shape = { params, query, ...(isYaml ? {} : { body: parsed.value }) };
    const findings = contract.validate(match.operation, shape, { list: undefined, strict: true, depth });
    if (findings.violationCount > 0) return toProblemReply(toInvalidProblem(findings));
    const full = method === 'GET' || method === 'HEAD' ? undefined : refuseProject(parts, params['projectId']);
    if (full) return toProblemReply(full);
    const { headers } = request;
    // Most handlers first run due work synchronously. This runs it in slices before, in case there is much of it.
    if (params['projectId'] !== undefined) await parts.projects.find(params['projectId'])?.runDueAhead();
    const slot = query['await'] === undefined ? undefined : takeSlot(parts, params['projectId'] ?? query['project']);
    if (typeof slot === 'object') return toProblemReply(slot);
    const controlRequest = { params, query, headers, isSecure: isOverTls(request), body: parsed.value, isYaml };
    const more = { bodyBytes: sizeOfText(raw.text), onLeave: onDisconnectOf(request) };
    const handling = (async () => handlers[id](parts, { ...controlRequest, ...more }))();
    const reply = await handling.finally(slot);
    const saving = savingOf(parts, params['projectId'], method);
    const unsaved = saving && (await awaitSaving(parts, saving));
    if (unsaved) return unsaved;
    if ('problem' in reply) return toProblemReply(reply.problem);
    publishChange(parts.events, id, params['projectId']);
    if ('stream' in reply) {
      const head = { status: reply.status, headers: streamHeaders, body: undefined };
      return method === 'HEAD' ? head : { ...head, stream: reply.stream };
    }
    if ('text' in reply)
      return { status: reply.status, headers: { ...textHeaders, ...reply.headers }, body: reply.text };
    if ('pieces' in reply) return toPiecesReply(reply.status, reply.pieces);
    return reply.body === undefined
      ? { status: reply.status, headers: reply.headers ?? {}, body: undefined }
      : toJsonReply(reply.status, reply.body, reply.headers);
  }

  return async (request) => {
    const reply = await answer(request);
    const headers = { ...reply.headers, ...safeHeaders };
    return { ...reply, headers: reply.status === 401 ? { ...headers, ...challenge } : headers };
  };
}

function createScenarioReader({ limits, admission }: ControlParts): BodyReader {
  if (limits.bytes <= maxScenarioBytes) return createBodyReader(limits.bytes, admission.bodies);
  return createBodyReader(
    maxScenarioBytes,
    admission.bodies,
    'Scenarios may be no larger: put them in several requests',
  );
}

/** Takes a slot for a waiting request. Returns a function that releases it, or a problem if no slot is free. */
function takeSlot({ admission: { waiting } }: ControlParts, project: unknown): Problem | (() => void) {
  const name = project === undefined ? undefined : String(project);
  return waiting.refuse(name) ?? waiting.take(name);
}

/** Returns a problem if the project can't be opened because there are too many. */
function refuseProject({ projects }: ControlParts, project: string | undefined): Problem | undefined {
  return project === undefined ? undefined : projects.refuse(project);
}

/**
 * Returns `onLeave` for a request. Removes the limit of listeners: a client can wait for many responses on a socket.
 */
function onDisconnectOf({ socket }: IncomingMessage): (listener: () => void) => () => void {
  return (listener) => {
    setMaxListeners(0, socket);
    if (socket.destroyed) queueMicrotask(listener);
    else socket.once('close', listener);
    return () => socket.off('close', listener);
  };
}

/** Returns the pending save that the response must wait for: of the project, or of all projects after a change. */
function savingOf({ projects }: ControlParts, project: string | undefined, method: string): Promise<void> | undefined {
  return project === undefined && (method === 'GET' || method === 'HEAD') ? undefined : projects.persisted(project);
}

/** Waits for a save. Returns an error response if it fails. */
async function awaitSaving(parts: ControlParts, saving: Promise<void>): Promise<Reply | undefined> {
  try {
    await saving;
    return undefined;
  } catch (error) {
    const id = parts.strayId();
    parts.noteUnsaved(id, error);
    return toUnsavedReply(id);
  }
}

/** Returns the media type of a request in lower case, without parameters. */
function toMediaType({ headers }: IncomingMessage): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase();
}
