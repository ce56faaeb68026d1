/**
 * The way of a deferred command, in the order of the functions below: when it is due it is applied to the records, its
 * failures raise a callback, the callback is scheduled, an attempt sends it, and the result settles it or schedules the
 * next attempt.
 */
import { type AttemptOptions, type Attempts, createAttempts } from '../callbacks/attempts.ts';
import {
  type Callback,
  createCallback,
  dropEnded,
  type Endpoint,
  isCompletion,
  type NewCallback,
  type Trigger,
} from '../callbacks/callback.ts';
import { createExtraDeliveries, type ExtraDeliveries } from '../callbacks/extra-deliveries.ts';
import type { CallbackFormat } from '../callbacks/format.ts';
import { addToGroup, type CallbackFaultRule, releaseGroup } from '../callbacks/groups.ts';
import { type GoneReason, Listener } from '../callbacks/listener.ts';
import { isDelivered, isEndpointGone, nextAttempt } from '../callbacks/retry.ts';
import type { DeliveryResult } from '../callbacks/send.ts';
import { rateOf } from '../lib/clock.ts';
import type { Warning } from '../lib/problem.ts';
import type { WallClock } from '../lib/time.ts';
import { toTimestamp } from '../lib/time.ts';
import type { ActionContext } from '../operations/command.ts';
import type { Applied } from '../records/applied.ts';
import { toRecordReader } from '../records/records.ts';
import type { RuleCounts } from '../scenarios/counts.ts';
import type { WorkDone } from './advance-log.ts';
import type { ChangeRecorder } from './change-recorder.ts';
import { applyCommand, type RaisedCallback } from './commands/apply-command.ts';
import { copyEntries, type DeferredCommand } from './commands/deferred-command.ts';
import type { RunResult } from './schedule.ts';
import { type DueWork, isCommandDue, type ProjectState } from './state.ts';

type AttemptDue = Extract<DueWork, { kind: 'attempt' }>;

export interface RunnerEvents {
  /** Called after a deferred command of a request was applied, which is after its response. */
  commandApplied(requestId: string, applied: Applied, warnings: readonly Warning[]): void;
  /** Called when a rule fires on a callback. `change` is the number of the change that raised the callback. */
  ruleFired?(change: number): void;
  /** Returns the counts of rules over all projects. */
  serverCounts(): RuleCounts;
}

export interface DeliveryOptions extends AttemptOptions {
  readonly format: CallbackFormat;
  /** Delays before the retries of a callback, in milliseconds. */
  readonly retriesMs: readonly number[];
  /** Timeout of an attempt, in milliseconds. The sender has its own. */
  readonly timeoutMs: number;
}

interface Deps extends DeliveryOptions {
  readonly projectId: string;
  /** The project's id as the API has it. */
  readonly projectName: string;
  readonly seed: string;
  readonly wall: WallClock;
  readonly state: () => ProjectState;
  readonly changes: Omit<ChangeRecorder, 'cancelPending'>;
  readonly events: RunnerEvents;
  readonly schedule: {
    /** The project's current time, in milliseconds. */
    now(): number;
    add(dueAt: number, what: DueWork): void;
    /** Sets the timer again after the list of due work was changed. */
    rearm(): void;
  };
  actionContext(now: number): ActionContext;
  /** Called after due work has run, except for releases of groups. */
  worked?(work: WorkDone): void;
}

export interface CommandRunner extends Pick<ExtraDeliveries, 'redeliver'> {
  /** Runs one due item at the project's time `now`. Returns a promise if something is sent. */
  run(what: DueWork, now: number): RunResult | Promise<RunResult>;
  /** Creates a callback without a request. `requestId`: the id that it names. */
  trigger(trigger: Trigger, requestId: string, now: number): Callback;
  /** Redelivers a callback when it is its turn among the attempts that are due, if `mayStart` says so then. */
  redeliverInTurn(callback: Callback, mayStart: () => boolean): Promise<void>;
  readonly countAttempts: Attempts['count'];
  /** The client that answers attempts in place of a callback URL. */
  readonly listener: Listener;
  /** Resolves when nothing is being sent. */
  settled(): Promise<void>;
  /** Cancels what is being sent. Nothing is sent or recorded afterwards. `reason`: why the listener is gone. */
  dispose(reason: GoneReason | undefined): void;
}

