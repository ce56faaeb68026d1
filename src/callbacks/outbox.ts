/** Delivers one project's callbacks to its endpoint or into its inbox. The schedule decides when. */
import { createSlices } from '../lib/slices.ts';
import type { WallClock } from '../lib/time.ts';
import { toTimestamp } from '../lib/time.ts';
import type { Attempt, AttemptCause, Callback, Endpoint } from './callback.ts';
import { type SendFaults, signFaulty, toSent } from './callback-faults.ts';
import { isDelivered, isEndpointGone, nextAttempt } from './retry.ts';
import { type DeliveryResult, describeError, type Sender } from './send.ts';
import { defaultSecret } from './signature.ts';

interface Parts {
  readonly callbacks: () => ReadonlyMap<string, Callback>;
  readonly endpoint: () => Endpoint | undefined;
  readonly sender: Pick<Sender, 'send'>;
  readonly wall: WallClock;
  readonly retriesMs: readonly number[];
  readonly concurrency: number;
  /** The project's current time, in milliseconds. */
  now(): number;
  /** Schedules the next attempt of a callback. */
  plan(callbackId: string, dueAt: number): void;
  /** Cancels the next attempt. Copies are still sent. */
  cancelPlanned(callbackId: string): void;
  /** Called after every change of a callback. */
  changed(callback: Callback): void;
}

export interface Outbox {
  /** Makes the attempt that is due, after earlier ones. Returns whether the callback was delivered. */
  attempt(callbackId: string): Promise<boolean>;
  /** Sends a copy that is due. A copy uses no retry and is not retried. Returns whether it was delivered. */
  copy(callbackId: string): Promise<boolean>;
  /** Sends a callback at once, independent of the clock and its state. Returns undefined if no endpoint is set. */
  redeliver(callback: Callback): Promise<Attempt | undefined>;
  /** Returns the number of attempts, including those in progress. Compare this with limits. */
  countAttempts(callback: Callback): number;
  /** Resolves when nothing is being sent. */
  settled(): Promise<void>;
  /** Cancels what is being sent. Nothing is sent or recorded afterwards. */
  dispose(): void;
}

