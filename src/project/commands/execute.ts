/** Executes a request: applies its command at once (sync), or defers it (async). */
import type { Problem, Warning } from '../../lib/problem.ts';
import type { TraceContext } from '../../lib/trace.ts';
import type { ActionContext, Command, Entry, Failure } from '../../operations/command.ts';
import type { CommandResult, Operation, OperationId } from '../../operations/index.ts';
import { type Applied, nothingReplaced, type Replacement } from '../../records/applied.ts';
import { type Records, toRecordReader } from '../../records/records.ts';
import type { Plan } from '../../scenarios/effects/effect.ts';
import type { Project } from '../project.ts';
import { toAcceptedEntries } from './accepted-entries.ts';
import { sortFailures, withoutCauses } from './apply-command.ts';
import { commandBytes, countNewRecords } from './command-size.ts';
import { type DeferredCommand, type PlannedFailure, toDeferredCommands } from './deferred-command.ts';

/** The part of a project that executing a request needs. */
export interface ExecutionTarget extends Pick<Project, 'actionContext' | 'commit' | 'defer'> {
  readonly state: Pick<Project['state'], 'records'>;
}

export interface Execution {
  readonly operationId: OperationId;
  readonly operation: Operation;
  readonly mode: 'sync' | 'async';
  readonly requestId: string;
  /** The project's time, in milliseconds. */
  readonly now: number;
  readonly command: Command;
  /** Entries that are invalid. */
  readonly refused: readonly PlannedFailure[];
  readonly plan: Pick<Plan, 'refused' | 'failed' | 'callbackRules'>;
  readonly processingMs: number;
  readonly text: string;
  /** The trace of the request. */
  readonly trace?: TraceContext | undefined;
}

/** The outcome for the response, or the problem if the response has no list of failures. */
export type ExecutionResult =
  | {
      readonly outcome: CommandResult;
      readonly warnings: readonly Warning[];
      /** What it did to the records at once. */
      readonly applied: Applied;
    }
  | { readonly problem: Problem };

/** Applies or accepts a request. Changes the project before it returns, without waiting. */
export function execute(project: ExecutionTarget, execution: Execution): ExecutionResult {
  const remaining = execution.plan.refused ? withoutRefused(execution, execution.plan.refused) : execution;
  if ('problem' in remaining) return remaining;
  return remaining.mode === 'async' ? accept(project, remaining) : applyNow(project, remaining);
}

/** Removes the entries that a scenario rejects, by their numbers. */
function withoutRefused(
  execution: Execution,
  reasons: ReadonlyMap<number, string>,
): Execution | Extract<ExecutionResult, { problem: Problem }> {
  const { operation, command } = execution;
  const refused: PlannedFailure[] = [];
  const entries: Entry[] = [];
  for (const entry of command.entries) {
    const reason = reasons.get(entry.item);
    if (reason === undefined) entries.push(entry);
    else refused.push({ order: entry.item, id: entry.id, reason });
  }
  if (refused.length > 0 && !operation.listsFailures) {
    return { problem: toPlannedProblem('invalid', refused[0]?.reason) };
  }
  return { ...execution, command: { ...command, entries }, refused: [...execution.refused, ...refused] };
}

function accept(
  project: ExecutionTarget,
  { operation, operationId, requestId, now, command, refused, plan, processingMs, text, trace }: Execution,
): ExecutionResult {
  const outcome = toOutcome(project, operation, project.actionContext(now), command, command.entries, refused);
  const base = { requestId, operation: operationId, callbackRules: plan.callbackRules, ...(trace && { trace }) };
  for (const { afterMs, deferredCommand: deferred } of toDeferredCommands(base, command, plan.failed, processingMs)) {
    if (deferred.command.entries.length + deferred.failures.length + (deferred.command.routes?.length ?? 0) === 0)
      continue;
    project.defer(deferred, now + afterMs, toHeld(project.state.records, operation, deferred, command, text));
  }
  return toResult(outcome, refused, now, nothingReplaced, []);
}

/** Estimates what a deferred command holds: its share of the body's parsed size, and the records that it may create. */
function toHeld(
  records: Records,
  operation: Operation,
  { command, failures }: DeferredCommand,
  fullCommand: Command,
  text: string,
) {
  const share = (command.entries.length + failures.length) / Math.max(1, fullCommand.entries.length);
  return {
    bytes: share * commandBytes(text, fullCommand).exact(),
    records: countNewRecords(records, operation, command),
  };
}

function applyNow(
  project: ExecutionTarget,
  { operation, now, command, refused, plan, text }: Execution,
): ExecutionResult {
  const { failed } = plan;
  const failing = failed ? command.entries.filter((entry) => failed.has(entry.item)) : [];
  if (failing[0] && !operation.listsFailures) {
    return { problem: toPlannedProblem('downstream', failed?.get(failing[0].item)?.reason) };
  }
  const planned = failing.map(({ item, id }) => ({ order: item, id, reason: failed?.get(item)?.reason ?? '' }));
  const remaining =
    planned.length === 0
      ? command
      : { ...command, entries: command.entries.filter((entry) => !failed?.has(entry.item)) };
  const context = project.actionContext(now);
  const { writes, failures, warnings } = operation.action(toRecordReader(project.state.records), remaining, context);
  const [first] = failures;
  if (first && !operation.listsFailures)
    return { problem: { kind: first.kind, message: first.reason, cause: first.cause } };
  const replacement = project.commit(writes, commandBytes(text, remaining).exact());
  const succeeded = withoutFailed(remaining.entries, failures);
  const all = [...refused, ...planned, ...failures];
  const outcome = toOutcome(project, operation, context, command, succeeded, all);
  return toResult(outcome, operation.listsFailures ? all : [], now, replacement, warnings);
}

/** Returns the problem of a single record that a scenario rejects or lets fail. */
function toPlannedProblem(kind: Problem['kind'], reason = ''): Problem {
  return { kind, message: reason, cause: { kind: 'scenarioEntry', place: '', text: reason } };
}

function toResult(
  outcome: CommandResult,
  failures: readonly (Failure | PlannedFailure)[],
  atMs: number,
  { writes, replaced, size }: Replacement,
  warnings: readonly Warning[],
): ExecutionResult {
  return { outcome, warnings, applied: { atMs, writes, replaced, size, failed: sortFailures(failures) } };
}

/** Returns a target that reads the same state and changes nothing, to calculate a response without its effect. */
export function toDryRun(project: ExecutionTarget): ExecutionTarget {
  return {
    state: project.state,
    actionContext: (now) => project.actionContext(now),
    commit: () => nothingReplaced,
    defer: () => undefined,
  };
}

function withoutFailed(entries: readonly Entry[], failures: readonly Failure[]): readonly Entry[] {
  if (failures.length === 0) return entries;
  const items = new Set(failures.map(({ order }) => order));
  return entries.filter(({ item }) => !items.has(item));
}

function toOutcome(
  project: ExecutionTarget,
  operation: Operation,
  context: ActionContext,
  command: Command,
  entries: readonly Entry[],
  failures: readonly PlannedFailure[],
): CommandResult {
  const id = command.entries[0]?.id ?? '';
  if (!operation.listsFailures) return { accepted: [], failed: [], id };
  const accepted = toAcceptedEntries(project.state.records, operation, context, command, entries);
  return { accepted, failed: withoutCauses(sortFailures(failures)), id };
}
