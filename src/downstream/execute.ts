/** Lets a request take effect in its world: at once (sync), or as an instruction for later (async). */
import type { Problem } from '../base/problem.ts';
import { type Accepted, creates, type Operation, type OperationId, type Outcome } from '../operations/index.ts';
import type { Entry, Failure, Setting, Task } from '../operations/task.ts';
import type { Plan } from '../scenarios/effects/effect.ts';
import { type Records, readsOf, type Write } from '../store/records.ts';
import { inOrder } from './carry-out.ts';
import { type Instruction, type PlannedFailure, toInstructions } from './instruction.ts';
import { toUnread } from './unread.ts';

/** What a request needs of the world that it takes effect in. */
export interface Place {
  setting(now: number): Setting;
  readonly data: { readonly records: Records };
  readonly schedule: {
    add(dueAt: number, what: { readonly kind: 'instruction'; readonly instruction: Instruction }): void;
  };
  commit(writes: readonly Write[]): void;
  /** Notes the text of the body that an instruction's entries stand in. */
  noteSource(instruction: Instruction, source: string): void;
}

/** What is to take effect. */
export interface Execution {
  readonly operationId: OperationId;
  readonly operation: Operation;
  readonly mode: 'sync' | 'async';
  readonly requestId: string;
  /** The project's clock in milliseconds. */
  readonly now: number;
  /** The entries that the contract let through. */
  readonly task: Task;
  /** Those that it did not. */
  readonly refused: readonly PlannedFailure[];
  readonly plan: Pick<Plan, 'refused' | 'failed' | 'callbackRules'>;
  readonly processingMs: number;
  /** The body's text, where it holds the entries as they are to be stored. */
  readonly source: string | undefined;
}

/** What came of it: the outcome for the result, or the problem where the result has no list of failures. */
export type Executed =
  | { readonly outcome: Outcome; readonly warnings: readonly string[] }
  | { readonly problem: Problem };

/** Carries a request out or accepts it; changes the world before it returns, and never waits. */
export function execute(world: Place, execution: Execution): Executed {
  const left = execution.plan.refused ? withoutRefused(execution, execution.plan.refused) : execution;
  if ('problem' in left) return left;
  return left.mode === 'async' ? accept(world, left) : carryOutNow(world, left);
}

/** What is left once a scenario has refused these entries, by their numbers. */
function withoutRefused(
  execution: Execution,
  reasons: ReadonlyMap<number, string>,
): Execution | Extract<Executed, { problem: Problem }> {
  const { operation, task } = execution;
  const refused: PlannedFailure[] = [];
  const entries: Entry[] = [];
  for (const entry of task.entries) {
    const reason = reasons.get(entry.item);
    if (reason === undefined) entries.push(entry);
    else refused.push({ order: entry.item, id: entry.id, reason });
  }
  if (refused.length > 0 && !operation.listsFailures) {
    return { problem: { kind: 'invalid', message: refused[0]?.reason ?? '' } };
  }
  return { ...execution, task: { ...task, entries }, refused: [...execution.refused, ...refused] };
}

function accept(
  world: Place,
  { operation, operationId, requestId, now, task, refused, plan, processingMs, source }: Execution,
): Executed {
  const outcome = toOutcome(world, operation, world.setting(now), task, task.entries, refused);
  const base = { requestId, operation: operationId, callbackRules: plan.callbackRules };
  for (const { afterMs, instruction } of toInstructions(base, task, plan.failed, processingMs)) {
    if (instruction.task.entries.length + instruction.failures.length + (instruction.task.routes?.length ?? 0) === 0)
      continue;
    world.schedule.add(now + afterMs, { kind: 'instruction', instruction });
    if (source !== undefined) world.noteSource(instruction, source);
  }
  return { outcome, warnings: [] };
}

function carryOutNow(world: Place, { operation, now, task, refused, plan, source }: Execution): Executed {
  const { failed } = plan;
  const failing = failed ? task.entries.filter((entry) => failed.has(entry.item)) : [];
  if (failing[0] && !operation.listsFailures) {
    return { problem: { kind: 'downstream', message: failed?.get(failing[0].item)?.reason ?? '' } };
  }
  const planned = failing.map(({ item, id }) => ({ order: item, id, reason: failed?.get(item)?.reason ?? '' }));
  const left =
    planned.length === 0 ? task : { ...task, entries: task.entries.filter((entry) => !failed?.has(entry.item)) };
  const setting = world.setting(now);
  const { writes, failures, warnings } = operation.action(readsOf(world.data.records), left, setting);
  const [first] = failures;
  if (first && !operation.listsFailures) return { problem: { kind: first.kind, message: first.reason } };
  world.commit(toUnread(writes, left.entries, operation, source));
  const done = withoutFailed(left.entries, failures);
  return { outcome: toOutcome(world, operation, setting, task, done, [...refused, ...planned, ...failures]), warnings };
}

/** A place that is the same and that nothing changes: what would be answered, without its effect. */
export function toRehearsal({ data, setting }: Place): Place {
  return { data, setting, schedule: { add: () => undefined }, commit: () => undefined, noteSource: () => undefined };
}

function withoutFailed(entries: readonly Entry[], failures: readonly Failure[]): readonly Entry[] {
  if (failures.length === 0) return entries;
  const items = new Set(failures.map(({ order }) => order));
  const routes = new Set(failures.map(({ route }) => route));
  return entries.filter(({ item, route }) => !items.has(item) && (route === undefined || !routes.has(route)));
}

function toOutcome(
  world: Place,
  operation: Operation,
  { trackingId }: Setting,
  task: Task,
  taken: readonly Entry[],
  failures: readonly PlannedFailure[],
): Outcome {
  const id = task.entries[0]?.id ?? '';
  if (!operation.listsFailures) return { accepted: [], failed: [], id };
  const kind = operation.collection === 'orders' ? 'orders' : 'jobs';
  const field = kind === 'orders' ? 'trackId' : 'trackingId';
  const stored = world.data.records[kind];
  const isImport = creates(operation);
  const accepted = taken.map((entry): Accepted => {
    const existing = isImport ? undefined : stored.get(entry.id);
    const own = entry.value[field] ?? existing?.[field];
    const tracking = typeof own === 'string' ? own : trackingId(kind, entry.id);
    // An update by the URL of another subproject leaves the record where it is.
    const kept = existing?.['subProjectId'];
    const subProjectId = entry.value['subProjectId'] ?? kept ?? task.subProjectId;
    return typeof subProjectId === 'string'
      ? { orderNumber: entry.id, subProjectId, trackingId: tracking }
      : { orderNumber: entry.id, trackingId: tracking };
  });
  return { accepted, failed: inOrder(failures), id };
}
