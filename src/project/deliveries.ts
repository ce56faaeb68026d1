/**
 * Delivers the callbacks of a project, in the order of the methods: a callback is raised and scheduled, an attempt sends
 * it, and the result ends it or schedules the next attempt. Copies and redeliveries do not count as tries.
 */
import pLimit from 'p-limit';
import {
  type Attempt,
  type AttemptCause,
  type Callback,
  createCallback,
  dropEnded,
  type Endpoint,
  isCompletion,
  type NewCallback,
  type ReceiverResponse,
  type SendFaults,
  type Trigger,
} from '../callbacks/callback.ts';
import type { CallbackFormat } from '../callbacks/format.ts';
import { signFaulty, toSent } from '../callbacks/format.ts';
import { addToGroup, type CallbackDue, releaseGroup } from '../callbacks/groups.ts';
import { type GoneReason, isListener, Listener } from '../callbacks/listener.ts';
import { isDelivered, isEndpointGone, nextAttempt } from '../callbacks/retry.ts';
import type { DeliveryResult, ReceivedResponse, Sender } from '../callbacks/send.ts';
import { defaultSecret, hideSecret, hideSecretIn } from '../callbacks/signature.ts';
import { rateOf } from '../lib/clock.ts';
import { describeError } from '../lib/describe-error.ts';
import { createSlices, type Slices } from '../lib/slices.ts';
import { toTimestamp, type WallClock } from '../lib/time.ts';
import type { AdvanceLog } from './advance-log.ts';
import type { Changes } from './changes.ts';
import type { RaisedCallback } from './commands/apply-command.ts';
import type { RunResult, Schedule } from './schedule.ts';
import { type DueWork, isCommandDue, type ProjectState } from './state.ts';

export interface DeliveryOptions {
  readonly sender: Pick<Sender, 'send'>;
  /** Maximum number of callbacks that are sent at a time. */
  readonly concurrency: number;
  readonly format: CallbackFormat;
  /** Delays before the retries of a callback, in milliseconds. */
  readonly retriesMs: readonly number[];
  /** Timeout of an attempt, in milliseconds. The sender has its own. */
  readonly timeoutMs: number;
  /** Returns a response as it is stored: its beginning, without what looks like a secret. */
  redactResponse(received: ReceivedResponse): ReceiverResponse;
}

interface Deps extends DeliveryOptions {
  /** The id of the project, and what the API calls it. */
  readonly id: string;
  readonly name: string;
  readonly seed: string;
  readonly wall: WallClock;
  readonly state: ProjectState;
  readonly changes: Changes;
  readonly schedule: Schedule<DueWork>;
  readonly advances: AdvanceLog;
}

type AttemptDue = Extract<CallbackDue, { kind: 'attempt' }>;

/** An attempt, with the result of sending it; without a result, it was stored in the inbox. */
interface MadeAttempt {
  readonly attempt: Attempt;
  readonly result?: DeliveryResult | undefined;
}

/** What is stored instead of a body that cannot be searched for secrets. */
const unsearched = '(omitted: the body is nested too deeply)';

