/** Decides which scenario rules fire for a request, applies it as their plan says, and creates the response. */
import type { Cause, CauseKind, Problem } from '../lib/problem.ts';
import type { TemplateValues } from '../lib/template.ts';
import { toTimestamp } from '../lib/time.ts';
import { parseTrace, type TraceContext } from '../lib/trace.ts';
import { toAcceptedResult } from '../openapi/modes.ts';
import { type CommandResult, countNewRecords, type Operation } from '../operations/index.ts';
import { countDeferred } from '../project/commands/deferred-command.ts';
import { commandBytes, type ExecutionResult, execute, toDryRun } from '../project/commands/execute.ts';
import { decide } from '../scenarios/decide.ts';
import type { Plan } from '../scenarios/effects/effect.ts';
import { countOperation } from '../scenarios/expect.ts';
import { toRuleNotes } from '../scenarios/explain.ts';
import type { ObservedFailure } from '../scenarios/failure-kinds.ts';
import { type Matches, match as matchRules, maxTests } from '../scenarios/matching.ts';
import type { ConnectionFault } from '../scenarios/types.ts';
import type { Growth } from '../usage/admission.ts';
import type { Accepted, ApiRequest, EnteredExchange, Exchange } from './exchange.ts';
import type { RequestHandlerDeps } from './handler-deps.ts';
import { operationOf } from './read-request.ts';
import { redactHeaders } from './redact.ts';
import { type ApiReplies, type Reply, type Statuses, statusOf } from './reply.ts';

/** A valid request, with the plan that scenario rules made for it. */
interface Planned {
  readonly exchange: EnteredExchange;
  readonly accepted: Accepted;
  readonly operation: Operation;
  readonly plan: Plan;
}

/** Finds the rules that a request matches. */
export function findMatches(
  { projects, keys }: RequestHandlerDeps,
  { request, match, project, scenario, recorded }: EnteredExchange,
  accepted: Accepted,
): Matches {
  return matchRules(projects.rulesOf(project, scenario), {
    operation: match.operation.id,
    project: project.name,
    subproject: match.params['subProjectId'],
    headers: request.headers,
    body: accepted.body,
    entries: accepted.command.entries,
    refused: accepted.refused,
    isSecret: (text) => redactHeaders({ text }, keys.isKey)['text'] !== text,
    ...(recorded && { secretTests: recorded.secretTests }),
  });
}

export const tooManyTests = (): Problem => ({
  kind: 'tooLarge',
  message: `the active scenarios would take more than ${maxTests.toLocaleString('en')} tests of this request's entries: send fewer entries in one request, or activate fewer rules and expectations about entries`,
});

/** Decides which rules fire, and applies the request accordingly. Synchronous. */
export function decideAndApply(
  parts: RequestHandlerDeps,
  exchange: EnteredExchange,
  accepted: Accepted,
  matches: Matches,
): Reply {
  const { projects, wall, seed, replies } = parts;
  const { project, operationId, id: request, atMs: now, change, clockRate } = exchange;
  const { set, outline, secretTests } = matches;
  const { ruleCounts: counts, activations } = project.state;
  const server = { counts: projects.serverCounts, wallMs: wall.now(), clockRate };
  const state = { counts, server, activations, now, change, seed };
  const { plan, traces, serverCounts } = decide(matches, accepted.command.entries.length, state);
  const evaluation = { traces, outline };
  projects.reportEvaluated({ project: project.id, request, set, evaluation });
  const nth = countOperation(operationId, project.state);
  exchange.rules = { notes: toRuleNotes(set, nth, evaluation), secretTests, serverCounts };
  const { latencyMs = 0 } = plan;
  if (latencyMs > 0) exchange.limitProblem = takeSlot(parts, exchange);
  if (exchange.limitProblem) return replies.problem(exchange.limitProblem, exchange);
  exchange.latencyMs = latencyMs;
  exchange.matchedExpectations = matches.matchedExpectations;
  return applyPlan(parts, { exchange, accepted, operation: operationOf(exchange.match), plan });
}

