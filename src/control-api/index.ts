/**
 * The way of a control API request, in the order of the functions below: it is admitted (access, path, limits), read and
 * validated, handled, saved, and its result becomes the response.
 */
import type { IncomingMessage } from 'node:http';
import controlDocument from '../../spec/control.yaml';
import { createNotFound } from '../http/not-found.ts';
import { type Reply, toControlProblemReply, toJsonReply, toPiecesReply } from '../http/reply.ts';
import { lostAccess, toRegionalId } from '../keys/api-key.ts';
import type { Problem } from '../lib/problem.ts';
import type { AskReply } from '../mcp/http.ts';
import type { ApiDocument } from '../openapi/api-document.ts';
import { createContract } from '../openapi/contract.ts';
import type { FoundMatch, Match } from '../openapi/router.ts';
import { toStoreError } from '../project/persistence/store-errors.ts';
import type { Project } from '../project/project.ts';
import { sizeOfText } from '../usage/size.ts';
import { advanceHandlers } from './advances.ts';
import { callbackHandlers } from './callbacks.ts';
import type { Caller } from './caller.ts';
import { catalogHandlers } from './catalog.ts';
import { coverageHandlers } from './coverage.ts';
import { docsHandlers } from './docs.ts';
import { entityHandlers } from './entity/entity.ts';
import { eventHandlers, publishChange } from './events.ts';
import { forkHandlers } from './fork.ts';
import { checkKey, identify } from './guard.ts';
import {
  type ControlId,
  type ControlParts,
  type ControlRequest,
  type Rejection,
  type SomeHandlers,
  toUnsaved,
} from './handler.ts';
import { keyHandlers, sessionHandlers } from './keys.ts';
import { listenerHandlers } from './listener.ts';
import { metricHandlers } from './metrics.ts';
import { projectHandlers } from './projects.ts';
import { createRequestReader, validateRequest } from './read-request.ts';
import { recordingHandlers } from './recording.ts';
import { mapHandlers } from './records/map.ts';
import { recordHandlers } from './records.ts';
import { requestHandlers } from './requests.ts';
import { sampleHandlers } from './samples.ts';
import { scenarioHandlers } from './scenarios.ts';
import { searchHandlers } from './search.ts';
import { serverHandlers } from './server-info.ts';

type HandlerResult = Awaited<ReturnType<NonNullable<SomeHandlers[ControlId]>>>;

/** Its request was validated by the document, so that it has the values of its operation. */
interface Handler {
  handle(
    parts: ControlParts,
    request: ControlRequest,
    project: Project | undefined,
  ): HandlerResult | Promise<HandlerResult>;
}

/** The operations by their ids. `callMcp` calls the others. */
const handlers: Readonly<Partial<Record<ControlId, Handler['handle']>>> = {
  ...serverHandlers,
  ...scenarioHandlers,
  ...projectHandlers,
  ...advanceHandlers,
  ...forkHandlers,
  ...recordHandlers,
  ...mapHandlers,
  ...requestHandlers,
  ...entityHandlers,
  ...searchHandlers,
  ...callbackHandlers,
  ...listenerHandlers,
  ...eventHandlers,
  ...recordingHandlers,
  ...metricHandlers,
  ...catalogHandlers,
  ...sampleHandlers,
  ...coverageHandlers,
  ...sessionHandlers,
  ...keyHandlers,
  ...docsHandlers,
};

/** Headers that forbid proxies to cache or buffer a stream. */
const streamHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

/** Headers that forbid browsers to interpret responses as scripts or pages, and other origins to embed them. */
const safeHeaders = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' };

/** Every 401 response names the accepted scheme (RFC 9110, 15.5.2). */
const challenge = { 'www-authenticate': 'Bearer realm="field-sandbox"' };

/** Content type of metrics; the version is that of Prometheus's text format. */
const textHeaders = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };

export interface Control {
  handle(request: IncomingMessage): Promise<Reply>;
  /** Handles a request that another server has read and admitted. */
  handleHere(id: ControlId, request: ControlRequest): Promise<Reply>;
}

