/**
 * The way of a request that was read, in the order of the functions below: it is examined, the scenario rules are matched,
 * it is applied to its project, and the response is recorded in the journal.
 */
import { nameEntries } from '../journal/named-ids.ts';
import { toRegion } from '../keys/region.ts';
import { rateOf } from '../lib/clock.ts';
import type { Problem } from '../lib/problem.ts';
import type { OperationId } from '../operations/index.ts';
import { toStoreError } from '../project/persistence/store-errors.ts';
import type { Project } from '../project/project.ts';
import { decide } from '../scenarios/decide.ts';
import { countFiringsBefore, countRequest } from '../scenarios/expect.ts';
import { type Matches, match as matchRequest, maxTests } from '../scenarios/matching.ts';
import type { Growth } from '../usage/admission.ts';
import type { SlotKey } from '../usage/client-slots.ts';
import { countInWindow, type MaxRate } from '../usage/request-rate.ts';
import { applyPlan } from './apply-plan.ts';
import { type Examined, examineRequest } from './examine-request.ts';
import type { RequestHandlerDeps } from './handler-deps.ts';
import type { ReceivedRequest } from './read-request.ts';
import { type Reply, toUnsavedProblem } from './reply.ts';
import { type ApiRequest, type RequestContext, toEntry, withStandardHeaders } from './request-context.ts';
import { type FoundMatch, operationOf, type RequestValidation } from './validate-request.ts';

/** Applies a request to a project. Returns a promise only if this takes long. */
export type ApplyRequest = (
  request: ApiRequest,
  startedMs: number,
  project: Project,
  match: FoundMatch,
  received: ReceivedRequest,
  key: SlotKey | undefined,
) => Reply | Promise<Reply>;

/** A request that has been read and examined, but not applied. */
interface PreparedRequest {
  readonly request: ApiRequest;
  readonly startedMs: number;
  readonly match: FoundMatch;
  readonly received: ReceivedRequest;
  readonly examined: Examined;
  /** The request's API key, except in a replay. */
  readonly key: SlotKey | undefined;
}

/** A response and its delay. `matchedExpectations` is empty if the request was rejected before any rule was checked. */
interface Outcome {
  readonly reply: Reply;
  readonly latencyMs: number;
  readonly matchedExpectations: ReadonlySet<string>;
  /** Releases the slot of a delayed request; call it after the response. */
  readonly release?: (() => void) | undefined;
}

export function createRequestApplier(deps: RequestHandlerDeps, validation: RequestValidation): ApplyRequest {
  const { keys, projects, journal, wall, admission, replies } = deps;
  const examineDeps = { ...deps, ...validation };

  /** Examines the body and matches the rules, then applies the request. */
  function prepareAndApply(
    request: ApiRequest,
    startedMs: number,
    project: Project,
    match: FoundMatch,
    received: ReceivedRequest,
    key: SlotKey | undefined,
  ): Reply | Promise<Reply> {
    const examined = examineRequest(examineDeps, request, match, received);
    const prepared = { request, startedMs, match, received, examined, key };
    return apply(prepared, project, matchRules(prepared, project));
  }

  /** Matches the rules with a request. Returns undefined if the request is rejected anyway. */
  function matchRules(prepared: PreparedRequest, project: Project): Matches | undefined {
    const { request, match, received, examined } = prepared;
    const { accepted } = examined;
    if (!accepted) return undefined;
    const { scenario, secretTests } = received;
    return matchRequest(projects.rulesOf(project, scenario), {
      operation: match.operation.id,
      project: project.name,
      subproject: match.params['subProjectId'],
      headers: request.headers,
      body: accepted.body,
      entries: accepted.parsed.command.entries,
      refused: accepted.parsed.refused,
      isSecret: keys.isKey,
      ...(secretTests && { secretTests }),
    });
  }

  /** Applies a request. Synchronous from its number to its effect, so that both have the same order. */
  function apply(prepared: PreparedRequest, project: Project, matches: Matches | undefined): Reply | Promise<Reply> {
    const { request, startedMs, match, received, examined } = prepared;
    const operationId = match.operation.id as OperationId;
    const warning = warnOfRegion(request, project);
    const atMs = project.runDue();
    const id = project.nextRequestId();
    const change = project.nextChangeNumber();
    if (received.token !== undefined) deps.placement?.noteToken(project.id, received.token);
    const context: RequestContext = {
      request,
      id,
      atMs,
      clockRate: received.recordedRate ?? rateOf(project.state.clock),
      project,
      change,
      startedMs,
      operationId,
      warnings: warning ? [...examined.warnings, warning] : examined.warnings,
      warningCount: examined.warningCount + (warning ? 1 : 0),
      rejectedCount: 0,
      body: examined.body,
      bodyProblem: examined.bodyProblem,
    };
    if (examined.accepted) context.named = nameEntries(examined.accepted.parsed);
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
    { received, examined, match, key }: PreparedRequest,
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
    const slot = latencyMs > 0 ? takeSlot(project.id, full, key) : undefined;
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
      text,
      admit: (growth: Growth) => full ?? admission.admit(project, growth, key?.limits),
    });
    return { reply, latencyMs, matchedExpectations: matches.matchedExpectations, release: slot?.release };
  }

  /** The region through which each project was used first. */
  const firstRegions = new WeakMap<Project, string>();

  /** Warns of a request through another region: the real API has another project there, or none. */
  function warnOfRegion({ headers }: ApiRequest, project: Project): string | undefined {
    const region = toRegion(headers['host']);
    if (!region || deps.bodyRules.regions.separate) return undefined;
    const first = firstRegions.get(project) ?? region;
    firstRegions.set(project, first);
    return first === region
      ? undefined
      : `header:host: this project was used through the region ${first} before, and now through ${region}; the profile's "regions.separate" keeps regions apart`;
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
    key: SlotKey | undefined,
  ): { readonly release: () => void } | { readonly problem: Problem } {
    const problem = recordedRejection ?? admission.waiting.check(projectId, key);
    return problem?.kind === 'limited' ? { problem } : { release: admission.waiting.take(projectId, key) };
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
      if (toStoreError(error)) throw error;
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

  return prepareAndApply;
}

function toOverRate({ requests, per }: MaxRate, retryAfter: number): Problem {
  const message = `too many requests: expected at most ${requests.toLocaleString('en')} in ${per}, try again in ${retryAfter} s`;
  return { kind: 'limited', message, headers: { 'retry-after': String(retryAfter) } };
}

const noExpectations: ReadonlySet<string> = new Set();

const tooManyTests: Problem = {
  kind: 'tooLarge',
  message: `the active scenarios would take more than ${maxTests.toLocaleString('en')} tests of this request's entries: send fewer entries in one request, or activate fewer rules and expectations about entries`,
};
