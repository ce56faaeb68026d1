/**
 * Defines deferred commands: what an asynchronous operation has accepted and applies later, as a serialisable value.
 */
import type { FailedEntry } from '../../callbacks/callback.ts';
import type { Cause } from '../../lib/problem.ts';
import type { TraceContext } from '../../lib/trace.ts';
import type { Command, Entry, Failure } from '../../operations/command.ts';
import type { OperationId } from '../../operations/index.ts';
import type { Applied } from '../../records/records.ts';
import type { CallbackRule } from '../../scenarios/effects/effect.ts';

/** An entry that a scenario makes fail. A callback reports it together with the other failures of the same time. */
export interface PlannedFailure {
  readonly order: number;
  readonly id: string;
  readonly reason: string;
  /** Undefined if a scenario makes it fail. */
  readonly cause?: Cause | undefined;
}

/** All entries of an accepted request that are due at the same time. */
export interface DeferredCommand {
  readonly requestId: string;
  readonly operation: OperationId;
  readonly command: Command;
  readonly failures: readonly PlannedFailure[];
  readonly callbackRules: readonly CallbackRule[];
  /** The trace of the request. */
  readonly trace?: TraceContext;
}

/** Copies a command, because applying it changes the entries while others may still read the original. */
export function copyEntries(deferred: DeferredCommand): DeferredCommand {
  const { command } = deferred;
  const entries = command.entries.map((entry) => ({ ...entry, value: { ...entry.value } }));
  return { ...deferred, command: { ...command, entries } };
}

/** Returns how many callbacks a command may become; at least one. With `perEntry`, each entry may have one. */
export function countCallbacks(
  { command, failures }: Pick<DeferredCommand, 'command' | 'failures'>,
  perEntry: boolean,
): number {
  return perEntry ? Math.max(1, command.entries.length + (command.routes?.length ?? 0) + failures.length) : 1;
}

/** The entries that a scenario makes fail, by their numbers. Some have their own time. */
type PlannedFailures = ReadonlyMap<number, { readonly reason: string; readonly afterMs?: number }>;

/** Splits the accepted entries by the time they are due. */
export function toDeferredCommands(
  base: Omit<DeferredCommand, 'failures' | 'command'>,
  command: Command,
  planned: PlannedFailures | undefined,
  processingMs: number,
): readonly { readonly afterMs: number; readonly deferredCommand: DeferredCommand }[] {
  // V8 adds fields to a copy this way several times as fast as after a spread.
  const defer = (own: Command, failures: readonly PlannedFailure[]): DeferredCommand =>
    Object.assign({}, base, { failures, command: own });
  if (!planned) return [{ afterMs: processingMs, deferredCommand: defer(command, []) }];
  const remaining: Entry[] = [];
  const failures = new Map<number, PlannedFailure[]>([[processingMs, []]]);
  for (const entry of command.entries) {
    const plan = planned.get(entry.item);
    if (!plan) {
      remaining.push(entry);
      continue;
    }
    const afterMs = plan.afterMs ?? processingMs;
    const group = failures.get(afterMs) ?? [];
    failures.set(afterMs, group);
    group.push({ order: entry.item, id: entry.id, reason: plan.reason });
  }
  return [...failures].map(([afterMs, failed]) => ({
    afterMs,
    deferredCommand: defer(
      afterMs === processingMs ? { ...command, entries: remaining } : { ...command, entries: [], routes: [] },
      failed,
    ),
  }));
}

/** Returns how many deferred commands the entries become, at most: one for each time at which some are due. */
export function countDeferred(command: Command, planned: PlannedFailures | undefined, processingMs: number): number {
  if (!planned) return 1;
  const times = new Set(command.entries.map(({ item }) => planned.get(item)?.afterMs ?? processingMs));
  if (command.routes?.length) times.add(processingMs);
  return times.size;
}

/** Returns failures in the order of the request's entries. */
export function sortFailures(failures: readonly (Failure | PlannedFailure)[]): Applied['failed'] {
  return failures
    .toSorted((a, b) => a.order - b.order)
    .map(({ id, reason, cause }) => ({ id, reason, ...(cause && { cause }) }));
}

/** Returns failures as clients receive them. */
export function withoutCauses(failed: Applied['failed']): readonly FailedEntry[] {
  return failed.map(({ id, reason }) => ({ id, reason }));
}
