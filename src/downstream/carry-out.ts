/** Carries an accepted instruction out: runs its action, gathers what failed, and says what to tell of it. */
import type { Callback, FailedEntry } from '../callbacks/callback.ts';
import { operations } from '../operations/index.ts';
import type { Failure, Setting } from '../operations/task.ts';
import { countOf, isInRange, type RuleCounts } from '../scenarios/decide.ts';
import type { CallbackRule } from '../scenarios/effects/effect.ts';
import type { Reads, Write } from '../store/records.ts';
import type { Instruction, PlannedFailure } from './instruction.ts';

/** What is to be told by callback, and how much later. */
interface Raised {
  readonly requestId: string;
  readonly operation: string;
  readonly type: Callback['type'];
  readonly subProjectId: string | undefined;
  readonly failed: readonly FailedEntry[];
  readonly delayMs: number;
}

interface CarriedOut {
  readonly writes: readonly Write[];
  readonly warnings: readonly string[];
  /** undefined where nothing failed: then nothing is told. */
  readonly raised: Raised | undefined;
}

/** Runs one instruction against the records. Counts the rules that disturb its callback, if it has one. */
export function carryOut(instruction: Instruction, reads: Reads, setting: Setting, counts: RuleCounts): CarriedOut {
  const operation = operations[instruction.operation];
  const { writes, failures, warnings } = operation.action(reads, instruction.task, setting);
  const failed = inOrder([...failures, ...instruction.failures]);
  if (failed.length === 0 || !operation.tells) return { writes, warnings, raised: undefined };
  return {
    writes,
    warnings,
    raised: {
      requestId: instruction.requestId,
      operation: instruction.operation,
      type: operation.tells,
      subProjectId: instruction.task.subProjectId,
      failed,
      delayMs: claimDelay(instruction.callbackRules, counts),
    },
  };
}

/** Failures in the request's order, as a client is told of them. */
export function inOrder(failures: readonly (Failure | PlannedFailure)[]): readonly FailedEntry[] {
  return failures.toSorted((a, b) => a.order - b.order).map(({ id, reason }) => ({ id, reason }));
}

/** The delay of the first rule that fits. Those that count callbacks do so here, whoever wins; others did at acceptance. */
function claimDelay(rules: readonly CallbackRule[], counts: RuleCounts): number {
  let delayMs: number | undefined;
  for (const rule of rules) {
    if (!rule.countsCallbacks) {
      delayMs ??= rule.delayMs;
      continue;
    }
    const count = countOf(counts, rule.key);
    count.met += 1;
    if (delayMs !== undefined || !isInRange(rule.request, count.met)) continue;
    if (rule.times !== undefined && count.acted >= rule.times) continue;
    count.acted += 1;
    delayMs = rule.delayMs;
  }
  return delayMs ?? 0;
}
