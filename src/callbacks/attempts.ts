/** Makes single attempts to deliver callbacks: signs and sends the message, or stores it in the inbox. */
import { describeError } from '../lib/describe-error.ts';
import type { WallClock } from '../lib/time.ts';
import { toTimestamp } from '../lib/time.ts';
import type { Attempt, AttemptCause, Callback, Endpoint, SendFaults } from './callback.ts';
import { signFaulty, toSent } from './callback-faults.ts';
import type { CallbackFormat } from './format.ts';
import { createLimiter } from './limiter.ts';
import { isListener, type Listener } from './listener.ts';
import type { ReceivedResponse, ReceiverResponse } from './response.ts';
import type { DeliveryResult, Sender } from './send.ts';
import { defaultSecret, hideSecret, hideSecretIn } from './signature.ts';

export interface AttemptOptions {
  readonly sender: Pick<Sender, 'send'>;
  /** Maximum number of callbacks that are sent at a time. */
  readonly concurrency: number;
  /** Returns a response as it is stored: its beginning, without what looks like a secret. */
  redactResponse(received: ReceivedResponse): ReceiverResponse;
}

interface Deps extends AttemptOptions {
  readonly listener: Pick<Listener, 'send'>;
  readonly endpoint: () => Endpoint | undefined;
  readonly format: CallbackFormat;
  readonly wall: WallClock;
  /** The project's current time, in milliseconds. */
  now(): number;
  /** Resolves when a callback may leave, or rejects if it must not. */
  readonly beforeSend?: (() => Promise<void> | undefined) | undefined;
}

/** An attempt, with the result of sending it; without a result, it was stored in the inbox. */
export interface MadeAttempt {
  readonly attempt: Attempt;
  readonly result?: DeliveryResult | undefined;
}

export interface Attempts {
  /** Sends a callback, or without a target only signs it, for the inbox. Never throws: an error is the result. */
  make(cause: AttemptCause, callback: Callback, target: Endpoint | undefined, faults: SendFaults): Promise<MadeAttempt>;
  /** Runs a delivery when it is its turn. At most `concurrency` run at a time, in the order of the calls. */
  inTurn(callbackId: string, deliver: () => Promise<boolean>): Promise<boolean>;
  immediately<T>(callbackId: string, deliver: () => Promise<T>): Promise<T>;
  /** Returns the number of attempts, including those in progress. Compare this with limits. */
  count(callback: Callback): number;
  isCancelled(): boolean;
  /** Resolves when nothing is being sent in turn. */
  settled(): Promise<void>;
  cancel(): void;
}

/** What is stored instead of a body that cannot be searched for secrets. */
const unsearched = '(omitted: the body is nested too deeply)';

export function createAttempts(deps: Deps): Attempts {
  const { endpoint, sender, format, wall, concurrency, now, beforeSend } = deps;
  const cancel = new AbortController();
  const limiter = createLimiter(concurrency, wall);
  const inProgress = new Map<string, number>();

  /** Counts a delivery from its start, so that parallel ones cannot exceed a limit together. */
  async function counted<T>(id: string, deliver: () => Promise<T>): Promise<T> {
    inProgress.set(id, (inProgress.get(id) ?? 0) + 1);
    try {
      return await deliver();
    } finally {
      const remaining = (inProgress.get(id) ?? 0) - 1;
      if (remaining > 0) inProgress.set(id, remaining);
      else inProgress.delete(id);
    }
  }

  async function make(
    cause: AttemptCause,
    callback: Callback,
    target: Endpoint | undefined,
    faults: SendFaults,
  ): Promise<MadeAttempt> {
    let at = toTimestamp(now());
    let sent = '';
    let headers: Attempt['headers'] = {};
    try {
      const { id, body: content } = callback;
      sent = toSent(format.toBody(id, content), faults);
      const secret = target?.secret ?? endpoint()?.secret ?? defaultSecret;
      const message = { secret, id, atMs: wall.now(), body: sent, content };
      const signed = { ...callback.trace, ...(await signFaulty(format, message, faults)) };
      headers = hideSecret(signed, secret, format.signature);
      if (target) await beforeSend?.();
      at = toTimestamp(now());
      if (!target) return { attempt: { at, cause, headers, sent } };
      const { method } = format;
      const { signal } = cancel;
      const delivery = { url: target.url, method, headers: signed, body: sent, signal, keepsResponse: true } as const;
      const made = { at, cause, ...(isListener(target.url) && { listener: true as const }) };
      const result = made.listener
        ? await deps.listener.send({ ...delivery, callbackId: id, number: count(callback), at })
        : await sender.send(delivery);
      if ('error' in result) return { attempt: { ...made, error: result.error, headers, sent }, result };
      const response = result.response && toStored(result.response, secret);
      return { attempt: { ...made, status: result.status, headers, sent, ...(response && { response }) }, result };
    } catch (error) {
      // For example, a package cannot be loaded. The attempt fails and is retried, so that the callback is not lost.
      const result = { error: describeError(error) };
      return { attempt: { at, cause, ...result, headers, sent }, result };
    }
  }

  const count = ({ id, attempts }: Callback): number => attempts.length + (inProgress.get(id) ?? 0);

  /** Returns a response without secrets. It may repeat the secret that it was sent. */
  function toStored({ headers, body, ...received }: ReceivedResponse, secret: string): ReceiverResponse {
    const hidden = { headers: hideSecret(headers, secret, format.signature), body: hideSecretIn(body, secret) };
    try {
      return deps.redactResponse({ ...received, ...hidden });
    } catch {
      // The body nests too deeply to be searched. The callback was delivered all the same, so it is not retried.
      return deps.redactResponse({ ...received, ...hidden, body: unsearched });
    }
  }

  return {
    make,
    inTurn: (id, deliver) => limiter.run(() => counted(id, deliver)),
    immediately: counted,
    count,
    isCancelled: () => cancel.signal.aborted,
    settled: () => limiter.idle(),
    cancel: () => cancel.abort(),
  };
}
