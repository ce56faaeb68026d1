/** Executes a request: applies its command at once (sync), or defers it (async). */
import type { Problem, Warning } from '../../lib/problem.ts';
import type { TraceContext } from '../../lib/trace.ts';
import type { ActionContext, Command, Entry, Failure, PendingImport } from '../../operations/command.ts';
import {
  type AcceptedEntry,
  type CommandResult,
  creates,
  type Operation,
  type OperationId,
} from '../../operations/index.ts';
import {
  type Applied,
  nothingReplaced,
  type Records,
  type Replacement,
  toRecordReader,
} from '../../records/records.ts';
import type { Plan } from '../../scenarios/effects/effect.ts';
import { entryBytes, sizeOfText } from '../../usage/size.ts';
import type { Project } from '../project.ts';
import {
  type DeferredCommand,
  type PlannedFailure,
  sortFailures,
  toDeferredCommands,
  withoutCauses,
} from './deferred-command.ts';

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

function accept(project: ExecutionTarget, execution: Execution): ExecutionResult {
  const { operationId, requestId, now, command, refused, plan, processingMs, text, trace } = execution;
  const outcome = toOutcome(project, execution, project.actionContext(now), command.entries, refused);
  const base = { requestId, operation: operationId, callbackRules: plan.callbackRules, ...(trace && { trace }) };
  for (const { afterMs, deferredCommand: deferred } of toDeferredCommands(base, command, plan.failed, processingMs)) {
    if (deferred.command.entries.length + deferred.failures.length + (deferred.command.routes?.length ?? 0) === 0)
      continue;
    project.defer(deferred, now + afterMs, toHeldBytes(deferred, command, text));
  }
  return toResult(outcome, refused, now, nothingReplaced, []);
}

/** Estimates the memory that a deferred command holds: its share of the body's parsed size, in bytes. */
function toHeldBytes({ command, failures }: DeferredCommand, fullCommand: Command, text: string): number {
  const share = (countParts(command) + failures.length) / Math.max(1, countParts(fullCommand));
  return share * commandBytes(text, fullCommand);
}

function countParts({ entries, routes = [] }: Command): number {
  return entries.length + routes.length;
}

function applyNow(project: ExecutionTarget, execution: Execution): ExecutionResult {
  const { operation, now, command, refused, plan, text } = execution;
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
  const replacement = project.commit(writes, commandBytes(text, remaining));
  const succeeded = withoutFailed(remaining.entries, failures);
  const all = [...refused, ...planned, ...failures];
  const outcome = toOutcome(project, execution, context, succeeded, all);
  return toResult(outcome, operation.listsFailures ? all : [], now, replacement, warnings);
}

/** Returns the problem of a single record that a scenario rejects or lets fail. */
function toPlannedProblem(kind: Problem['kind'], reason = ''): Problem {
  return { kind, message: reason, cause: { kind: 'scenarioEntry', place: '', text: reason } };
}

const none: Applied['failed'] = [];

function toResult(
  outcome: CommandResult,
  failures: readonly (Failure | PlannedFailure)[],
  atMs: number,
  { writes, replaced, size }: Replacement,
  warnings: readonly Warning[],
): ExecutionResult {
  const failed = failures.length === 0 ? none : sortFailures(failures);
  return { outcome, warnings, applied: { atMs, writes, replaced, size, failed } };
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
  execution: Execution,
  context: ActionContext,
  entries: readonly Entry[],
  failures: readonly PlannedFailure[],
): CommandResult {
  const id = execution.command.entries[0]?.id ?? '';
  if (!execution.operation.listsFailures) return { accepted: [], failed: [], id };
  const accepted = toAcceptedEntries(project.state.records, execution, context, entries);
  return { accepted, failed: withoutCauses(sortFailures(failures)), id };
}

/** What a response says of a record. */
interface Named {
  readonly subProjectId?: unknown;
  readonly tracking?: unknown;
}

/** Maximum length of the ids in a list of accepted entries, in characters: 10,000 updates may repeat a long stored one. */
const maxListedIds = 32_000_000;

/** Lists entries that were applied, or accepted to be applied later. An update of an unknown id has no tracking id. */
function toAcceptedEntries(
  records: Records,
  { operation, command, mode }: Execution,
  context: ActionContext,
  entries: readonly Entry[],
): readonly AcceptedEntry[] {
  const kind = operation.collection === 'orders' ? 'orders' : 'jobs';
  const field = kind === 'orders' ? 'trackId' : 'trackingId';
  const { duplicates } = context.rules;
  const isUpdate = !creates(operation);
  // A job that exists and joins a route is updated.
  const findsRecords = isUpdate || (operation.list === 'routes' && duplicates.routeJobs === 'attach');

  // If a route is replaced, its jobs are, too.
  const isReplaced = ({ route = -1 }: Entry): boolean =>
    mode === 'async' && duplicates.routes === 'replace' && records.routes.has(command.routes?.[route]?.id ?? '');

  const toImported = ({ entry: { id, value }, subProjectId }: PendingImport): Named => ({
    subProjectId: value?.['subProjectId'] ?? subProjectId,
    tracking: value?.[field] ?? context.trackingId(kind, id),
  });

  const named = new Map<string, Named | undefined>();

  /** Returns the record, or what a pending import will create. Once for each id: an id may be in all entries of both. */
  function findRecord(id: string): Named | undefined {
    if (!named.has(id)) named.set(id, toKnown(id));
    return named.get(id);
  }

  function toKnown(id: string): Named | undefined {
    const record = records[kind].get(id);
    const replaces = duplicates[kind] === 'replace';
    if (!record || (replaces && mode === 'async')) {
      const imports = context.pendingImports(kind, id).filter(({ entry }) => entry.value);
      const decides = imports.at(replaces ? -1 : 0);
      if (decides) return toImported(decides);
    }
    return record && { subProjectId: record['subProjectId'], tracking: record[field] };
  }

  function toNamed(entry: Entry): Named {
    const record = findsRecords && !isReplaced(entry) ? findRecord(entry.id) : undefined;
    if (!record && !isUpdate) return toImported({ entry, subProjectId: command.subProjectId });
    const tracking = isUpdate && record ? (entry.value[field] ?? record.tracking) : record?.tracking;
    return { subProjectId: entry.value['subProjectId'] ?? record?.subProjectId, tracking };
  }

  let listed = 0;
  const isListed = (id: unknown): id is string => {
    if (typeof id !== 'string') return false;
    listed += id.length;
    return listed <= maxListedIds;
  };

  return entries.map((entry): AcceptedEntry => {
    const { subProjectId, tracking } = toNamed(entry);
    return {
      orderNumber: entry.id,
      ...(isListed(subProjectId) && { subProjectId }),
      ...(isListed(tracking) && { trackingId: tracking }),
    };
  });
}

/** Estimates the size of a command with this body text, in bytes. */
export function commandBytes(text: string, command: Command): number {
  return sizeOfText(text) + entryBytes * countParts(command);
}
