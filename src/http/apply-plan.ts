/** Applies a request as the plan of its scenario rules says, and creates the response. */
import type { Problem } from '../lib/problem.ts';
import type { TemplateValues } from '../lib/template.ts';
import { toTimestamp } from '../lib/time.ts';
import { toAcceptedResult } from '../openapi/modes.ts';
import type { CommandResult } from '../operations/index.ts';
import type { ParsedCommand } from '../operations/parse-command.ts';
import { commandBytes, countNewRecords } from '../project/commands/command-size.ts';
import { type Execution, type ExecutionResult, execute, toDryRun } from '../project/commands/execute.ts';
import type { Project } from '../project/project.ts';
import type { Plan } from '../scenarios/effects/effect.ts';
import type { ObservedFailure } from '../scenarios/failure-kinds.ts';
import type { ConnectionFault } from '../scenarios/types.ts';
import type { Growth } from '../usage/admission.ts';
import type { ApiReplies } from './api-replies.ts';
import type { RequestHandlerDeps } from './handler-deps.ts';
import { type Reply, type Statuses, statusOf } from './reply.ts';
import type { RequestContext } from './request-context.ts';

/** A valid request, with the plan that scenario rules made for it. */
export interface PlannedRequest extends Pick<Execution, 'operationId' | 'operation' | 'text'> {
  readonly context: RequestContext;
  readonly project: Project;
  readonly parsed: ParsedCommand;
  readonly plan: Plan;
  /** Returns the problem if the growth would exceed a limit of the project. */
  admit(growth: Growth): Problem | undefined;
}

/** Applies a request, unless its plan prevents that, and returns the response. Synchronous. */
export function applyPlan(parts: RequestHandlerDeps, planned: PlannedRequest): Reply {
  const { plan, project } = planned;
  const { respond, connection } = plan;
  const retryAfter = plan.limit?.retryAfter;
  const isApplied = retryAfter === undefined && respond?.processed !== false && connection?.processed !== false;
  // A fault needs a response to break, even if the request is not applied.
  const normal =
    isApplied || (connection && !respond && retryAfter === undefined)
      ? executeCommand(parts, planned, isApplied)
      : undefined;
  const { context } = planned;
  const { replies } = parts;
  const own = (): Reply | undefined => (respond ? replies.planned(respond, context) : normal);
  const reply = retryAfter === undefined ? own() : toLimited(replies, retryAfter, context);
  const observed = toObservedFailure(plan, isApplied, context.observedFailure);
  if (observed) context.observedFailure = observed;
  return connection ? toBroken(reply as Reply, connection.fault, project) : (reply as Reply);
}

function executeCommand(parts: RequestHandlerDeps, planned: PlannedRequest, isApplied: boolean): Reply {
  const { context, project, operationId, operation, parsed, plan } = planned;
  const reject = (problem: Problem): Reply => parts.replies.problem(problem, context);
  const { mode, status } = parts.modeOf(operationId);
  const full = isApplied ? planned.admit(toGrowth(planned, mode, parts.callbackFormat)) : undefined;
  if (full) {
    context.limitProblem = full;
    return reject(full);
  }
  const result = execute(isApplied ? project : toDryRun(project), {
    operationId,
    operation,
    mode,
    requestId: context.id,
    now: context.atMs,
    command: parsed.command,
    refused: parsed.refused,
    plan,
    processingMs: parts.processingMs,
    text: planned.text,
  });
  const observed = toFailures(planned, result, parts.statuses);
  if (observed) context.observedFailure = observed;
  if ('problem' in result) return reject(result.problem);
  context.warnings.push(...result.warnings);
  context.warningCount += result.warnings.length;
  if (operation.listsFailures) context.rejectedCount = result.outcome.failed.length;
  const reply = operation.toResponse(result.outcome);
  const body = mode === 'async' || status === 202 ? toAcceptedResult(reply.body) : reply.body;
  return parts.replies.result(operationId, status ?? reply.status, body, () => toValues(planned, result.outcome, body));
}

/** Returns the values of a result's template: those of the request, and the fields of the record. */
function toValues(
  { context, project, operationId, operation, parsed }: PlannedRequest,
  { id }: CommandResult,
  body: unknown,
): TemplateValues {
  const { command } = parsed;
  return {
    ...command.entries[0]?.value,
    ...project.state.records[operation.collection].get(id),
    id,
    message: (body as { readonly message?: string }).message,
    projectId: project.name,
    ...(command.subProjectId !== undefined && { subProjectId: command.subProjectId }),
    requestId: context.id,
    operation: operationId,
    timestamp: toTimestamp(context.atMs),
  };
}

/** Returns by how much a request makes its project larger. */
function toGrowth(
  { project, operation, parsed: { command }, plan, text }: PlannedRequest,
  mode: 'sync' | 'async',
  { perEntry }: Pick<RequestHandlerDeps['callbackFormat'], 'perEntry'>,
): Growth {
  const maxRecords = command.entries.length + (command.routes?.length ?? 0);
  const instants = plan.failed ? new Set(Array.from(plan.failed.values(), ({ afterMs }) => afterMs)).size : 0;
  return {
    records: () => countNewRecords(project.state.records, operation, command),
    maxRecords,
    bytes: commandBytes(text, command),
    pending: mode === 'async' ? Math.max(1, perEntry ? maxRecords : instants) : 0,
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
  { parsed, plan }: PlannedRequest,
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
  const planned = plan.refused ? parsed.command.entries.filter(({ item }) => plan.refused?.has(item)).length : 0;
  const refused = parsed.refused.length + planned;
  return { ...(refused > 0 && { refuse: true }), ...(failed.length > refused && { fail: true }) };
}

function toLimited(replies: ApiReplies, retryAfter: number, context: RequestContext): Reply {
  const message = `too many requests: the limit that a scenario sets is reached, try again in ${retryAfter} s`;
  return replies.problem({ kind: 'limited', message, headers: { 'retry-after': String(retryAfter) } }, context);
}

/** Faults for which the client receives no part of a response. */
const withoutResponse: readonly ConnectionFault[] = ['reset', 'close', 'hang'];

function toBroken(reply: Reply, kind: ConnectionFault, { onEnd }: Project): Reply {
  const fault = { kind, onEnd };
  return withoutResponse.includes(kind) ? { status: 0, headers: {}, body: undefined, fault } : { ...reply, fault };
}
