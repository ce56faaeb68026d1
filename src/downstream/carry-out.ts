/** Carries an accepted instruction out: runs its action, gathers what failed, and says what to tell of it. */

import { createHash } from '../base/random.ts';
import type { Callback, FailedEntry } from '../callbacks/callback.ts';
import { operations } from '../operations/index.ts';
import type { Failure, Setting } from '../operations/task.ts';
import { claimTurn, countOf, noteDeed, type RuleCounts } from '../scenarios/counts.ts';
import type { CallbackRule } from '../scenarios/effects/effect.ts';
import type { Reads, Write } from '../store/records.ts';
import type { Instruction, PlannedFailure } from './instruction.ts';

/** What is to be told by callback. */
export interface Raised {
  readonly requestId: string;
  readonly operation: string;
  readonly type: Callback['type'];
  readonly subProjectId: string | undefined;
  readonly failed: readonly FailedEntry[];
  /** The number of the change of the world that it is. */
  readonly change: number;
  /** The rule that disturbs it. */
  readonly rule: CallbackRule | undefined;
}

/** When an instruction is carried out. */
interface Moment {
  readonly counts: RuleCounts;
  /** The project's clock in milliseconds. */
  readonly now: number;
  /** Numbers a change of the world. */
  nextChange(): number;
}

interface CarriedOut {
  readonly writes: readonly Write[];
  readonly warnings: readonly string[];
  /** undefined where nothing failed: then nothing is told. */
  readonly raised: Raised | undefined;
}

/** Runs one instruction against the records. Counts the rules that disturb its callback, if it has one. */
export function carryOut(instruction: Instruction, reads: Reads, setting: Setting, moment: Moment): CarriedOut {
  const operation = operations[instruction.operation];
  const { writes, failures, warnings } = operation.action(reads, instruction.task, setting);
  const failed = inOrder([...failures, ...instruction.failures]);
  if (failed.length === 0 || !operation.tells) return { writes, warnings, raised: undefined };
  const change = moment.nextChange();
  return {
    writes,
    warnings,
    raised: {
      requestId: instruction.requestId,
      operation: instruction.operation,
      type: operation.tells,
      subProjectId: instruction.task.subProjectId,
      failed,
      change,
      rule: claimRule(instruction.callbackRules, moment, change),
    },
  };
}

/** Failures in the request's order, as a client is told of them. */
export function inOrder(failures: readonly (Failure | PlannedFailure)[]): readonly FailedEntry[] {
  return failures.toSorted((a, b) => a.order - b.order).map(({ id, reason }) => ({ id, reason }));
}

/** The first rule that fits. Those that count callbacks are claimed here, whoever wins; others were at acceptance. */
function claimRule(rules: readonly CallbackRule[], { counts, now }: Moment, change: number): CallbackRule | undefined {
  let first: CallbackRule | undefined;
  for (const rule of rules) {
    const fits = !rule.countsCallbacks || isItsTurn(rule, counts, now);
    if (!fits || first) continue;
    first = rule;
    if (rule.countsCallbacks) noteDeed(counts, rule.key, change);
  }
  return first;
}

function isItsTurn({ key, turn, chance, hashed }: CallbackRule, counts: RuleCounts, now: number): boolean {
  const count = countOf(counts, key);
  if (claimTurn(turn, count, now)) return false;
  return chance === undefined || createHash(...hashed).fraction(`chance:${count.met}`) < chance;
}