/** Takes a slot for a delayed response. Returns the problem if there is none. */
function takeSlot({ admission: { waiting } }: RequestHandlerDeps, exchange: EnteredExchange): Problem | undefined {
  const { project, key, recorded } = exchange;
  const problem = recorded?.rejection ?? waiting.check(project.id, key);
  if (problem?.kind === 'limited') return problem;
  exchange.release = waiting.take(project.id, key);
  return undefined;
}

/** Applies a request, unless its plan prevents that, and returns the response. */
function applyPlan(parts: RequestHandlerDeps, planned: Planned): Reply {
  const { plan, exchange } = planned;
  const { respond, connection } = plan;
  const retryAfter = plan.limit?.retryAfter;
  const isApplied = retryAfter === undefined && respond?.processed !== false && connection?.processed !== false;
  // A fault needs a response to break, even if the request is not applied.
  const normal =
    isApplied || (connection && !respond && retryAfter === undefined)
      ? executeCommand(parts, planned, isApplied)
      : undefined;
  const { replies } = parts;
  const own = (): Reply | undefined =>
    respond
      ? {
          ...replies.planned(respond, exchange),
          cause: toCause('scenarioResponse', `responded with ${respond.status}`),
        }
      : normal;
  const reply = retryAfter === undefined ? own() : toLimited(replies, retryAfter, exchange);
  const observed = toObservedFailure(plan, isApplied, exchange.observedFailure);
  if (observed) exchange.observedFailure = observed;
  return connection ? toBroken(reply as Reply, connection.fault, exchange) : (reply as Reply);
}

function executeCommand(parts: RequestHandlerDeps, planned: Planned, isApplied: boolean): Reply {
  const { exchange, accepted, operation, plan } = planned;
  const { project, operationId, key, recorded } = exchange;
  const reject = (problem: Problem): Reply => parts.replies.problem(problem, exchange);
  const { mode, status } = parts.modeOf(operationId);
  const full = isApplied
    ? (recorded?.rejection ?? parts.admission.admit(project, toGrowth(planned, mode, parts), key))
    : undefined;
  if (full) {
    exchange.limitProblem = full;
    return reject(full);
  }
  const result = execute(isApplied ? project : toDryRun(project), {
    operationId,
    operation,
    mode,
    requestId: exchange.id,
    now: exchange.atMs,
    command: accepted.command,
    refused: accepted.refused,
    plan,
    processingMs: parts.processingMs,
    text: accepted.text,
    trace: findTrace(exchange.request, parts),
  });
  const observed = toFailures(planned, result, parts.statuses);
  if (observed) exchange.observedFailure = observed;
  if ('problem' in result) return reject(result.problem);
  exchange.warn(result.warnings);
  if (isApplied) exchange.applied = result.applied;
  if (operation.listsFailures) exchange.rejectedCount = result.outcome.failed.length;
  const reply = operation.toResponse(result.outcome);
  const body = mode === 'async' || status === 202 ? toAcceptedResult(reply.body) : reply.body;
  return parts.replies.result(operationId, status ?? reply.status, body, (names) =>
    toValues(planned, result.outcome, body, names),
  );
}

/** Returns the trace of a request. A `tracestate` that has an API key is not passed on. */
function findTrace({ headers }: ApiRequest, { keys }: RequestHandlerDeps): TraceContext | undefined {
  if (headers['traceparent'] === undefined) return undefined;
  const { traceparent, tracestate } = headers;
  const isShown = redactHeaders({ tracestate }, keys.isKey)['tracestate'] === tracestate;
  return parseTrace({ traceparent, ...(isShown && { tracestate }) });
}