export class Deliveries {
  /** The client that answers attempts in place of a callback URL. */
  readonly listener: Listener;
  readonly #deps: Deps;
  readonly #cancel = new AbortController();
  readonly #limit: ReturnType<typeof pLimit>;
  /** Number of deliveries in progress, by callback. */
  readonly #inProgress = new Map<string, number>();
  /** Number of deliveries that are running or waiting for their turn. */
  #inTurnCount = 0;
  #slices: Slices;
  readonly #settledListeners: (() => void)[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
    this.listener = new Listener(deps);
    this.#limit = pLimit(deps.concurrency);
    this.#slices = createSlices(deps.wall);
  }

  /** Creates a callback that reports entries, and schedules it. */
  raise({ rule, ...raised }: RaisedCallback & Pick<NewCallback, 'fault'>, now: number): Callback {
    const { id, name, seed, state, changes } = this.#deps;
    // A fork applies commands of its original, and a project of two regions has one name: a receiver of both must not
    // take their callbacks for the same.
    const ownSeed = state.forkedFrom || name !== id ? `${seed}/${id}` : seed;
    const callback = createCallback({ seed: ownSeed, projectId: name, atMs: now, ...raised });
    state.callbacks.set(callback.id, callback);
    changes.dropCallbacks(dropEnded(state.callbacks));
    if (callback.state === 'scheduled') this.#scheduleFirst(callback, rule, now);
    changes.callback(callback);
    return callback;
  }

  /** Creates a callback without a request. `requestId`: the id that it names. */
  trigger({ type, failed, operation, data, forge, copies }: Trigger, requestId: string, now: number): Callback {
    const fault = { delayMs: 0, ...(forge && { signature: forge }), ...(copies !== undefined && { copies }) };
    const change = this.#deps.changes.nextNumber();
    const raised = {
      ...({ type, operation, requestId, change, triggered: true, rule: undefined } as const),
      ...(isCompletion(type) ? { failed: [], succeeded: failed.map(({ id }) => ({ id })) } : { failed }),
      subProjectId: undefined,
      fault: forge || (copies ?? 1) > 1 ? fault : undefined,
      ...(data && { extra: data }),
    };
    return this.raise(raised, now);
  }

  /** Schedules a new callback: immediately, delayed, or together with the others of its group. */
  #scheduleFirst(callback: Callback, rule: RaisedCallback['rule'], now: number): void {
    const { order, delayMs = 0 } = rule?.fault ?? {};
    if (!rule || !order) {
      this.#scheduleAttempts(callback, now + delayMs);
      return;
    }
    const created = addToGroup(this.#deps.state, callback, order, rule, now);
    if (created) this.#deps.schedule.add(created.releaseAt, { kind: 'release', group: rule.key });
  }

  /** Schedules the callbacks of a group, whose time has come. */
  release(what: Extract<CallbackDue, { kind: 'release' }>, now: number): void {
    const { state, schedule } = this.#deps;
    // A callback raised at this same time belongs to the group, so the commands that are due run first.
    if (isCommandDue(state.due, now)) schedule.add(now, what);
    else for (const callback of releaseGroup(state, what.group)) this.#scheduleAttempts(callback, now);
  }

  #scheduleAttempts({ id, copiesLeft }: Callback, dueAt: number): void {
    const { schedule } = this.#deps;
    schedule.add(dueAt, { kind: 'attempt', callbackId: id });
    for (let copy = 0; copy < copiesLeft; copy += 1)
      schedule.add(dueAt, { kind: 'attempt', callbackId: id, isCopy: true });
  }

  /** Makes an attempt that is due, when it is its turn. */
  async run(due: AttemptDue, now: number): Promise<RunResult> {
    const { callbackId } = due;
    const made = await this.#inTurn(callbackId, () => this.#attempt(due));
    const callback = this.#deps.state.callbacks.get(callbackId);
    if (!made || !callback) return { processed: 0, delivered: 0 };
    const { requestId, operation } = callback;
    const { status, error } = made.attempt;
    const outcome = { ...(status !== undefined && { status }), ...(error !== undefined && { error }) };
    this.#deps.advances.note({ kind: 'callback', at: now, callbackId, requestId, operation, ...outcome });
    return { processed: 0, delivered: !made.result || isDelivered(made.result) ? 1 : 0 };
  }

  /** Sends a callback at once, whatever its state and the clock. Undefined if no endpoint is set. */
  redeliver(callback: Callback): Promise<Attempt | undefined> {
    return this.#counted(callback.id, () => this.#redeliver(callback));
  }

  /** Redelivers a callback when it is its turn among the attempts that are due, if `mayStart` says so then. */
  async redeliverInTurn(callback: Callback, mayStart: () => boolean): Promise<void> {
    await this.#inTurn(callback.id, async () => {
      if (!this.#isCancelled() && mayStart()) await this.#redeliver(callback);
    });
  }

  /** Whether a callback can be sent again. */
  hasEndpoint(): boolean {
    return this.#endpoint() !== undefined;
  }

  /** Returns the number of attempts of a callback, including those in progress. Compare this with limits. */
  count({ id, attempts }: Callback): number {
    return attempts.length + (this.#inProgress.get(id) ?? 0);
  }

  /** Resolves when nothing is being sent in turn. */
  settled(): Promise<void> {
    return this.#inTurnCount === 0
      ? Promise.resolve()
      : new Promise((notify) => void this.#settledListeners.push(notify));
  }

  /** Cancels what is being sent. Nothing is sent or recorded afterwards. `reason`: why the listener is gone. */
  dispose(reason: GoneReason | undefined): void {
    this.#cancel.abort();
    this.listener.end(reason);
  }

  /**
   * Runs a delivery when it is its turn: at most `concurrency` run at a time, in the order of the calls. If they do not
   * wait for a receiver, other work runs now and then.
   */
  async #inTurn<T>(callbackId: string, deliver: () => Promise<T>): Promise<T> {
    if (this.#inTurnCount === 0) this.#slices = createSlices(this.#deps.wall);
    this.#inTurnCount += 1;
    try {
      return await this.#limit(async () => {
        if (this.#slices.isOver()) await this.#slices.next();
        return await this.#counted(callbackId, deliver);
      });
    } finally {
      this.#inTurnCount -= 1;
      if (this.#inTurnCount === 0) for (const notify of this.#settledListeners.splice(0)) notify();
    }
  }

  /** Counts a delivery from its start, so that parallel ones cannot exceed a limit together. */
  async #counted<T>(id: string, deliver: () => Promise<T>): Promise<T> {
    this.#inProgress.set(id, (this.#inProgress.get(id) ?? 0) + 1);
    try {
      return await deliver();
    } finally {
      const remaining = (this.#inProgress.get(id) ?? 0) - 1;
      if (remaining > 0) this.#inProgress.set(id, remaining);
      else this.#inProgress.delete(id);
    }
  }

  /** Makes the attempt or sends the copy that is due. Returns undefined if it is not wanted any more. */
  async #attempt({ callbackId, isCopy }: AttemptDue): Promise<MadeAttempt | undefined> {
    const callback = this.#deps.state.callbacks.get(callbackId);
    const isWanted = isCopy ? (callback?.copiesLeft ?? 0) > 0 : callback?.state === 'scheduled';
    if (!callback || !isWanted || this.#deps.schedule.hasEnded()) return undefined;
    const endpoint = this.#endpoint();
    const target = endpoint?.disabled === false ? endpoint : undefined;
    // A receiver that responded with 410 ended this callback, so the copy does not go into the inbox.
    if (isCopy && !target && callback.state === 'failed') {
      callback.copiesLeft -= 1;
      this.#deps.changes.callback(callback);
      return undefined;
    }
    const startedAt = this.#deps.schedule.now();
    const made = await this.#make(isCopy ? 'copy' : 'schedule', callback, target, callback.fault ?? {});
    if (this.#isCancelled()) return undefined;
    // The copies may have been cancelled meanwhile.
    if (isCopy && callback.copiesLeft > 0) callback.copiesLeft -= 1;
    this.#record(callback, made, target, startedAt);
    return made;
  }

  async #redeliver(callback: Callback): Promise<Attempt | undefined> {
    const target = this.#endpoint();
    if (!target) return undefined;
    const startedAt = this.#deps.schedule.now();
    const made = await this.#make('redelivery', callback, target, {});
    if (!this.#isCancelled()) this.#record(callback, made, target, startedAt);
    return made.attempt;
  }

  /** Sends a callback, or without a target only signs it, for the inbox. Never throws: an error is the result. */
  async #make(
    cause: AttemptCause,
    callback: Callback,
    target: Endpoint | undefined,
    faults: SendFaults,
  ): Promise<MadeAttempt> {
    const { format, wall, schedule, sender, changes } = this.#deps;
    // Now, because those that run in parallel have ended or begun later.
    const number = this.count(callback);
    let at = toTimestamp(schedule.now());
    let sent = '';
    let headers: Attempt['headers'] = {};
    try {
      const { id, body: content } = callback;
      sent = toSent(format.toBody(id, content), faults);
      const secret = target?.secret ?? this.#endpoint()?.secret ?? defaultSecret;
      // Before it is signed, because receivers reject an old signature.
      if (target) await changes.beforeSend();
      const message = { secret, id, atMs: wall.now(), body: sent, content };
      const signed = { ...callback.trace, ...(await signFaulty(format, message, faults)) };
      headers = hideSecret(signed, secret, format.signature);
      at = toTimestamp(schedule.now());
      if (!target) return { attempt: { at, cause, headers, sent } };
      const { signal } = this.#cancel;
      const delivery = { url: target.url, method: format.method, headers: signed, body: sent, signal } as const;
      const made = { at, cause, ...(isListener(target.url) && { listener: true as const }) };
      const result = made.listener
        ? await this.listener.send({ ...delivery, callbackId: id, number, at })
        : await sender.send({ ...delivery, keepsResponse: true });
      if ('error' in result)
        return { attempt: { ...made, error: hideSecretIn(result.error, secret), headers, sent }, result };
      const response = result.response && this.#toStored(result.response, secret);
      return { attempt: { ...made, status: result.status, headers, sent, ...(response && { response }) }, result };
    } catch (error) {
      // For example, a package cannot be loaded. The attempt fails and is retried, so that the callback is not lost.
      const result = { error: describeError(error) };
      return { attempt: { at, cause, ...result, headers, sent }, result };
    }
  }

  /** Returns a response without secrets. It may repeat the secret that it was sent. */
  #toStored({ headers, body, ...received }: ReceivedResponse, secret: string): ReceiverResponse {
    const { format, redactResponse } = this.#deps;
    const hidden = { headers: hideSecret(headers, secret, format.signature), body: hideSecretIn(body, secret) };
    try {
      return redactResponse({ ...received, ...hidden });
    } catch {
      // The body nests too deeply to be searched. The callback was delivered all the same, so it is not retried.
      return redactResponse({ ...received, ...hidden, body: unsearched });
    }
  }

  /** Records an attempt, and ends the callback or schedules its next attempt. */
  #record(callback: Callback, { attempt, result }: MadeAttempt, target: Endpoint | undefined, startedAt: number): void {
    // A callback that was redelivered or cancelled during the attempt has ended already.
    const hasEnded = callback.state !== 'scheduled';
    const isGone = result !== undefined && isEndpointGone(result);
    callback.attempts.push(attempt);
    if (attempt.cause === 'schedule') callback.tries += 1;
    if (isGone && target && this.#endpoint() === target) target.disabled = true;
    if (result && isDelivered(result)) this.#end(callback, 'delivered', attempt.cause);
    else if (!result && !hasEnded) this.#end(callback, 'inbox', attempt.cause);
    else if (result && !hasEnded && attempt.cause === 'schedule') this.#scheduleRetry(callback, result, startedAt);
    else if (isGone && !hasEnded) this.#end(callback, 'failed', attempt.cause);
    this.#deps.changes.callback(callback, attempt);
  }

  /** Ends a callback, so that it is not retried. Copies are still sent. */
  #end(callback: Callback, state: 'delivered' | 'failed' | 'inbox', cause: AttemptCause): void {
    if (callback.state === 'scheduled' && cause !== 'schedule') {
      this.#deps.state.due.removeWhere(
        ({ what }) => what.kind === 'attempt' && !what.isCopy && what.callbackId === callback.id,
      );
      this.#deps.schedule.rearm();
    }
    callback.state = state;
  }

  #scheduleRetry(callback: Callback, outcome: DeliveryResult, startedAt: number): void {
    const { state, schedule, retriesMs, wall } = this.#deps;
    const made = { attempt: callback.tries, atMs: startedAt, clockRate: rateOf(state.clock) };
    const next = nextAttempt({ ...made, retriesMs, outcome, wallMs: wall.now() });
    if (next === undefined) {
      callback.state = 'failed';
      return;
    }
    callback.dueAt = toTimestamp(next);
    schedule.add(next, { kind: 'attempt', callbackId: callback.id });
  }

  #endpoint(): Endpoint | undefined {
    return this.listener.endpointOr(this.#deps.state.endpoint);
  }

  #isCancelled(): boolean {
    return this.#cancel.signal.aborted;
  }
}
