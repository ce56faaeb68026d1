/**
 * The way of an API request, in the order of the functions below: it is admitted (routing, API key, limits), read, and
 * applied (`apply-request.ts`). Every step returns a value; nothing here writes to a response.
 */
import type { IncomingMessage } from 'node:http';
import { type ApiKey, checkProject as checkKeyProject } from '../keys/api-key.ts';
import { toRegionalId } from '../keys/region.ts';
import type { Problem, ProblemKind } from '../lib/problem.ts';
import { addFromBody } from '../openapi/identify.ts';
import type { OperationId } from '../operations/index.ts';
import type { Project } from '../project/project.ts';
import { type ApplyRequest, createRequestApplier } from './apply-request.ts';
import type { RawBody } from './body.ts';
import { checkProject } from './body-checks.ts';
import { toDocumentRedirect } from './document-paths.ts';
import { type Examined, examineRequest } from './examine-request.ts';
import type { RequestHandlerDeps } from './handler-deps.ts';
import { createProjectNaming } from './named-project.ts';
import { createNotFound } from './not-found.ts';
import type { RequestPlacement } from './placement.ts';
import { createRequestReader, type ReceivedRequest, type Requester } from './read-request.ts';
import { redactUrl } from './redact.ts';
import type { Reply } from './reply.ts';
import { type ApiRequest, toEntry, withStandardHeaders } from './request-context.ts';
import { createRequestValidation, type FoundMatch } from './validate-request.ts';

export interface RequestHandler {
  handle(request: IncomingMessage): Promise<Reply>;
  /** Applies a request that another server has read. */
  applyHere(request: ApiRequest, body: RawBody, token: string | undefined): Promise<Reply>;
  /** Applies a request that was already read. It must be an API request for a project, with a valid key. */
  applyReceived(request: ApiRequest, received: ReceivedRequest, project: string): Reply | Promise<Reply>;
  /** Rejects a request that is not valid HTTP. The journal records it if `request` is defined. */
  rejectMalformed(request: ApiRequest | undefined, problem: Problem): Reply;
}