/** Returns the values of a result's template, all or of these names: of the request, and the fields of the record. */
function toValues(
  { exchange, operation, accepted: { command } }: Planned,
  { id }: CommandResult,
  body: unknown,
  names: readonly string[] | undefined,
): TemplateValues {
  const { project, operationId } = exchange;
  const entry = command.entries[0]?.value;
  const record = project.state.records[operation.collection].get(id);
  const own = {
    id,
    message: (body as { readonly message?: string }).message,
    projectId: project.name,
    ...(command.subProjectId !== undefined && { subProjectId: command.subProjectId }),
    requestId: exchange.id,
    operation: operationId,
    timestamp: toTimestamp(exchange.atMs),
  };
  if (!names) return { ...entry, ...record, ...own };
  // A copy of all fields takes longer than the rest of the response.
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const from: TemplateValues | undefined = [own, record, entry].find((one) => one && Object.hasOwn(one, name));
    values[name] = from?.[name];
  }
  return values;
}

/** Returns by how much a request makes its project larger. */
function toGrowth(
  { exchange: { project }, operation, accepted: { command, text }, plan }: Planned,
  mode: 'sync' | 'async',
  { processingMs, callbackFormat: { perEntry } }: RequestHandlerDeps,
): Growth {
  const maxRecords = command.entries.length + (command.routes?.length ?? 0);
  return {
    records: () => countNewRecords(project.state.records, operation, command),
    maxRecords,
    bytes: commandBytes(text, command),
    pending:
      mode === 'sync' ? 0 : Math.max(1, perEntry ? maxRecords : countDeferred(command, plan.failed, processingMs)),
  };
}

/** Returns the failure that the client observes. A planned response or fault hides those of the normal response. */
function toObservedFailure(
  { respond, connection, limit, latencyMs = 0 }: Plan,
  processed: boolean,
  failures: ObservedFailure | undefined,
) {
  const latency = latencyMs > 0 ? { latency: latencyMs } : undefined;
  if (connection) return { ...latency, connection: connection.fault, processed };
  if (limit?.retryAfter !== undefined) return { ...latency, limit };
  if (respond) return { ...latency, respond, processed: respond.processed };
  return latency && failures ? { ...latency, ...failures } : (latency ?? failures);
}

/** Returns the failures that the normal response reports, or undefined if there are none. */
function toFailures(
  { accepted, plan }: Planned,
  result: ExecutionResult,
  statuses: Statuses,
): ObservedFailure | undefined {
  if ('problem' in result) {
    const { kind } = result.problem;
    if (kind === 'invalid') return { refuse: true };
    return kind === 'downstream' ? { fail: true } : { respond: { status: statusOf(result.problem, statuses) } };
  }
  const { failed } = result.outcome;
  if (failed.length === 0) return undefined;
  const planned = plan.refused ? accepted.command.entries.filter(({ item }) => plan.refused?.has(item)).length : 0;
  const refused = accepted.refused.length + planned;
  return { ...(refused > 0 && { refuse: true }), ...(failed.length > refused && { fail: true }) };
}

function toLimited(replies: ApiReplies, retryAfter: number, exchange: Exchange): Reply {
  const message = `too many requests: the limit that a scenario sets is reached, try again in ${retryAfter} s`;
  const headers = { 'retry-after': String(retryAfter) };
  const cause = toCause('scenarioLimit', 'the limit that a scenario sets is reached');
  return replies.problem({ kind: 'limited', message, headers, cause }, exchange);
}

function toCause(kind: CauseKind, text: string): Cause {
  return { kind, place: '', text };
}

/** What a client sees of each fault. */
const faultTexts: Readonly<Record<ConnectionFault, string>> = {
  reset: 'the connection was reset without a response',
  close: 'the connection was closed without a response',
  hang: 'no response was sent, and the connection stayed open',
  truncate: 'the response was cut off',
  drip: 'the response was sent byte by byte',
};

/** Faults for which the client receives no part of a response. */
const withoutResponse: readonly ConnectionFault[] = ['reset', 'close', 'hang'];

function toBroken(reply: Reply, kind: ConnectionFault, { id, project }: EnteredExchange): Reply {
  const fault = { kind, onEnd: (end: () => void) => project.onEnd(end, id) };
  const cause = toCause('scenarioConnection', faultTexts[kind]);
  const shown = withoutResponse.includes(kind) ? { status: 0, headers: {}, body: undefined } : reply;
  return { ...shown, fault, cause };
}
