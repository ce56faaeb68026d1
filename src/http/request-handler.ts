/**
 * The way of an API request, in the order of the functions below: it is admitted (routing, API key, limits), read and
 * examined, the scenario rules are matched, it is applied to its project, and the response is recorded in the journal.
 * Every step returns a value; nothing here writes to a response.
 */
import type { IncomingMessage } from 'node:http';
import { type ApiKey, checkProject as checkKeyProject } from '../keys/api-key.ts';
import { rateOf } from '../lib/clock.ts';
import type { Problem } from '../lib/problem.ts';
import { createSlices } from '../lib/slices.ts';
import { addFromBody } from '../openapi/identify.ts';
import type { OperationId } from '../operations/index.ts';
import type { Project } from '../project/project.ts';
import { decide } from '../scenarios/decide.ts';
import { countFiringsBefore, countRequest } from '../scenarios/expect.ts';
import { createMatching, type Matches, type Matching, maxMatchedEntries, maxTests } from '../scenarios/matching.ts';
import type { Growth } from '../usage/admission.ts';
import type { KeyLimits } from '../usage/limits.ts';
import { countInWindow, type MaxRate } from '../usage/request-rate.ts';
import { applyPlan } from './apply-plan.ts';
import { checkProject } from './body-checks.ts';
import { toDocumentRedirect } from './document-paths.ts';
import { type Examined, examineRequest } from './examine-request.ts';
import type { RequestHandlerDeps } from './handler-deps.ts';
import { createNotFound } from './not-found.ts';
import { createRequestReader, type ReceivedRequest } from './read-request.ts';
import { type Reply, toUnsavedProblem } from './reply.ts';
import { type ApiRequest, type RequestContext, toEntry, withStandardHeaders } from './request-context.ts';
import { createRequestValidation, type FoundMatch, operationOf } from './validate-request.ts';

export interface RequestHandler {
  handle(request: IncomingMessage): Promise<Reply>;
  /** Applies a request that was already read. It must be an API request for a project, with a valid key. */
  applyReceived(request: ApiRequest, received: ReceivedRequest): Reply | Promise<Reply>;
  /** Rejects a request that is not valid HTTP. The journal records it if `request` is defined. */
  rejectMalformed(request: ApiRequest | undefined, problem: Problem): Reply;
}

/** A request that has been read and examined, but not applied. */
interface PreparedRequest {
  readonly request: ApiRequest;
  readonly startedMs: number;
  readonly match: FoundMatch;
  readonly received: ReceivedRequest;
  readonly examined: Examined;
  /** The limits of the request's API key, if it has its own. */
  readonly limits: KeyLimits | undefined;
}

/** A response and its delay. `matchedExpectations` is empty if the request was rejected before any rule was checked. */
interface Outcome {
  readonly reply: Reply;
  readonly latencyMs: number;
  readonly matchedExpectations: ReadonlySet<string>;
  /** Releases the slot of a delayed request; call it after the response. */
  readonly release?: (() => void) | undefined;
}

/** Approximate number of rule tests that run synchronously, in a few milliseconds; more run in slices. */
const testsAtOnce = 20_000;
/** Number of rule tests to run before the clock is read. */
const testsInARow = 2000;

