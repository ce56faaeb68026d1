/** Lets a request take effect as the rules of scenarios will have it, and says how it is answered. */
import type { Problem } from '../base/problem.ts';
import { type Executed, execute, toRehearsal } from '../downstream/execute.ts';
import type { Operation, OperationId } from '../operations/index.ts';
import type { ReadTask } from '../operations/to-task.ts';
import type { Plan } from '../scenarios/effects/effect.ts';
import type { Met } from '../scenarios/failure-kinds.ts';
import type { ConnectionFault } from '../scenarios/types.ts';
import type { World } from '../world.ts';
import type { Passage } from './passage.ts';
import type { PipelineParts } from './pipeline.ts';
import { type Reply, type Statuses, statusOf, toJsonReply, toPlannedReply, toProblemReply } from './reply.ts';

/** A request that the contract let through, with what scenarios do to it. */
export interface Planned {
  readonly passage: Passage;
  readonly world: World;
  readonly operationId: OperationId;
  readonly operation: Operation;
  readonly read: ReadTask;
  readonly plan: Plan;
  /** The body's text, where it holds the entries as they are to be stored. */
  readonly source: string | undefined;
}

/** The answer, after the request has taken effect where the plan lets it. Never waits. */
export function carryOutPlan(parts: PipelineParts, planned: Planned): Reply {
  const { plan, world } = planned;
  const { respond, connection } = plan;
  const retryAfter = plan.limit?.retryAfter;
  const takesEffect = retryAfter === undefined && respond?.processed !== false && connection?.processed !== false;
  // A broken answer has a body to be broken, also where nothing is to come of the request.
  const usual =
    takesEffect || (connection && !respond && retryAfter === undefined)
      ? takeEffect(parts, planned, takesEffect)
      : undefined;
  const reply = retryAfter === undefined ? (respond ? toPlannedReply(respond) : usual) : toLimited(retryAfter);
  const met = toMet(plan, takesEffect, planned.passage.met);
  if (met) planned.passage.met = met;
  return connection ? toBroken(reply as Reply, connection.fault, world) : (reply as Reply);
}

function takeEffect(parts: PipelineParts, planned: Planned, really: boolean): Reply {
  const { passage, world, operationId, operation, read, plan, source } = planned;
  const refuse = (problem: Problem): Reply => toProblemReply(problem, parts.statuses);
  const { mode, status } = parts.modeOf(operationId);
  const done = execute(really ? world : toRehearsal(world), {
    operationId,
    operation,
    mode,
    requestId: passage.id,
    now: passage.atMs,
    task: read.task,
    refused: read.refused,
    plan,
    processingMs: parts.processingMs,
    source,
  });
  const met = toFailures(planned, done, parts.statuses);
  if (met) passage.met = met;
  if ('problem' in done) return refuse(done.problem);
  passage.warnings.push(...done.warnings);
  passage.warningCount += done.warnings.length;
  if (operation.listsFailures) passage.refused = done.outcome.failed.length;
  const reply = operation.reply(done.outcome);
  return toJsonReply(status ?? reply.status, reply.body);
}

/** What the client meets of a plan: what replaces or breaks the usual answer hides what that says. */
function toMet({ respond, connection, limit, latencyMs = 0 }: Plan, processed: boolean, usual: Met | undefined) {
  const late = latencyMs > 0 ? { latency: latencyMs } : undefined;
  if (connection) return { ...late, connection: connection.fault, processed };
  if (limit?.retryAfter !== undefined) return { ...late, limit };
  if (respond) return { ...late, respond, processed: respond.processed };
  return late && usual ? { ...late, ...usual } : (late ?? usual);
}

/** What failed, as the usual answer says it; undefined where nothing did. */
function toFailures({ read, plan }: Planned, done: Executed, statuses: Statuses): Met | undefined {
  if ('problem' in done) {
    const { kind } = done.problem;
    if (kind === 'invalid') return { refuse: true };
    return kind === 'downstream' ? { fail: true } : { respond: { status: statusOf(done.problem, statuses) } };
  }
  const { failed } = done.outcome;
  if (failed.length === 0) return undefined;
  const planned = plan.refused ? read.task.entries.filter(({ item }) => plan.refused?.has(item)).length : 0;
  const refused = read.refused.length + planned;
  return { ...(refused > 0 && { refuse: true }), ...(failed.length > refused && { fail: true }) };
}

function toLimited(retryAfter: number): Reply {
  const message = `too many requests: the limit that a scenario sets is reached, try again in ${retryAfter} s`;
  return toProblemReply({ kind: 'limited', message, headers: { 'retry-after': String(retryAfter) } });
}

/** Faults of which the client sees no part of an answer. */
const answerless: readonly ConnectionFault[] = ['reset', 'close', 'hang'];

function toBroken(reply: Reply, kind: ConnectionFault, { onEnd }: World): Reply {
  const fault = { kind, onEnd };
  return answerless.includes(kind) ? { status: 0, headers: {}, body: undefined, fault } : { ...reply, fault };
}
