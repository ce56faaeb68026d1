/** An instruction: what an asynchronous operation has accepted and carries out later, as a serialisable value. */
import type { OperationId } from '../operations/index.ts';
import type { Entry, Task } from '../operations/task.ts';
import type { CallbackRule } from '../scenarios/effects/effect.ts';

/** An entry that a scenario lets fail, told of with the others of the same instant. */
export interface PlannedFailure {
  readonly order: number;
  readonly id: string;
  readonly reason: string;
}

/** One part of what a request was accepted for: all of its entries that are due at one instant. */
export interface Instruction {
  readonly requestId: string;
  readonly operation: OperationId;
  readonly task: Task;
  readonly failures: readonly PlannedFailure[];
  readonly callbackRules: readonly CallbackRule[];
}

/** Splits the accepted entries by the instant they are due: those that a scenario lets fail may have their own. */
export function toInstructions(
  base: Omit<Instruction, 'failures' | 'task'>,
  task: Task,
  planned: ReadonlyMap<number, { readonly reason: string; readonly afterMs?: number }> | undefined,
  processingMs: number,
): readonly { readonly afterMs: number; readonly instruction: Instruction }[] {
  const kept: Entry[] = [];
  const failures = new Map<number, PlannedFailure[]>([[processingMs, []]]);
  for (const entry of task.entries) {
    const plan = planned?.get(entry.item);
    if (!plan) {
      kept.push(entry);
      continue;
    }
    const afterMs = plan.afterMs ?? processingMs;
    const group = failures.get(afterMs) ?? [];
    failures.set(afterMs, group);
    group.push({ order: entry.item, id: entry.id, reason: plan.reason });
  }
  return [...failures].map(([afterMs, failed]) => ({
    afterMs,
    instruction: {
      ...base,
      failures: failed,
      task: afterMs === processingMs ? { ...task, entries: kept } : { ...task, entries: [], routes: [] },
    },
  }));
}
