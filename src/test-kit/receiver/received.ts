/** Verifies and stores the callbacks that a receiver gets, and lets tests wait for more. */

import { parseJson } from '../../client/send.ts';
import type { WallClock } from '../../lib/time.ts';
import { toCount } from '../project/describe-received.ts';
import { checkWait, toWords, type Wait } from '../project/waiting.ts';
import { SandboxError } from '../sandbox-error.ts';
import type { CallbackMessageView, CallbackTypeName } from '../types.ts';
import { maxAgeSeconds, type ReceivedForm } from './form.ts';

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

/** Parses a received callback and verifies its signature, which covers the exact text of the body. */
export async function toReceived(
  input: Pick<ReceivedCallback, 'headers' | 'raw' | 'at'>,
  verifying: Verifying,
): Promise<ReceivedCallback> {
  const { form } = verifying;
  const body = parseJson(input.raw) as CallbackMessageView;
  const { type, id = '' } = form.read(input.headers, body);
  const refusal = form.isStandard
    ? await verifySignature(input, verifying)
    : await form.verify({ ...input, id }, verifying);
  return {
    id,
    type: typeof type === 'string' ? type : '',
    body,
    ...input,
    verified: refusal === undefined,
    ...(refusal !== undefined && { refusal }),
  };
}

/** What a receiver verifies callbacks with; `nowMs` is its clock. */
export interface Verifying {
  readonly secret: string;
  readonly form: ReceivedForm;
  readonly nowMs: number;
}

/**
 * Returns why a signature is not valid, or undefined if it is valid. The library itself compares the timestamp with `Date`,
 * which a test may have replaced.
 */
async function verifySignature(
  { headers, raw }: Pick<ReceivedCallback, 'headers' | 'raw'>,
  { secret, nowMs }: Verifying,
): Promise<string | undefined> {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (!id || !timestamp || !signatures) return 'Missing required headers';
  const seconds = Number.parseInt(timestamp, 10);
  const age = nowMs / 1000 - seconds;
  if (!(Math.abs(age) <= maxAgeSeconds)) return `Message timestamp too ${age > 0 ? 'old' : 'new'}`;
  const { Webhook } = await import('standardwebhooks');
  const expected = new Webhook(secret).sign(id, new Date(seconds * 1000), raw);
  return signatures.split(' ').includes(expected) ? undefined : 'No matching signature found';
}

/** All callbacks that a receiver got. */
export interface ReceivedQueue {
  /** All callbacks so far; the queue appends new ones to this array. */
  readonly all: readonly ReceivedCallback[];
  add(callback: ReceivedCallback): void;
  /** Returns all callbacks that match, as soon as enough match. `url` is the receiver's, for messages. */
  waitFor(url: string, filter: ReceivedFilter & Wait): Promise<readonly ReceivedCallback[]>;
  /** Rejects all pending waits with the error of a handler, or else the next call of `waitFor` or `throwFailure`. */
  fail(error: unknown): void;
  /** @throws SandboxError for a handler that has failed, once */
  throwFailure(): void;
  /** Rejects all pending waits and later ones with `error`, unless enough callbacks match already. */
  end(error: Error): void;
}

export function createReceivedQueue(wall: WallClock): ReceivedQueue {
  const all: ReceivedCallback[] = [];
  const waiting = new Set<(failure?: Error) => void>();
  let failed: Error | undefined;
  let ended: Error | undefined;
  const checkAll = (): void => {
    for (const one of waiting) one();
  };

  const throwFailure = (): void => {
    const failure = failed;
    failed = undefined;
    if (failure) throw failure;
  };

  async function waitFor(url: string, filter: ReceivedFilter & Wait): Promise<readonly ReceivedCallback[]> {
    const { count, timeoutMs } = checkWait(filter);
    throwFailure();
    const findMatches = () => all.filter((callback) => matches(callback, filter));
    return new Promise((resolve, reject) => {
      const settle = (done: () => void): void => {
        waiting.delete(check);
        cancel();
        done();
      };
      const cancel = wall.after(timeoutMs, () =>
        settle(() => reject(new SandboxError(explain(url, filter, count, timeoutMs, all), { code: 'timeout' }))),
      );
      const check = (failure?: Error): void => {
        const found = findMatches();
        if (failure) settle(() => reject(failure));
        else if (found.length >= count) settle(() => resolve(found));
        else if (ended) settle(() => reject(ended));
      };
      waiting.add(check);
      check();
    });
  }

  return {
    all,
    waitFor,
    add: (callback) => {
      all.push(callback);
      checkAll();
    },
    fail: (cause) => {
      const failure = new SandboxError(`a handler failed: ${String(cause)}`, { code: 'handler_failed', cause });
      if (waiting.size === 0) failed ??= failure;
      for (const one of waiting) one(failure);
    },
    throwFailure,
    end: (error) => {
      ended = error;
      checkAll();
    },
  };
}

function matches(callback: ReceivedCallback, { type, verified = true }: ReceivedFilter): boolean {
  return callback.verified === verified && (type === undefined || callback.type === type);
}

/** Describes a failed wait: the expected callbacks, and the received ones. */
function explain(
  url: string,
  { type, verified = true }: ReceivedFilter,
  count: number,
  timeoutMs: number,
  all: readonly ReceivedCallback[],
): string {
  const wanted = `${toCount(count, 'callback')}${type === undefined ? '' : ` of type ${type}`}`;
  const head = `waited ${toWords(timeoutMs)} for ${wanted}${verified ? '' : ', not verified,'} at ${url}`;
  const counts = new Map<string, number>();
  for (const { type: received, refusal } of all) {
    const kind = `of type ${received || '(none)'}${refusal === undefined ? '' : `, not verified: ${refusal}`}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return `${head}; received: ${[...counts].map(([kind, times]) => `${times} ${kind}`).join('; ') || 'nothing'}`;
}
