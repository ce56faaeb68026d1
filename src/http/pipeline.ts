/**
 * The way of an API request, in the order of the functions below: its operation and project are found, it is read, admitted
 * to its project, matched with the scenario rules, applied and recorded. A request of a client, one that another server
 * has read, and one of a replay differ only in where they enter. Nothing here writes to a response.
 */
import type { IncomingMessage } from 'node:http';
import { type ApiKey, checkProject as checkKeyProject, lostAccess, toRegion, toRegionalId } from '../keys/api-key.ts';
import { rateOf } from '../lib/clock.ts';
import { type Problem, type ProblemKind, type Warning, withCause } from '../lib/problem.ts';
import { addFromBody } from '../openapi/identify.ts';
import type { FoundMatch } from '../openapi/router.ts';
import { toStoreError } from '../project/persistence/store-errors.ts';
import type { Project } from '../project/project.ts';
import { countFiringsBefore, countRequest } from '../scenarios/expect.ts';
import { countInWindow, type MaxRate } from '../usage/limits.ts';
import { decideAndApply, findMatches, tooManyTests } from './apply-plan.ts';
import type { RawBody } from './body.ts';
import {
  type ApiRequest,
  type EnteredExchange,
  Exchange,
  isOverTls,
  type MatchedExchange,
  type ReadExchange,
  toEntry,
  withStandardHeaders,
} from './exchange.ts';
import type { RequestHandlerDeps, RequestPlacement } from './handler-deps.ts';
import { createNotFound, createProjectNaming, toDocumentRedirect } from './not-found.ts';
import { checkProject, RequestReader, withoutUnknown } from './read-request.ts';
import { redactUrl } from './redact.ts';
import { type Reply, toUnsavedProblem } from './reply.ts';

export interface Pipeline {
  /** Handles a request of a client. */
  handle(request: IncomingMessage): Reply | Promise<Reply>;
  /** Applies a request that another server has read. */
  applyHere(request: ApiRequest, body: RawBody): Promise<Reply>;
  /**
   * Applies a request that was already read: of a replay, or of the demo. It must be one of the API for a project, with a
   * valid key. Returns a promise only if it must wait.
   */
  applyRead(request: ApiRequest, read: Read, project: string): Reply | Promise<Reply>;
  /** Rejects a request that is not valid HTTP. The journal records it if `request` is defined. */
  rejectMalformed(request: ApiRequest | undefined, problem: Problem): Reply;
}

/** What reading a request adds to its exchange. */
export type Read = Pick<ReadExchange, 'raw' | 'parsed'> & Partial<Pick<Exchange, 'scenario' | 'recorded'>>;