export function createControl(parts: ControlParts, onLoopback: boolean): Control {
  const { projects, projectQuota, admission, wall, placement, controlPlacement } = parts;
  const contract = createContract(controlDocument as ApiDocument);
  const toNotFound = createNotFound(contract.operations.values(), 'control');
  const readRequest = createRequestReader(parts, contract);

  async function handle(request: IncomingMessage): Promise<Reply> {
    const { method = 'GET', url = '/' } = request;
    const match = contract.match(method, url);
    const caller = identify(request, match, parts.session, onLoopback);
    if ('kind' in caller) return toControlProblemReply(caller);
    const admitted = admit(match, caller, { method, url, host: request.headers.host });
    if ('status' in admitted) return admitted;
    return dispatch(admitted, await readRequest(request, admitted, caller));
  }

  /** Creates a function that calls the other operations for a caller, as if the caller had sent each request. */
  function toAsk(request: ControlRequest): AskReply {
    const { caller, headers } = request;
    return async (method, path, body) => {
      const url = `/_sandbox${path}`;
      const admitted = admit(contract.match(method, url), caller, { method, url, host: headers.host });
      if ('status' in admitted) return admitted;
      const bodyBytes = sizeOfText(JSON.stringify(body ?? ''));
      const sent = { ...request, body, method, isYaml: typeof body === 'string', bodyBytes };
      return dispatch(admitted, validateRequest(contract, parts.limits.depth, admitted, sent));
    };
  }

  /** Checks access, path and rate. Returns the matched operation, or the response if the request is rejected. */
  function admit(
    match: Match,
    caller: Caller,
    { method, url, host }: { readonly method: string; readonly url: string; readonly host: string | undefined },
  ): FoundMatch | Reply {
    const foreign = checkKey(caller, match);
    if (foreign) return toControlProblemReply(foreign);
    if (!match.found) return toControlProblemReply(toNotFound(match, method, url));
    const placed = parts.profile.regions.separate ? inRegion(match, host) : match;
    const { projectId } = placed.params;
    const overRate = projectId === undefined || admission.checkRate(projectId, wall.elapsed(), caller.key?.limits);
    return overRate && overRate !== true ? toControlProblemReply(overRate.problem) : placed;
  }

  /** Handles a request at the server that owns its project, or with what all servers have. */
  async function dispatch({ operation }: FoundMatch, request: ControlRequest | Rejection): Promise<Reply> {
    if ('problem' in request) return toControlProblemReply(request.problem);
    const id = operation.id as ControlId;
    if (!controlPlacement) return handleHere(id, request);
    const { method, caller } = request;
    const project = id === 'getEvents' ? undefined : namedBy(request);
    const placed = { id, request, isRead: isRead(method), project };
    const done = await controlPlacement.handle(placed, () => handleHere(id, request));
    // The key may have been deleted while the request waited.
    if (isRead(method) && !caller.isValid()) return toControlProblemReply(lostAccess);
    return 'reply' in done ? done.reply : toControlProblemReply(done.problem);
  }

  async function handleHere(id: ControlId, request: ControlRequest): Promise<Reply> {
    if (id === 'callMcp') return (await import('../mcp/http.ts')).answerMcp(request, toAsk(request));
    const handler = Object.hasOwn(handlers, id) ? handlers[id] : undefined;
    if (!handler) return unknownOperation;
    const named = namedBy(request);
    const run = async (project: Project | undefined): Promise<Reply> => {
      // The key may have been deleted while the request was read, or its project was loaded.
      if (!request.caller.isValid()) return toControlProblemReply(lostAccess);
      return complete(id, request, await handler(parts, request, project));
    };
    if (named === undefined) return run(undefined);
    try {
      await projects.enter(named);
      const full = await prepareProject(id, request);
      if (full) return toControlProblemReply(full);
      const project = projects.find(named);
      // Of a project that was just loaded, no timer has run yet what came due before. Changes run it themselves.
      if (isRead(request.method)) project?.runDue();
      return await run(project);
    } finally {
      projects.leave(named);
    }
  }

  /**
   * Runs due work in slices before the handler, because most handlers run it synchronously. Returns a problem if a
   * change would need one more project than there may be; a reset creates none.
   */
  async function prepareProject(
    id: ControlId,
    { params: { projectId }, method, caller: { key } }: ControlRequest,
  ): Promise<Problem | undefined> {
    if (projectId === undefined) return undefined;
    const changes = (!isRead(method) && id !== 'resetProject') || id === 'getListener';
    const existing = changes ? key && (await placement?.listEarlier(key, projectId)) : undefined;
    const full = changes
      ? (projects.checkCapacity(projectId) ?? (key && projectQuota(key, projectId, existing)))
      : undefined;
    if (!full) await projects.find(projectId)?.schedule.catchUp();
    return full;
  }

  /** Returns the response to a request, once its changes are saved. */
  async function complete(
    id: ControlId,
    { params, method, caller }: ControlRequest,
    result: HandlerResult,
  ): Promise<Reply> {
    // The key may have been deleted while the request waited.
    if (isRead(method) && !caller.isValid()) return toControlProblemReply(lostAccess);
    const changed = ('changed' in result ? result.changed : undefined) ?? params['projectId'];
    const unsaved = await waitUntilSaved(id, changed, method);
    if (unsaved) {
      // A fork that is not stored would be gone after the next start.
      if (id === 'forkProject' && !('problem' in result) && changed !== undefined) projects.reset(changed);
      return toControlProblemReply(unsaved);
    }
    if ('problem' in result) return toControlProblemReply(result.problem);
    publishChange(parts.events, id, changed);
    return toReply(result, method);
  }

  /** Waits until the changes are saved, without a project those of all. Returns the problem if that fails. */
  async function waitUntilSaved(
    id: ControlId,
    projectId: string | undefined,
    method: string,
  ): Promise<Problem | undefined> {
    if (ofNoProject.has(id) || (projectId === undefined && isRead(method))) return undefined;
    try {
      await projects.persisted(projectId);
      return undefined;
    } catch (error) {
      if (toStoreError(error)) throw error;
      return toUnsaved(parts, error);
    }
  }

  return {
    handle: async (request) => {
      const reply = await handle(request);
      const headers = { ...reply.headers, ...safeHeaders };
      return { ...reply, headers: reply.status === 401 ? { ...headers, ...challenge } : headers };
    },
    handleHere,
  };
}

