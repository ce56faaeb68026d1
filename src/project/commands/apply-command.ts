/** Applies a deferred command: runs its action, collects the failures, and returns the callback that reports them. */
import type { FailedEntry, NewCallback } from '../../callbacks/callback.ts';
import { createHash } from '../../lib/random.ts';
import type { ActionContext, Failure } from '../../operations/command.ts';
import { operations } from '../../operations/index.ts';
import type { RecordReader, Write } from '../../records/records.ts';
import { type Counting, claimRule, metBy, recordRuleFiring } from '../../scenarios/counts.ts';
import type { CallbackRule } from '../../scenarios/effects/effect.ts';
import type { DeferredCommand, PlannedFailure } from './deferred-command.ts';

export interface RaisedCallback extends Omit<NewCallback, 'seed' | 'projectId' | 'atMs' | 'disturbance'> {
  readonly rule: CallbackRule | undefined;
}

/** The time at which a command is applied, and the counts that it changes. */
interface Moment extends Counting {
  nextChange(): number;
}

interface AppliedCommand {
  readonly writes: readonly Write[];
  readonly warnings: readonly string[];
  /** Undefined if nothing failed; then there is no callback. */
  readonly raised: RaisedCallback | undefined;
}

/** Applies one command to the records. Counts the rules that change the delivery of its callback, if it has one. */
export function applyCommand(
  command: DeferredCommand,
  reads: RecordReader,
  context: ActionContext,
  moment: Moment,
): AppliedCommand {
  const operation = operations[command.operation];
  const { writes, failures, warnings } = operation.action(reads, command.task, context);
  const failed = sortFailures([...failures, ...command.failures]);
  if (failed.length === 0 || !operation.callbackType) return { writes, warnings, raised: undefined };
  const change = moment.nextChange();
  return {
    writes,
    warnings,
    raised: {
      requestId: command.requestId,
      operation: command.operation,
      type: operation.callbackType,
      subProjectId: command.task.subProjectId,
      failed,
      change,
      rule: claimCallbackRule(command.callbackRules, moment, change),
    },
  };
}

/** Returns failures in the order of the request's entries, as clients receive them. */
export function sortFailures(failures: readonly (Failure | PlannedFailure)[]): readonly FailedEntry[] {
  return failures.toSorted((a, b) => a.order - b.order).map(({ id, reason }) => ({ id, reason }));
}

/**
 * Returns the first rule that applies. Rules that count callbacks are all claimed here, even if an earlier rule
 * applies; other rules were claimed when the request was accepted.
 */
function claimCallbackRule(rules: readonly CallbackRule[], moment: Moment, change: number): CallbackRule | undefined {
  let first: CallbackRule | undefined;
  for (const rule of rules) {
    const applies = !rule.countsCallbacks || claimsTurn(rule, moment);
    if (!applies || first) continue;
    first = rule;
    if (rule.countsCallbacks) recordRuleFiring(rule, moment, change);
  }
  return first;
}

function claimsTurn(rule: CallbackRule, moment: Moment): boolean {
  const { turn, chance, hashed } = rule;
  if (claimRule(rule, turn, moment)) return false;
  return chance === undefined || createHash(...hashed).fraction(`chance:${metBy(rule, moment)}`) < chance;
}