export function createPipeline(deps: RequestHandlerDeps): Pipeline {
  const { contract, keys, projects, journal, wall, admission, projectQuota, replies, placement } = deps;
  const toNotFound = createNotFound(contract.operations.values(), 'api');
  const findProject = createProjectNaming(contract.operations.values());
  const reader = new RequestReader(deps);

  function handle(incoming: IncomingMessage): Reply | Promise<Reply> {
    const { url = '/', method = 'GET', headers } = incoming;
    const request = { url, method, headers, isSecure: isOverTls(incoming) };
    const startedMs = wall.elapsed();
    const match = contract.match(method, url, headers);
    if (!match.found) {
      const redirect = match.why === 'unknown' ? toDocumentRedirect(method, url) : undefined;
      return redirect ?? reject(new Exchange(request, startedMs), toNotFound(match, method, toShown(url)));
    }
    const matched = toMatched(request, startedMs, match);
    return match.operation.identifiers?.isProjectInBody
      ? handleByBody(matched, incoming)
      : handleByPath(matched, incoming);
  }

  /** Handles a request whose path, query or header names the project. */
  function handleByPath(exchange: MatchedExchange, incoming: IncomingMessage): Reply | Promise<Reply> {
    const { request, match } = exchange;
    const { projectId } = match.params;
    const key = findKey(request, projectId);
    if (placement && !('kind' in key) && !checkProject(match))
      return applyAnywhere(placement, exchange, reader.readText(incoming, key));
    const id = toStoredId(request, projectId) ?? '';
    const refused = admit(exchange, id, key);
    // Entered before the body is read: if the project is reset meanwhile, this request belongs to the old project.
    return refused ?? enter(exchange, id, reader.readText(incoming, exchange.key));
  }

  /** Returns the key of a request for this project, or why it is rejected. */
  function findKey(request: ApiRequest, project: string | undefined): ApiKey | Problem {
    const found = keys.find(request.headers, request.url);
    return 'kind' in found ? found : (checkKey(found, request, project) ?? found);
  }

  /** Returns why a key does not open this project, or undefined. */
  function checkKey(key: ApiKey, { headers }: ApiRequest, project: string | undefined): Problem | undefined {
    return checkKeyProject(key, headers['host'], project, deps.bodyRules.regions.separate);
  }

  /** Handles a request whose body names the project: only the key is checked before the body is read. */
  async function handleByBody(exchange: MatchedExchange, incoming: IncomingMessage): Promise<Reply> {
    const { request, match } = exchange;
    const key = keys.find(request.headers, request.url);
    if ('kind' in key) return reject(exchange, key);
    exchange.key = key;
    await reader.parse(exchange, reader.readText(incoming, key), '');
    const read = exchange as ReadExchange;
    const { projectId } = match.params;
    const badKey = checkKey(key, request, projectId);
    if (!badKey && projectId === undefined) {
      reader.examine(read);
      return reject(read, read.rejection ?? noProject);
    }
    if (placement && !badKey) return applyAnywhere(placement, read, read.raw);
    const id = toStoredId(request, projectId) ?? '';
    return admit(read, id, badKey ?? key) ?? enter(read, id);
  }

  /** Applies a request at the server that owns its project. */
  async function applyAnywhere(
    to: RequestPlacement,
    exchange: MatchedExchange,
    reading: RawBody | Promise<RawBody>,
  ): Promise<Reply> {
    const { request, match } = exchange;
    const body = await reading;
    const placed = { request, project: toStoredId(request, match.params['projectId']) ?? '', body };
    const done = await to.apply(placed, () => applyHere(request, body));
    return 'reply' in done ? done.reply : reject(exchange, done.problem);
  }

  async function applyHere(request: ApiRequest, body: RawBody): Promise<Reply> {
    const match = contract.match(request.method, request.url, request.headers) as FoundMatch;
    const exchange = toMatched(request, wall.elapsed(), match);
    const isNamedByBody = match.operation.identifiers?.isProjectInBody === true;
    if (isNamedByBody) {
      // Large bodies take turns by key.
      const sender = keys.find(request.headers, request.url);
      if (!('kind' in sender)) exchange.key = sender;
      await reader.parse(exchange, body, '');
    }
    const { projectId } = match.params;
    const id = toStoredId(request, projectId) ?? '';
    const key = findKey(request, projectId);
    const existing = 'kind' in key ? undefined : await placement?.listEarlier(key, id);
    return admit(exchange, id, key, existing) ?? enter(exchange, id, isNamedByBody ? undefined : body);
  }

  /** Checks the key and the limits of a request. Returns the response if they reject it. */
  function admit(
    exchange: MatchedExchange,
    projectId: string,
    key: ApiKey | Problem,
    existing?: readonly string[],
  ): Reply | undefined {
    if ('kind' in key) return reject(exchange, key);
    exchange.key = key;
    const { request, match, startedMs } = exchange;
    const problem = checkProject(match) ?? projects.checkCapacity(projectId) ?? projectQuota(key, projectId, existing);
    if (problem) return reject(exchange, problem);
    const overRate = admission.checkRate(projectId, startedMs, key.limits);
    if (!overRate) return undefined;
    if (overRate.isFirst) return reject(exchange, overRate.problem);
    // The journal records one of these per second; the others must be as cheap as possible.
    return replies.problem(overRate.problem, { request, atMs: wall.now() });
  }

  /** Rejects a request that belongs to no project. */
  function reject(exchange: Exchange, problem: Problem, isNamed = strayKinds.has(problem.kind)): Reply {
    exchange.nameRecords();
    exchange.id = deps.createRequestId();
    exchange.atMs = deps.defaultClock.nowMs ?? wall.now();
    const reply = withStandardHeaders(exchange, replies.problem(problem, exchange));
    const namedProject = isNamed ? nameProject(exchange) : undefined;
    const entry = { ...toEntry(exchange, reply, keys.isKey), namedProject };
    entry.durationMs = wall.elapsed() - exchange.startedMs;
    journal.add(entry);
    return reply;
  }

  /** Returns the project that the path of a rejected request names, unless its name has a secret. */
  function nameProject({ request, match }: Exchange): string | undefined {
    const id = match ? match.params['projectId'] : findProject(request.url);
    const named = toStoredId(request, id || undefined);
    return named === undefined || toShown(named) === named ? named : undefined;
  }

  /** Returns the URL of a request that belongs to no project, as its response and the journal show it. */
  function toShown(url: string): string {
    return redactUrl(url, keys.isKey, true);
  }

  /** Returns the id under which the project of a request is kept. */
  function toStoredId({ headers }: ApiRequest, project: string | undefined): string | undefined {
    if (!deps.bodyRules.regions.separate || project === undefined) return project;
    return toRegionalId(project, headers['host']);
  }

  /** Applies a request to its project, which stays in memory until the response. `body`: if it was not parsed. */
  async function enter(
    exchange: MatchedExchange,
    projectId: string,
    body?: RawBody | Promise<RawBody>,
  ): Promise<Reply> {
    const loading = projects.enter(projectId);
    try {
      if (loading) await loading;
      exchange.project = projects.open(projectId);
      if (body) await reader.parse(exchange, body, projectId);
      const reply = run(exchange as ReadExchange & EnteredExchange);
      return reply instanceof Promise ? await reply : reply;
    } finally {
      projects.leave(projectId);
    }
  }

  /** Runs due work, then applies the request to its project. */
  function run(exchange: ReadExchange & EnteredExchange): Reply | Promise<Reply> {
    const runningDue = exchange.project.schedule.catchUp();
    return runningDue ? runningDue.then(() => applyWithKey(exchange)) : applyWithKey(exchange);
  }

  /** Applies a request, unless its key was deleted while it was read, or its project was loaded. */
  function applyWithKey(exchange: ReadExchange & EnteredExchange): Reply | Promise<Reply> {
    const { request, startedMs, match, project, key } = exchange;
    const from = wall.elapsed();
    if (!key || keys.findById(key.id)) {
      const reply = apply(exchange);
      admission.turns.note(key?.id ?? '', wall.elapsed() - from);
      return reply;
    }
    projects.undo(project, 0);
    return reject(toMatched(request, startedMs, match), lostAccess);
  }

  /** Applies a request. Synchronous from its number to its effect, so that both have the same order. */
  function apply(exchange: ReadExchange & EnteredExchange): Reply | Promise<Reply> {
    const { request, startedMs, match, project, operationId, scenario } = exchange;
    reader.examine(exchange);
    const { accepted, rejection } = exchange;
    const matches = accepted && findMatches(deps, exchange, accepted);
    const warning = warnOfRegion(request, project);
    if (warning) exchange.warn([warning]);
    exchange.atMs = project.runDue();
    exchange.id = project.nextRequestId();
    exchange.change = project.nextChangeNumber();
    exchange.clockRate = exchange.recorded?.rate ?? rateOf(project.state.clock);
    exchange.nameRecords();
    const problem = checkRate(project, exchange.atMs) ?? rejection ?? (matches?.isTooMuch ? tooManyTests() : undefined);
    const reply =
      problem || !accepted || !matches
        ? replies.problem(problem as Problem, exchange)
        : decideAndApply(deps, exchange, withoutUnknown(exchange, accepted), matches);
    const refusal = exchange.limitProblem ?? problem;
    if (refusal && refusals.has(refusal.kind) && projects.undo(project, 1)) {
      exchange.release?.();
      return reject(toMatched(request, startedMs, match), refusal, true);
    }
    // Expectations also count rejected requests.
    const { change, matchedExpectations = noExpectations } = exchange;
    const { expectations } = projects.rulesOf(project, scenario);
    countRequest(
      expectations,
      { operation: operationId, status: reply.status, matchedExpectations, change },
      project.state,
    );
    countFiringsBefore(expectations, change, project.state);
    exchange.releaseBody();
    return complete(exchange, reply);
  }

  /** Warns of a request through another region: the real API has another project there, or none. */
  function warnOfRegion({ headers }: ApiRequest, { state }: Project): Warning | undefined {
    const region = toRegion(headers['host']);
    if (!region || deps.bodyRules.regions.separate) return undefined;
    state.firstRegion ??= region;
    const first = state.firstRegion;
    if (first === region) return undefined;
    const message = `this project was used through the region ${first} before, and now through ${region}; the profile's "regions.separate" keeps regions apart`;
    return { ...withCause('unexpected', 'header:host', 'the project was used through another region before'), message };
  }

  /** Counts a request. Returns the problem if it exceeds the profile's rate. */
  function checkRate({ state }: Project, now: number): Problem | undefined {
    if (!deps.maxRate) return undefined;
    const { window, retryAfter } = countInWindow(state.rateWindow, deps.maxRate, now);
    state.rateWindow = window;
    return retryAfter === undefined ? undefined : toOverRate(deps.maxRate, retryAfter);
  }

  /** Returns the response and records it, after its delay and after the changes of the request are saved. */
  function complete(exchange: EnteredExchange, reply: Reply): Reply | Promise<Reply> {
    const { project, id, latencyMs, release } = exchange;
    const response = withStandardHeaders(exchange, reply);
    const entry = toEntry(exchange, response, keys.isKey);
    const finish = (): Reply => {
      release?.();
      return record(exchange, entry, response);
    };
    const saving = project.persisted();
    if (latencyMs === 0 && !saving) return finish();
    return project.delayResponse(latencyMs, entry, saving).then(finish, (error: unknown) => {
      release?.();
      if (toStoreError(error)) throw error;
      deps.logUnsaved(id, error);
      const unsaved = withStandardHeaders(exchange, replies.problem(toUnsavedProblem(id), exchange));
      return record(exchange, toEntry(exchange, unsaved, keys.isKey), unsaved);
    });
  }

  function record({ startedMs, project }: EnteredExchange, entry: ReturnType<typeof toEntry>, response: Reply): Reply {
    entry.durationMs = wall.elapsed() - startedMs;
    // The journal has no place for requests of a project that was reset or closed meanwhile.
    if (!project.isDisposed()) journal.add(entry);
    return response;
  }

  return {
    handle,
    applyHere,
    applyRead: (request, read, project) => {
      const match = contract.match(request.method, request.url, request.headers) as FoundMatch;
      if ('value' in read.parsed) addFromBody(match, read.parsed.value);
      const exchange = toMatched(request, wall.elapsed(), match);
      return run(Object.assign(exchange, read, { project: projects.open(project) }));
    },
    rejectMalformed: (request, problem) =>
      request ? reject(new Exchange(request, wall.elapsed()), problem) : replies.problem(problem),
  };
}

function toMatched(request: ApiRequest, startedMs: number, match: FoundMatch): MatchedExchange {
  return new Exchange(request, startedMs, match) as MatchedExchange;
}

/** Rejections that lists show with the project that the path names: a wrong key or path is a client's first mistake. */
const strayKinds: ReadonlySet<ProblemKind> = new Set([
  'missingKey',
  'unknownKey',
  'foreignKey',
  'unknownPath',
  'unknownMethod',
]);

/** Rejections by limits. */
const refusals: ReadonlySet<ProblemKind> = new Set(['full', 'tooLarge', 'limited']);

const noProject: Problem = {
  kind: 'invalid',
  message: '/projectId: required, but missing',
  errors: [{ path: '/projectId', message: 'required, but missing' }],
};

function toOverRate({ requests, per }: MaxRate, retryAfter: number): Problem {
  const message = `too many requests: expected at most ${requests.toLocaleString('en')} in ${per}, try again in ${retryAfter} s`;
  return { kind: 'limited', message, headers: { 'retry-after': String(retryAfter) } };
}

const noExpectations: ReadonlySet<string> = new Set();