/** At the host of a region, a project is that of the region. */
function inRegion(match: FoundMatch, host: string | undefined): FoundMatch {
  const { params, query } = match;
  const { projectId } = params;
  const { project } = query;
  return {
    ...match,
    ...(projectId !== undefined && { params: { ...params, projectId: toRegionalId(projectId, host) } }),
    ...(typeof project === 'string' && { query: { ...query, project: toRegionalId(project, host) } }),
  };
}

/** Returns the project in the path or the query of a request. */
function namedBy({ params, query }: ControlRequest): string | undefined {
  const project = params['projectId'] ?? query['project'];
  return typeof project === 'string' ? project : undefined;
}

/** The response to a server of a later version that shares the projects. */
const unknownOperation: Reply = toJsonReply(501, {
  message: 'this server has another version, without this operation',
});

/** Operations that change no project; those of keys save their changes themselves. */
const ofNoProject: ReadonlySet<ControlId> = new Set(['login', 'logout', 'createKey', 'deleteKey', 'checkScenario']);

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function toReply(result: Exclude<HandlerResult, { problem: Problem }>, method: string): Reply {
  const { status } = result;
  if ('stream' in result) {
    const head = { status, headers: streamHeaders, body: undefined };
    return method === 'HEAD' ? head : { ...head, stream: result.stream };
  }
  if ('text' in result) return { status, headers: { ...textHeaders, ...result.headers }, body: result.text };
  if ('pieces' in result) return toPiecesReply(status, result.pieces);
  return result.body === undefined
    ? { status, headers: result.headers ?? {}, body: undefined }
    : toJsonReply(status, result.body, result.headers);
}