export function createRequestHandler(deps: RequestHandlerDeps): RequestHandler {
  const { contract, keys, projects, journal, wall, admission, projectQuota, replies, placement } = deps;
  const toNotFound = createNotFound(contract.operations.values(), 'api');
  const findProject = createProjectNaming(contract.operations.values());
  const validation = createRequestValidation(deps);
  const reader = createRequestReader(deps);
  const examineDeps = { ...deps, ...validation };
  const prepareAndApply: ApplyRequest = createRequestApplier(deps, validation);

  /** Returns the URL of a request that belongs to no project, as its response and the journal show it. */
  const toShown = (url: string): string => redactUrl(url, keys.isKey, true);

  async function handle(incoming: IncomingMessage): Promise<Reply> {
    const startedMs = wall.elapsed();
    const { url = '/', method = 'GET', headers } = incoming;
    const request = { url, method, headers };
    const match = contract.match(method, url, headers);
    if (!match.found) {
      const redirect = match.why === 'unknown' ? toDocumentRedirect(method, url) : undefined;
      return redirect ?? reject(request, undefined, startedMs, toNotFound(match, method, toShown(url)));
    }
    if (match.operation.identifiers?.isProjectInBody) return handleByBody(incoming, request, startedMs, match);
    const { projectId } = match.params;
    const key = keys.check(headers, String(headers['host'] ?? ''), projectId, url);
    if (placement && !('kind' in key) && !checkProject(match))
      return applyAnywhere(placement, request, startedMs, match, await reader.readBody(incoming));
    return handleByPath(incoming, request, startedMs, match, key);
  }

  /** Handles a request whose path names the project, at this server. */
  async function handleByPath(
    incoming: IncomingMessage,
    request: ApiRequest,
    startedMs: number,
    match: FoundMatch,
    key: ApiKey | Problem,
  ): Promise<Reply> {
    const projectId = toStoredId(request, match.params['projectId']);
    const refused = admit(request, startedMs, match, projectId, key);
    if (refused || projectId === undefined) return refused as Reply;
    const loading = projects.readAhead(projectId);
    if (loading) await loading;
    // Opened before the body is read: if the project is reset meanwhile, this request belongs to the old project.
    const project = projects.open(projectId);
    const received = await reader.read(incoming, match, toRequester(key, projectId));
    return runDueAndApply(request, startedMs, project, match, received, toKey(key));
  }

  /** Handles a request whose body names the project: only the key is checked before the body is read. */
  async function handleByBody(
    incoming: IncomingMessage,
    request: ApiRequest,
    startedMs: number,
    match: FoundMatch,
  ): Promise<Reply> {
    const key = keys.find(request.headers, request.url);
    if ('kind' in key) return reject(request, match, startedMs, key);
    const received = await reader.read(incoming, match, toRequester(key, ''));
    const { projectId } = match.params;
    const badKey = checkKeyProject(key, String(request.headers['host'] ?? ''), projectId);
    if (!badKey && projectId === undefined) return rejectWithoutProject(request, startedMs, match, received);
    if (placement && !badKey) return applyAnywhere(placement, request, startedMs, match, received.raw);
    const storedId = toStoredId(request, projectId);
    const refused = admit(request, startedMs, match, storedId, badKey ?? key);
    if (refused || storedId === undefined) return refused as Reply;
    const loading = projects.readAhead(storedId);
    if (loading) await loading;
    return runDueAndApply(request, startedMs, projects.open(storedId), match, received, key);
  }

  /** Applies a request at the server that owns its project. */
  async function applyAnywhere(
    { apply }: RequestPlacement,
    request: ApiRequest,
    startedMs: number,
    match: FoundMatch,
    body: RawBody,
  ): Promise<Reply> {
    const placed = { request, project: toStoredId(request, match.params['projectId']) ?? '', body };
    const done = await apply(placed, (token) => applyHere(request, body, token));
    return 'reply' in done ? done.reply : reject(request, match, startedMs, done.problem);
  }

  /** Applies a request whose body was read at this server or another one. */
  async function applyHere(request: ApiRequest, body: RawBody, token: string | undefined): Promise<Reply> {
    const startedMs = wall.elapsed();
    const match = contract.match(request.method, request.url, request.headers) as FoundMatch;
    const named = match.params['projectId'];
    const projectId = toStoredId(request, named) ?? '';
    const key = keys.check(request.headers, String(request.headers['host'] ?? ''), named, request.url);
    const received = await reader.parse(body, request.headers, match, toRequester(key, projectId));
    const existing = 'kind' in key ? undefined : await placement?.listEarlier(key, projectId);
    const refused = admit(request, startedMs, match, projectId, key, existing);
    if (refused) return refused;
    return runDueAndApply(request, startedMs, projects.open(projectId), match, { ...received, token }, toKey(key));
  }

  /** Runs due work in slices, then applies the request to its project. */
  function runDueAndApply(
    request: ApiRequest,
    startedMs: number,
    project: Project,
    match: FoundMatch,
    received: ReceivedRequest,
    key: ApiKey | undefined,
  ): Reply | Promise<Reply> {
    const runningDue = projects.current(project).runDueAhead();
    // The project may have been evicted to its file meanwhile.
    const apply = () => prepareAndApply(request, startedMs, projects.current(project), match, received, key);
    return runningDue ? runningDue.then(apply) : apply();
  }

  /** Returns the id under which the project of a request is kept. */
  function toStoredId({ headers }: ApiRequest, project: string | undefined): string | undefined {
    if (!deps.bodyRules.regions.separate || project === undefined) return project;
    return toRegionalId(project, headers['host']);
  }

  /** Checks the limits of a request. Returns the response if they or its key reject the request. */
  function admit(
    request: ApiRequest,
    startedMs: number,
    match: FoundMatch,
    projectId: string | undefined,
    key: ApiKey | Problem,
    existing?: readonly string[],
  ): Reply | undefined {
    if ('kind' in key) return reject(request, match, startedMs, key);
    const problem =
      checkProject(match) ?? projects.checkCapacity(projectId ?? '') ?? projectQuota(key, projectId ?? '', existing);
    if (problem) return reject(request, match, startedMs, problem);
    const overRate = admission.rate.check(projectId ?? '', startedMs, key.limits);
    if (!overRate) return undefined;
    if (overRate.isFirst) return reject(request, match, startedMs, overRate.problem);
    // The journal records one of these per second; the others must be as cheap as possible.
    return replies.problem(overRate.problem, { request, atMs: wall.now() });
  }

  /** Rejects a request whose body names no project: its body is unreadable or invalid. */
  function rejectWithoutProject(
    request: ApiRequest,
    startedMs: number,
    match: FoundMatch,
    received: ReceivedRequest,
  ): Reply {
    const examined = examineRequest(examineDeps, request, match, received);
    return reject(request, match, startedMs, examined.rejection ?? noProject, examined);
  }

  /** Rejects a request before its project is opened; `examined` has its body, if that was read. */
  function reject(
    request: ApiRequest,
    match: FoundMatch | undefined,
    startedMs: number,
    problem: Problem,
    { body, warnings, warningCount }: Partial<Examined> = {},
  ): Reply {
    const operationId = match?.operation.id as OperationId | undefined;
    const atMs = deps.defaultClock.nowMs ?? wall.now();
    const base = { request, id: deps.createRequestId(), atMs, project: undefined, change: 0, startedMs, operationId };
    const found = { body, warnings: warnings ?? [], warningCount: warningCount ?? 0 };
    const context = { ...base, ...found, clockRate: 1, rejectedCount: 0 };
    const reply = withStandardHeaders(context, replies.problem(problem, context));
    const namedProject = isStray(problem) ? nameProject(request, match) : undefined;
    const entry = { ...toEntry(context, reply, keys.isKey), namedProject };
    entry.durationMs = wall.elapsed() - startedMs;
    journal.add(entry);
    return reply;
  }

  /** Returns the project that the path of a rejected request names, unless its name has a secret. */
  function nameProject(request: ApiRequest, match: FoundMatch | undefined): string | undefined {
    const { url } = request;
    const named = toStoredId(request, (match ? match.params['projectId'] : findProject(url)) || undefined);
    return named === undefined || toShown(named) === named ? named : undefined;
  }

  return {
    handle,
    applyHere,
    applyReceived: (request, received, project) => {
      const match = contract.match(request.method, request.url, request.headers) as FoundMatch;
      if ('value' in received.parsed) addFromBody(match, received.parsed.value);
      return prepareAndApply(request, wall.elapsed(), projects.open(project), match, received, undefined);
    },
    rejectMalformed: (request, problem) =>
      request ? reject(request, undefined, wall.elapsed(), problem) : replies.problem(problem),
  };
}

/** Whether lists show a rejected request with the project that its path names: a wrong key or path is a client's first mistake. */
function isStray({ kind }: Problem): boolean {
  return strayKinds.has(kind);
}

const strayKinds: ReadonlySet<ProblemKind> = new Set([
  'missingKey',
  'unknownKey',
  'foreignKey',
  'unknownPath',
  'unknownMethod',
]);

function toRequester(key: ApiKey | Problem, project: string): Requester {
  return { key: toKey(key)?.id ?? '', project };
}

/** Returns a key that was admitted. */
function toKey(key: ApiKey | Problem): ApiKey | undefined {
  return 'kind' in key ? undefined : key;
}

const noProject: Problem = {
  kind: 'invalid',
  message: '/projectId: required, but missing',
  errors: [{ path: '/projectId', message: 'required, but missing' }],
};