export function createCommandRunner(deps: Deps): CommandRunner {
  const { projectId, projectName, seed, wall, retriesMs, state, schedule, changes, events } = deps;
  const listener = new Listener(deps);
  const endpoint = (): Endpoint | undefined => listener.endpointOr(state().endpoint);
  const attempts = createAttempts({ ...deps, listener, endpoint, now: schedule.now, beforeSend: changes.beforeSend });
  const extra = createExtraDeliveries({
    attempts,
    endpoint,
    enabledEndpoint,
    cancelScheduled,
    changed: changes.callback,
  });

  function run(what: DueWork, now: number): RunResult | Promise<RunResult> {
    changes.begin();
    switch (what.kind) {
      case 'deferredCommand':
        runCommand(what.deferredCommand, now);
        return { processed: 1, delivered: 0 };
      case 'release':
        release(what, now);
        return { processed: 0, delivered: 0 };
      case 'attempt': {
        const { callbackId: id, isCopy } = what;
        const deliver = isCopy ? () => extra.copy(state().callbacks.get(id)) : () => attempt(id);
        const before = state().callbacks.get(id)?.attempts.length ?? 0;
        return attempts.inTurn(id, deliver).then((delivered) => {
          reportAttempt(what, before, now);
          return { processed: 0, delivered: delivered ? 1 : 0 };
        });
      }
      default:
        return what satisfies never;
    }
  }

  /** Reports the attempt that due work has made, if it has made one. */
  function reportAttempt({ callbackId, isCopy }: AttemptDue, before: number, at: number): void {
    const callback = state().callbacks.get(callbackId);
    const cause = isCopy ? 'copy' : 'schedule';
    const made = callback?.attempts.slice(before).find((one) => one.cause === cause);
    if (!callback || !made) return;
    const { requestId, operation } = callback;
    const { status, error } = made;
    const result = { ...(status !== undefined && { status }), ...(error !== undefined && { error }) };
    deps.worked?.({ kind: 'callback', at, callbackId, requestId, operation, ...result });
  }

  function runCommand(accepted: DeferredCommand, now: number): void {
    const bytes = changes.release(accepted);
    // A write of the project file may still read the original entries.
    const deferred = changes.isStored ? copyEntries(accepted) : accepted;
    const { records, ruleCounts: counts, clock } = state();
    const server = { counts: events.serverCounts(), wallMs: wall.now(), clockRate: rateOf(clock) };
    const context = { counts, server, now, nextChange: changes.nextNumber };
    const reader = toRecordReader(records);
    const applied = applyCommand(deferred, reader, deps.actionContext(now), context, deps.format);
    const { writes, warnings, raised, failed } = applied;
    const { requestId, operation, command, failures } = deferred;
    const entries = command.entries.length + failures.length;
    deps.worked?.({ kind: 'command', at: now, operation, requestId, entries, failed: failed.length });
    const replacement = changes.commit(writes, bytes);
    for (const { rule, change } of raised) if (rule?.countsCallbacks) events.ruleFired?.(change);
    for (const one of raised) raise({ ...one, fault: one.rule?.fault }, now);
    events.commandApplied(requestId, { ...replacement, atMs: now, failed }, warnings);
  }

  /** Creates a callback that reports entries. */
  function raise({ rule, ...raised }: RaisedCallback & Pick<NewCallback, 'fault'>, now: number): Callback {
    const { callbacks, forkedFrom } = state();
    // A fork applies commands of its original, and a project of two regions has one name: a receiver of both must not
    // take their callbacks for the same.
    const ownSeed = forkedFrom || projectName !== projectId ? `${seed}/${projectId}` : seed;
    const callback = createCallback({ seed: ownSeed, projectId: projectName, atMs: now, ...raised });
    callbacks.set(callback.id, callback);
    changes.dropCallbacks(dropEnded(callbacks));
    if (callback.state === 'scheduled') scheduleFirst(callback, rule, now);
    changes.callback(callback);
    return callback;
  }

  function trigger(
    { type, failed, operation, data, forge, copies }: Trigger,
    requestId: string,
    now: number,
  ): Callback {
    const fault = { delayMs: 0, ...(forge && { signature: forge }), ...(copies !== undefined && { copies }) };
    const raised = {
      ...({ type, operation, requestId, change: changes.nextNumber(), triggered: true, rule: undefined } as const),
      ...(isCompletion(type) ? { failed: [], succeeded: failed.map(({ id }) => ({ id })) } : { failed }),
      subProjectId: undefined,
      fault: forge || (copies ?? 1) > 1 ? fault : undefined,
      ...(data && { extra: data }),
    };
    return raise(raised, now);
  }

  /** Schedules a new callback: immediately, delayed, or together with the others of its group. */
  function scheduleFirst(callback: Callback, rule: CallbackFaultRule | undefined, now: number): void {
    const { order, delayMs = 0 } = rule?.fault ?? {};
    if (!rule || !order) {
      scheduleAttempts(callback, now + delayMs);
      return;
    }
    const created = addToGroup(state(), callback, order, rule, now);
    if (created) schedule.add(created.releaseAt, { kind: 'release', group: rule.key });
  }

  function release(what: Extract<DueWork, { kind: 'release' }>, now: number): void {
    // A callback raised at this same time belongs to the group, so the commands that are due run first.
    if (isCommandDue(state().due, now)) schedule.add(now, what);
    else for (const callback of releaseGroup(state(), what.group)) scheduleAttempts(callback, now);
  }

  function scheduleAttempts({ id, copiesLeft }: Callback, dueAt: number): void {
    schedule.add(dueAt, { kind: 'attempt', callbackId: id });
    for (let copy = 0; copy < copiesLeft; copy += 1) {
      schedule.add(dueAt, { kind: 'attempt', callbackId: id, isCopy: true });
    }
  }

  /** Makes the attempt that is due. Returns whether the callback was delivered. */
  async function attempt(callbackId: string): Promise<boolean> {
    const callback = state().callbacks.get(callbackId);
    if (callback?.state !== 'scheduled' || attempts.isCancelled()) return false;
    const target = enabledEndpoint();
    const startedAt = schedule.now();
    const made = await attempts.make('schedule', callback, target, callback.fault ?? {});
    if (attempts.isCancelled()) return false;
    callback.attempts.push(made.attempt);
    callback.tries += 1;
    settle(callback, made.result, target, startedAt);
    changes.callback(callback);
    return !made.result || isDelivered(made.result);
  }

  /** Returns the endpoint for due callbacks, or undefined if they go into the inbox. */
  function enabledEndpoint(): Endpoint | undefined {
    const current = endpoint();
    return current?.disabled === false ? current : undefined;
  }

  /** Ends the callback, or schedules its next attempt. */
  function settle(
    callback: Callback,
    result: DeliveryResult | undefined,
    target: Endpoint | undefined,
    startedAt: number,
  ): void {
    // A callback that was redelivered or cancelled during the attempt has ended already.
    const hasEnded = callback.state !== 'scheduled';
    if (!result) callback.state = hasEnded ? callback.state : 'inbox';
    else if (isDelivered(result)) callback.state = 'delivered';
    else if (!hasEnded) {
      if (isEndpointGone(result) && target && endpoint() === target) target.disabled = true;
      scheduleRetry(callback, result, startedAt);
    }
  }

  function scheduleRetry(callback: Callback, outcome: DeliveryResult, startedAt: number): void {
    const clockRate = rateOf(state().clock);
    const made = { attempt: callback.tries, atMs: startedAt, clockRate };
    const next = nextAttempt({ ...made, retriesMs, outcome, wallMs: wall.now() });
    if (next === undefined) {
      callback.state = 'failed';
      return;
    }
    callback.dueAt = toTimestamp(next);
    schedule.add(next, { kind: 'attempt', callbackId: callback.id });
  }

  /** Cancels the next attempt of a callback. Copies are still sent. */
  function cancelScheduled(callbackId: string): void {
    state().due.removeWhere(({ what }) => what.kind === 'attempt' && !what.isCopy && what.callbackId === callbackId);
    schedule.rearm();
  }

  return {
    run,
    trigger,
    redeliver: (callback) => attempts.immediately(callback.id, () => extra.redeliver(callback)),
    redeliverInTurn: async (callback, mayStart) => {
      await attempts.inTurn(callback.id, async () => {
        if (attempts.isCancelled() || !mayStart()) return false;
        await extra.redeliver(callback);
        return true;
      });
    },
    countAttempts: attempts.count,
    listener,
    settled: attempts.settled,
    dispose: (reason) => {
      attempts.cancel();
      listener.end(reason);
    },
  };
}
