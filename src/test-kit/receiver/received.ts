/** Stores the callbacks that a receiver gets, and lets tests wait for more. */
import { formatCount } from '../../lib/format.ts';
import { maxTimerMs } from '../../lib/time.ts';
import { timers } from '../../lib/timers.ts';
import { countKinds } from '../project/describe-received.ts';
import { checkWait, toWords, type Wait } from '../project/waiting.ts';
import { SandboxError, toErrorText } from '../sandbox-error.ts';
import type { CallbackMessageView, CallbackTypeName } from '../types.ts';

/** One received attempt to deliver a callback. */
export interface ReceivedCallback {
  /** The `webhook-id` header, or the profile's header with `{id}`, the same in every attempt; empty without one. */
  readonly id: string;
  /** Type of the message, such as `jobs.import.failed`; empty if the body has none. */
  readonly type: string;
  /** The parsed message; undefined if the body is not JSON, which the sandbox only sends if a scenario asks for it. */
  readonly body: CallbackMessageView;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text of the body, as received. */
  readonly raw: string;
  /** Whether the callback was signed with the receiver's secret, at most five minutes ago. */
  readonly verified: boolean;
  /** Reason why the callback is not verified. */
  readonly refusal?: string;
  /** When the callback was received, in real time: ISO 8601 in UTC. */
  readonly at: string;
}

/** Filter for received callbacks. */
export interface ReceivedFilter {
  /** Type of the message. */
  readonly type?: CallbackTypeName;
  /** Whether the signature is valid. Default: true. */
  readonly verified?: boolean;
}

/** All callbacks that a receiver got. */
export class ReceivedQueue {
  /** All callbacks so far; new ones are appended to this array. */
  readonly all: ReceivedCallback[] = [];
  readonly #waiting = new Set<(failure?: Error) => void>();
  #failed: Error | undefined;
  #ended: Error | undefined;

  add(callback: ReceivedCallback): void {
    this.all.push(callback);
    for (const one of this.#waiting) one();
  }

  /** Returns all callbacks that match, as soon as enough match. `toName` is for messages. */
  async waitFor(toName: () => string, filter: ReceivedFilter & Wait): Promise<readonly ReceivedCallback[]> {
    const { count, timeoutMs } = checkWait(filter);
    this.throwFailure();
    return new Promise((resolve, reject) => {
      const settle = (done: () => void): void => {
        this.#waiting.delete(check);
        timers.clearTimeout(timer);
        done();
      };
      // Keeps the process alive: a sandbox that has gone does not.
      const timer = timers.setTimeout(
        () =>
          settle(() =>
            reject(new SandboxError(explain(toName(), filter, count, timeoutMs, this.all), { code: 'timeout' })),
          ),
        Math.min(timeoutMs, maxTimerMs),
      );
      const check = (failure?: Error): void => {
        const found = this.all.filter((callback) => matches(callback, filter));
        if (failure) settle(() => reject(failure));
        else if (found.length >= count) settle(() => resolve(found));
        else if (this.#ended) settle(() => reject(this.#ended));
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** Rejects all pending waits with the error of a handler, or else the next call of `waitFor` or `throwFailure`. */
  fail(cause: unknown): void {
    const failure = new SandboxError(`a handler failed: ${toErrorText(cause)}`, { code: 'handler_failed', cause });
    if (this.#waiting.size === 0) this.#failed ??= failure;
    for (const one of this.#waiting) one(failure);
  }

  /** @throws SandboxError for a handler that has failed, once */
  throwFailure(): void {
    const failure = this.#failed;
    this.#failed = undefined;
    if (failure) throw failure;
  }

  /** Rejects all pending waits and later ones with `error`, unless enough callbacks match already. */
  end(error: Error): void {
    this.#ended = error;
    for (const one of this.#waiting) one();
  }
}

function matches(callback: ReceivedCallback, { type, verified = true }: ReceivedFilter): boolean {
  return callback.verified === verified && (type === undefined || callback.type === type);
}

/** Describes a failed wait: the expected callbacks, and the received ones. */
function explain(
  name: string,
  { type, verified = true }: ReceivedFilter,
  count: number,
  timeoutMs: number,
  all: readonly ReceivedCallback[],
): string {
  const wanted = `${formatCount(count, 'callback')}${type === undefined ? '' : ` of type ${type}`}`;
  const head = `waited ${toWords(timeoutMs)} for ${wanted}${verified ? '' : ', not verified,'} at ${name}`;
  const kinds = all.map(({ type: received, refusal }) => {
    return `of type ${received || '(none)'}${refusal === undefined ? '' : `, not verified: ${refusal}`}`;
  });
  const counts = countKinds(kinds).map(([kind, times]) => `${times} ${kind}`);
  return `${head}; received: ${counts.join('; ') || 'nothing'}`;
}