export function createRequestHandler(deps: RequestHandlerDeps): RequestHandler {
  const { contract, keys, projects, journal, wall, admission, projectQuota, replies } = deps;
  const toNotFound = createNotFound(contract.operations.values(), 'api');
  const validation = createRequestValidation(deps);
  const read = createRequestReader(deps, validation);
  const examineDeps = { ...deps, ...validation };

  async function handle(incoming: IncomingMessage): Promise<Reply> {
    const startedMs = wall.elapsed();
    const { url = '/', method = 'GET', headers } = incoming;
    const request = { url, method, headers };
    const match = contract.match(method, url, headers);
    if (!match.found) {
      const redirect = match.why === 'unknown' ? toDocumentRedirect(method, url) : undefined;
      return redirect ?? reject(request, undefined, startedMs, toNotFound(match, method, url));
    }
    if (match.operation.identifiers?.isProjectInBody) return handleByBody(incoming, request, startedMs, match);
    const { projectId } = match.params;
    const key = keys.check(headers, String(headers['host'] ?? ''), projectId);
    const refused = admit(request, startedMs, match, projectId, key);
    if (refused || projectId === undefined) return refused as Reply;
    const loading = projects.readAhead(projectId);
    if (loading) await loading;
    // Opened before the body is read: if the project is reset meanwhile, this request belongs to the old project.
    const project = projects.open(projectId);
    return runDueAndApply(request, startedMs, project, match, await read(incoming, match), limitsOf(key));
  }

  /** Handles a request whose body names the project: only the key is checked before the body is read. */
  async function handleByBody(
    incoming: IncomingMessage,
    request: ApiRequest,
    startedMs: number,
    match: FoundMatch,
  ): Promise<Reply> {
    const key = keys.find(request.headers);
    if ('kind' in key) return reject(request, match, startedMs, key);
    const received = await read(incoming, match);
    const { projectId } = match.params;
    const badKey = checkKeyProject(key, String(request.headers['host'] ?? ''), projectId);
    if (!badKey && projectId === undefined) return rejectWithoutProject(request, startedMs, match, received);
    const refused = admit(request, startedMs, match, projectId, badKey ?? key);
    if (refused || projectId === undefined) return refused as Reply;
    const loading = projects.readAhead(projectId);
    if (loading) await loading;
    return runDueAndApply(request, startedMs, projects.open(projectId), match, received, key.limits);
  }

  /** Runs due work in slices, then applies the request to its project. */
  function runDueAndApply(
    request: ApiRequest,
    startedMs: number,
    project: Project,
    match: FoundMatch,
    received: ReceivedRequest,
    limits: KeyLimits | undefined,
  ): Reply | Promise<Reply> {
    const runningDue = projects.current(project).runDueAhead();
    // The project may have been evicted to its file meanwhile.
    const apply = () => prepareAndApply(request, startedMs, projects.current(project), match, received, limits);
    return runningDue ? runningDue.then(apply) : apply();
  }

  /** Checks the limits of a request. Returns the response if they or its key reject the request. */
  function admit(
    request: ApiRequest,
    startedMs: number,
    match: FoundMatch,
    projectId: string | undefined,
    key: ApiKey | Problem,
  ): Reply | undefined {
    if ('kind' in key) return reject(request, match, startedMs, key);
    const problem =
      checkProject(match) ?? projects.checkCapacity(projectId ?? '') ?? projectQuota(key, projectId ?? '');
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
    const entry = toEntry(context, reply, keys.isKey);
    entry.durationMs = wall.elapsed() - startedMs;
    journal.add(entry);
    return reply;
  }

  /** Examines the body and matches the rules, then applies the request. Returns a promise only if this takes long. */
  function prepareAndApply(
    request: ApiRequest,
    startedMs: number,
    project: Project,
    match: FoundMatch,
    received: ReceivedRequest,
    limits: KeyLimits | undefined,
  ): Reply | Promise<Reply> {
    const prepared = {
      request,
      startedMs,
      match,
      received,
      examined: examineRequest(examineDeps, request, match, received),
      limits,
    };
    const matching = beginMatching(prepared, project);
    if (!matching || matching.run(testsAtOnce)) return apply(prepared, project, matching?.end());
    return matchInSlices(prepared, project, matching);
  }

  /** Starts to match the rules with a request. Returns undefined if the request is rejected anyway. */
  function beginMatching(prepared: PreparedRequest, project: Project): Matching | undefined {
    const { request, match, received, examined } = prepared;
    const { accepted } = examined;
    if (!accepted) return undefined;
    const { scenario, secretTests } = received;
    return createMatching(projects.rulesOf(project, scenario), {
      operation: match.operation.id,
      project: project.id,
      subproject: match.params['subProjectId'],
      headers: request.headers,
      body: accepted.body,
      entries: accepted.parsed.command.entries,
      refused: accepted.parsed.refused,
      isSecret: keys.isKey,
      ...(secretTests && { secretTests }),
    });
  }

  /** Matches the rules in slices; starts again if the active scenarios change meanwhile. */
  async function matchInSlices(prepared: PreparedRequest, project: Project, started: Matching): Promise<Reply> {
    const slices = createSlices(wall);
    let matching = started;
    for (;;) {
      while (!matching.run(testsInARow)) if (slices.isOver()) await slices.next();
      await projects.current(project).runDueAhead();
      const current = projects.current(project);
      const matches = matching.end();
      if (matches.set === projects.rulesOf(current, prepared.received.scenario))
        return apply(prepared, current, matches);
      matching = beginMatching(prepared, current) as Matching;
    }
  }

  /** Applies a request. Synchronous from its number to its effect, so that both have the same order. */
  function apply(prepared: PreparedRequest, project: Project, matches: Matches | undefined): Reply | Promise<Reply> {
    const { request, startedMs, match, received, examined } = prepared;
    const operationId = match.operation.id as OperationId;
    const atMs = project.runDue();
    const id = project.nextRequestId();
    const change = project.nextChangeNumber();
    const context: RequestContext = {
      request,
      id,
      atMs,
      clockRate: received.recordedRate ?? rateOf(project.state.clock),
      project,
      change,
      startedMs,
      operationId,
      warnings: examined.warnings,
      warningCount: examined.warningCount,
      rejectedCount: 0,
      body: examined.body,
      bodyProblem: examined.bodyProblem,
    };
    if (received.scenario) context.scenario = received.scenario.source;
    const overRate = checkRate(project, atMs);
    const outcome = overRate ? toRejected(overRate, context) : decideAndApply(context, prepared, project, matches);
    // Expectations also count rejected requests.
    const { reply, matchedExpectations } = outcome;
    const fact = { operation: operationId, status: reply.status, matchedExpectations, change };
    const { expectations } = projects.rulesOf(project, received.scenario);
    countRequest(expectations, fact, project.state);
    countFiringsBefore(expectations, change, project.state);
    return complete(context, project, outcome);
  }

  /** Decides which rules fire, and applies the request accordingly. */
  function decideAndApply(
    context: RequestContext,
    { received, examined, match, limits }: PreparedRequest,
    project: Project,
    matches: Matches | undefined,
  ): Outcome {
    const { accepted, rejection } = examined;
    const { recordedRejection: full } = received;
    if (!accepted || !matches) return toRejected(rejection as Problem, context);
    if (matches.isTooMuch) return toRejected(tooManyTests, context);
    const { parsed, text } = accepted;
    const { ruleCounts: counts, activations } = project.state;
    const { atMs: now, change, clockRate } = context;
    const server = { counts: projects.serverCounts, wallMs: wall.now(), clockRate };
    const decision = decide(matches, parsed.command.entries.length, {
      counts,
      server,
      activations,
      now,
      change,
      seed: deps.seed,
    });
    context.rules = { set: matches.set, decision };
    const { plan } = decision;
    const { latencyMs = 0 } = plan;
    const slot = latencyMs > 0 ? takeSlot(project.id, full, limits) : undefined;
    if (slot && 'problem' in slot) {
      context.limitProblem = slot.problem;
      return toRejected(slot.problem, context);
    }
    const reply = applyPlan(deps, {
      context,
      project,
      operationId: match.operation.id as OperationId,
      operation: operationOf(match),
      parsed,
      plan,
      source: project.isStored ? undefined : accepted.source,
      text,
      admit: (growth: Growth) => full ?? admission.admit(project, growth, limits),
    });
    return { reply, latencyMs, matchedExpectations: matches.matchedExpectations, release: slot?.release };
  }

  /** Counts a request. Returns the problem if it exceeds the profile's rate. */
  function checkRate({ state }: Project, now: number): Problem | undefined {
    if (!deps.maxRate) return undefined;
    const { window, retryAfter } = countInWindow(state.rateWindow, deps.maxRate, now);
    state.rateWindow = window;
    return retryAfter === undefined ? undefined : toOverRate(deps.maxRate, retryAfter);
  }

  /** Takes a slot for a delayed response. `full` is the recorded rejection of a replay. */
  function takeSlot(
    projectId: string,
    recordedRejection: Problem | undefined,
    limits: KeyLimits | undefined,
  ): { readonly release: () => void } | { readonly problem: Problem } {
    const problem = recordedRejection ?? admission.waiting.check(projectId, limits);
    return problem?.kind === 'limited' ? { problem } : { release: admission.waiting.take(projectId) };
  }

  function toRejected(problem: Problem, context: RequestContext): Outcome {
    return { reply: replies.problem(problem, context), latencyMs: 0, matchedExpectations: noExpectations };
  }

  /** Returns the response and records it, after its delay and after the changes of the request are saved. */
  function complete(
    context: RequestContext,
    project: Project,
    { reply, latencyMs, release }: Outcome,
  ): Reply | Promise<Reply> {
    const response = withStandardHeaders(context, reply);
    const entry = toEntry(context, response, keys.isKey);
    const finish = (): Reply => {
      release?.();
      return record(context, project, entry, response);
    };
    const saving = project.persisted();
    if (latencyMs === 0 && !saving) return finish();
    return project.delayResponse(latencyMs, entry, saving).then(finish, (error: unknown) => {
      release?.();
      deps.logUnsaved(context.id, error);
      const unsaved = withStandardHeaders(context, replies.problem(toUnsavedProblem(context.id), context));
      return record(context, project, toEntry(context, unsaved, keys.isKey), unsaved);
    });
  }

  function record(
    { startedMs }: RequestContext,
    project: Project,
    entry: ReturnType<typeof toEntry>,
    response: Reply,
  ): Reply {
    entry.durationMs = wall.elapsed() - startedMs;
    // The journal has no place for requests of a project that was reset or closed meanwhile.
    if (!project.isDisposed()) journal.add(entry);
    return response;
  }

  return {
    handle,
    applyReceived: (request, received) => {
      const match = contract.match(request.method, request.url, request.headers) as FoundMatch;
      if ('value' in received.parsed) addFromBody(match, received.parsed.value);
      const project = projects.open(match.params['projectId'] ?? '');
      return prepareAndApply(request, wall.elapsed(), project, match, received, undefined);
    },
    rejectMalformed: (request, problem) =>
      request ? reject(request, undefined, wall.elapsed(), problem) : replies.problem(problem),
  };
}

/** Returns the limits of a key that was admitted. */
function limitsOf(key: ApiKey | Problem): KeyLimits | undefined {
  return 'kind' in key ? undefined : key.limits;
}

function toOverRate({ requests, per }: MaxRate, retryAfter: number): Problem {
  const message = `too many requests: expected at most ${requests.toLocaleString('en')} in ${per}, try again in ${retryAfter} s`;
  return { kind: 'limited', message, headers: { 'retry-after': String(retryAfter) } };
}

const noExpectations: ReadonlySet<string> = new Set();

const noProject: Problem = {
  kind: 'invalid',
  message: '/projectId: required, but missing',
  errors: [{ path: '/projectId', message: 'required, but missing' }],
};

const tooManyTests: Problem = {
  kind: 'tooLarge',
  message: `the active scenarios would take more than ${maxTests.toLocaleString('en')} tests of this request's entries, or match more than ${maxMatchedEntries.toLocaleString('en')} of them: send fewer entries in one request, or activate fewer rules and expectations about entries`,
};