/** Creates an outbox that sends at most `concurrency` callbacks at a time, in the order in which they are due. */
export function createOutbox(parts: Parts): Outbox {
  const { callbacks, endpoint, sender, wall, retriesMs, now, plan, cancelPlanned, changed } = parts;
  const cancel = new AbortController();
  const taskQueue = createTaskQueue(parts.concurrency, wall);
  const attemptsInProgress = new Map<string, number>();

  /** Counts an attempt from its start, so that parallel attempts cannot exceed a limit together. */
  async function counted<T>(id: string, run: () => Promise<T>): Promise<T> {
    attemptsInProgress.set(id, (attemptsInProgress.get(id) ?? 0) + 1);
    try {
      return await run();
    } finally {
      const remaining = (attemptsInProgress.get(id) ?? 0) - 1;
      if (remaining > 0) attemptsInProgress.set(id, remaining);
      else attemptsInProgress.delete(id);
    }
  }

  async function makeAttempt(
    cause: AttemptCause,
    callback: Callback,
    target: Endpoint | undefined,
    faults: SendFaults,
  ): Promise<{ attempt: Attempt; outcome?: DeliveryResult }> {
    let at = toTimestamp(now());
    let sent = '';
    let headers: Attempt['headers'] = { 'content-type': 'application/json' };
    try {
      sent = toSent(callback.body, faults);
      const secret = target?.secret ?? endpoint()?.secret ?? defaultSecret;
      const signature = await signFaulty({ secret, id: callback.id, atMs: wall.now(), body: sent }, faults);
      headers = { ...headers, ...signature };
      at = toTimestamp(now());
      if (!target) return { attempt: { at, cause, headers, sent } };
      const outcome = await sender.send({ url: target.url, headers, body: sent, signal: cancel.signal });
      return { attempt: { at, cause, ...toResult(outcome), headers, sent }, outcome };
    } catch (error) {
      // For example, a package cannot be loaded. The attempt fails and is retried, so that the callback is not lost.
      const outcome = { error: describeError(error, 0) };
      return { attempt: { at, cause, ...outcome, headers, sent }, outcome };
    }
  }

  /** Returns the endpoint for due callbacks, or undefined if they go into the inbox. */
  function enabledEndpoint(): Endpoint | undefined {
    const current = endpoint();
    return current?.disabled === false ? current : undefined;
  }

  async function attempt(callbackId: string): Promise<boolean> {
    const callback = callbacks().get(callbackId);
    if (callback?.state !== 'scheduled' || cancel.signal.aborted) return false;
    const target = enabledEndpoint();
    const startedAt = now();
    const result = await makeAttempt('schedule', callback, target, callback.disturbance ?? {});
    if (cancel.signal.aborted) return false;
    callback.attempts.push(result.attempt);
    callback.tries += 1;
    if (!isScheduled(callback)) recordLate(callback, result.outcome);
    else if (!result.outcome) callback.state = 'inbox';
    else settle(callback, result.outcome, startedAt, target);
    changed(callback);
    return !result.outcome || isDelivered(result.outcome);
  }

  async function copy(callbackId: string): Promise<boolean> {
    const callback = callbacks().get(callbackId);
    if (!callback || callback.copiesLeft === 0 || cancel.signal.aborted) return false;
    const target = enabledEndpoint();
    // A receiver that responded with 410 ended this callback, so the copy does not go into the inbox.
    const result =
      target || callback.state !== 'failed'
        ? await makeAttempt('copy', callback, target, callback.disturbance ?? {})
        : undefined;
    if (cancel.signal.aborted) return false;
    // The copies may have been cancelled meanwhile.
    if (callback.copiesLeft > 0) callback.copiesLeft -= 1;
    if (!result) return false;
    callback.attempts.push(result.attempt);
    if (!result.outcome) {
      if (isScheduled(callback)) endCallback(callback, 'inbox');
    } else if (target) recordUnscheduled(callback, result.outcome, target);
    changed(callback);
    return !result.outcome || isDelivered(result.outcome);
  }

  /** Records the outcome of an attempt during which its callback was redelivered or cancelled. */
  function recordLate(callback: Callback, outcome: DeliveryResult | undefined): void {
    if (outcome && isDelivered(outcome)) callback.state = 'delivered';
  }

  function settle(callback: Callback, outcome: DeliveryResult, atMs: number, target: Endpoint | undefined): void {
    if (isEndpointGone(outcome) && target && endpoint() === target) target.disabled = true;
    if (isDelivered(outcome)) {
      callback.state = 'delivered';
      return;
    }
    const next = nextAttempt({ attempt: callback.tries, atMs, retriesMs, outcome, wallMs: wall.now() });
    if (next === undefined) {
      callback.state = 'failed';
      return;
    }
    callback.dueAt = toTimestamp(next);
    plan(callback.id, next);
  }

  async function redeliver(callback: Callback): Promise<Attempt | undefined> {
    const target = endpoint();
    if (!target) return undefined;
    const { attempt: redelivery, outcome } = await makeAttempt('redelivery', callback, target, {});
    if (cancel.signal.aborted) return redelivery;
    callback.attempts.push(redelivery);
    if (outcome) recordUnscheduled(callback, outcome, target);
    changed(callback);
    return redelivery;
  }

  /** Records the outcome of a copy or a redelivery. */
  function recordUnscheduled(callback: Callback, outcome: DeliveryResult, target: Endpoint): void {
    if (isEndpointGone(outcome)) {
      if (endpoint() === target) target.disabled = true;
      if (isScheduled(callback)) endCallback(callback, 'failed');
    }
    if (isDelivered(outcome)) endCallback(callback, 'delivered');
  }

  /** Ends a callback, so that it is not retried. */
  function endCallback(callback: Callback, state: 'delivered' | 'failed' | 'inbox'): void {
    if (isScheduled(callback)) cancelPlanned(callback.id);
    callback.state = state;
  }

  return {
    attempt: (id) => taskQueue.run(() => counted(id, () => attempt(id))),
    copy: (id) => taskQueue.run(() => counted(id, () => copy(id))),
    redeliver: (callback) => counted(callback.id, () => redeliver(callback)),
    countAttempts: ({ id, attempts }) => attempts.length + (attemptsInProgress.get(id) ?? 0),
    settled: () => taskQueue.idle(),
    dispose: () => cancel.abort(),
  };
}

function isScheduled({ state }: Callback): boolean {
  return state === 'scheduled';
}

function toResult(outcome: DeliveryResult): { status: number } | { error: string } {
  return 'error' in outcome ? { error: outcome.error } : { status: outcome.status };
}

interface TaskQueue {
  run<T>(command: () => Promise<T>): Promise<T>;
  idle(): Promise<void>;
}

/** Minimum number of started tasks before they are removed from the queue, because removal moves the others. */
const minStarted = 1024;

/**
 * Runs at most `width` tasks at a time, in order. If tasks complete without waiting, yields to other work now and then.
 */
function createTaskQueue(width: number, wall: WallClock): TaskQueue {
  let waiting: (() => void)[] = [];
  /** Number of tasks at the front of `waiting` that have started. */
  let started = 0;
  const idleListeners: (() => void)[] = [];
  let running = 0;
  let slices = createSlices(wall);

  function takeNext(): (() => void) | undefined {
    const next = waiting[started];
    started += 1;
    if (started < waiting.length && started < Math.max(minStarted, waiting.length / 2)) return next;
    waiting = waiting.slice(started);
    started = 0;
    return next;
  }

  async function run<T>(command: () => Promise<T>): Promise<T> {
    if (running >= width) await new Promise<void>((resolve) => waiting.push(resolve));
    else {
      if (running === 0) slices = createSlices(wall);
      running += 1;
    }
    try {
      return await command();
    } finally {
      const next = takeNext();
      if (!next) running -= 1;
      else if (slices.isOver()) void slices.next().then(next);
      else next();
      if (running === 0) for (const notify of idleListeners.splice(0)) notify();
    }
  }
  return {
    run,
    idle: () => (running === 0 ? Promise.resolve() : new Promise((notify) => idleListeners.push(notify))),
  };
}
