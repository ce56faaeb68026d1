/** Hands one project's callbacks over, to its endpoint or into its inbox; knows when only by being told. */
import type { WallClock } from '../base/time.ts';
import { toTimestamp } from '../base/time.ts';
import type { Attempt, AttemptCause, Callback, Endpoint } from './callback.ts';
import { isDelivered, isGone, nextAttempt } from './retry.ts';
import type { Outcome, Sender } from './send.ts';
import { defaultSecret } from './signature.ts';
import { type Spoiled, signSpoiled, toSent } from './spoil.ts';

interface Parts {
  readonly callbacks: () => ReadonlyMap<string, Callback>;
  readonly endpoint: () => Endpoint | undefined;
  readonly sender: Pick<Sender, 'send'>;
  readonly wall: WallClock;
  readonly retriesMs: readonly number[];
  readonly concurrency: number;
  /** The project's now. */
  now(): number;
  /** Plans the next attempt of a callback. */
  plan(callbackId: string, dueAt: number): void;
  /** Takes that back; its copies still come. */
  unplan(callbackId: string): void;
  /** Told of every change, for those who wait for one. */
  changed(callback: Callback): void;
}

export interface Outbox {
  /** Makes the attempt that is due, after those before it. Whether the callback was taken. */
  attempt(callbackId: string): Promise<boolean>;
  /** Sends a copy that is due. It uses up no retry and is never tried again. Whether it was taken. */
  copy(callbackId: string): Promise<boolean>;
  /** Sends at once, whatever the clock and the state. Undefined where no endpoint is set. */
  redeliver(callback: Callback): Promise<Attempt | undefined>;
  /** Resolves when nothing is being sent. */
  settled(): Promise<void>;
  /** Cancels what is being sent; nothing is sent or noted afterwards. */
  dispose(): void;
}

/** An outbox that sends at most `concurrency` callbacks at a time, in the order in which they fell due. */
export function createOutbox(parts: Parts): Outbox {
  const { callbacks, endpoint, sender, wall, retriesMs, now, plan, unplan, changed } = parts;
  const cancel = new AbortController();
  const lane = createLane(parts.concurrency);

  async function make(
    cause: AttemptCause,
    callback: Callback,
    target: Endpoint | undefined,
    spoiled: Spoiled,
  ): Promise<{ attempt: Attempt; outcome?: Outcome }> {
    const sent = toSent(callback.body, spoiled);
    const secret = target?.secret ?? endpoint()?.secret ?? defaultSecret;
    const signature = await signSpoiled({ secret, id: callback.id, atMs: wall.now(), body: sent }, spoiled);
    const headers = { 'content-type': 'application/json', ...signature };
    const at = toTimestamp(now());
    if (!target) return { attempt: { at, cause, headers, sent } };
    const outcome = await sender.send({ url: target.url, headers, body: sent, signal: cancel.signal });
    return { attempt: { at, cause, ...toResult(outcome), headers, sent }, outcome };
  }

  /** Where what is due is sent; undefined: into the inbox. */
  function enabled(): Endpoint | undefined {
    const current = endpoint();
    return current?.disabled === false ? current : undefined;
  }

  async function attempt(callbackId: string): Promise<boolean> {
    const callback = callbacks().get(callbackId);
    if (callback?.state !== 'scheduled' || cancel.signal.aborted) return false;
    const target = enabled();
    const startedAt = now();
    const made = await make('schedule', callback, target, callback.disturbance ?? {});
    if (cancel.signal.aborted) return false;
    callback.attempts.push(made.attempt);
    callback.tries += 1;
    if (!isScheduled(callback)) noteLate(callback, made.outcome);
    else if (!made.outcome) callback.state = 'inbox';
    else settle(callback, made.outcome, startedAt, target);
    changed(callback);
    return !made.outcome || isDelivered(made.outcome);
  }

  async function copy(callbackId: string): Promise<boolean> {
    const callback = callbacks().get(callbackId);
    if (!callback || callback.copiesLeft === 0 || cancel.signal.aborted) return false;
    const target = enabled();
    // A receiver that wants no more callbacks ended this one: it is not laid into the inbox after that.
    const made =
      target || callback.state !== 'failed'
        ? await make('copy', callback, target, callback.disturbance ?? {})
        : undefined;
    if (cancel.signal.aborted) return false;
    // It may have been cancelled meanwhile.
    if (callback.copiesLeft > 0) callback.copiesLeft -= 1;
    if (!made) return false;
    callback.attempts.push(made.attempt);
    if (made.outcome && target) noteBeside(callback, made.outcome, target);
    else if (isScheduled(callback)) end(callback, 'inbox');
    changed(callback);
    return !made.outcome || isDelivered(made.outcome);
  }

  /** The outcome of an attempt during which its callback was redelivered, or cancelled. */
  function noteLate(callback: Callback, outcome: Outcome | undefined): void {
    if (outcome && isDelivered(outcome)) callback.state = 'delivered';
  }

  function settle(callback: Callback, outcome: Outcome, atMs: number, target: Endpoint | undefined): void {
    if (isGone(outcome) && target && endpoint() === target) target.disabled = true;
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
    const { attempt: made, outcome } = await make('redelivery', callback, target, {});
    if (cancel.signal.aborted) return made;
    callback.attempts.push(made);
    if (outcome) noteBeside(callback, outcome, target);
    changed(callback);
    return made;
  }

  /** The outcome of an attempt that was made beside the scheduled ones. */
  function noteBeside(callback: Callback, outcome: Outcome, target: Endpoint): void {
    if (isGone(outcome)) {
      if (endpoint() === target) target.disabled = true;
      if (isScheduled(callback)) end(callback, 'failed');
    }
    if (isDelivered(outcome)) end(callback, 'delivered');
  }

  /** It is not tried again. */
  function end(callback: Callback, state: 'delivered' | 'failed' | 'inbox'): void {
    if (isScheduled(callback)) unplan(callback.id);
    callback.state = state;
  }

  return {
    attempt: (id) => lane.run(() => attempt(id)),
    copy: (id) => lane.run(() => copy(id)),
    redeliver,
    settled: () => lane.idle(),
    dispose: () => cancel.abort(),
  };
}

function isScheduled({ state }: Callback): boolean {
  return state === 'scheduled';
}

function toResult(outcome: Outcome): { status: number } | { error: string } {
  return 'error' in outcome ? { error: outcome.error } : { status: outcome.status };
}

interface Lane {
  run<T>(task: () => Promise<T>): Promise<T>;
  idle(): Promise<void>;
}

/** Runs tasks in the order given, so many at a time. */
function createLane(width: number): Lane {
  const waiting: (() => void)[] = [];
  const idlers: (() => void)[] = [];
  let running = 0;
  async function run<T>(task: () => Promise<T>): Promise<T> {
    if (running >= width) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
      if (running === 0) for (const wake of idlers.splice(0)) wake();
    }
  }
  return {
    run,
    idle: () => (running === 0 ? Promise.resolve() : new Promise((wake) => idlers.push(wake))),
  };
}
