/** What all checks of a receiver share: it creates their callbacks, and sends them as the sandbox does or as a check wants. */
import {
  type CallbackMessage,
  type CallbackType,
  createCallback,
  type FailedEntry,
  failureTypes,
  toCompletionType,
} from '../../callbacks/callback.ts';
import type { CallbackFormat, SignedMessage } from '../../callbacks/format.ts';
import { signFaulty, toSent } from '../../callbacks/format.ts';
import { type DeliveryResult, isUnreachable, type Sender } from '../../callbacks/send.ts';
import { createHash } from '../../lib/random.ts';
import type { WallClock } from '../../lib/time.ts';
import { type Operation, operationIds, operations } from '../../operations/index.ts';

/** A receiver and the options of its checks. */
export interface ReceiverCheck {
  readonly url: string;
  /** Secret in the format of `parseSecret`. */
  readonly secret: string;
  /** The form of the callbacks. */
  readonly format: CallbackFormat;
  /** Allowed addresses in the format of `--callback-allow`. */
  readonly allow: readonly string[];
  readonly wall: WallClock;
  /** Stops the checks. */
  readonly signal?: AbortSignal;
  /** Timeout of one attempt in wall time, in milliseconds; 10 s by default, like the sandbox's. */
  readonly attemptMs?: number;
  /** Timeout of all checks together in wall time, in milliseconds; 180 s by default. */
  readonly wholeMs?: number;
  /** Pause between the pieces of a slow body, in milliseconds; 500 by default. */
  readonly pauseMs?: number;
}

/** A callback for a check. It may be sent several times. */
export interface TestCallback {
  /** Its webhook-id, the same in all attempts. */
  readonly id: string;
  readonly type: CallbackType;
  /** What it reports. */
  readonly content: CallbackMessage;
  /** Its body. */
  readonly text: string;
}

/** Content of a test callback. Every omitted field has a default. */
export interface CallbackContent {
  readonly type?: CallbackType;
  readonly projectId?: string;
  readonly subProjectId?: string;
  readonly failed?: readonly FailedEntry[];
  /** Time since the failures occurred, in milliseconds; 0 by default. */
  readonly ageMs?: number;
  /** Changes what the callback reports. */
  readonly change?: (message: CallbackMessage) => object;
  /** Serializes the body in a different way than the sandbox. */
  readonly write?: (body: unknown) => string;
}

/** Creates the headers of an attempt, in the form of the callbacks. */
export type Sign = (message: SignedMessage, format: CallbackFormat) => Promise<Readonly<Record<string, string>>>;

/** How an attempt differs from the sandbox's attempts. */
export interface SendOptions {
  /** Creates the headers. */
  readonly sign?: Sign;
  /** Sends the body in pieces; `close` closes the connection. */
  readonly pieces?: (bytes: Buffer, close: () => void) => AsyncIterable<Uint8Array>;
}

/** Result of one attempt. */
export interface AttemptResult {
  readonly outcome: DeliveryResult;
  readonly ms: number;
}

/** Signs as the sandbox does. */
export const signAsSandbox: Sign = (message, format) => signFaulty(format, message, {});

/** The project of all callbacks. Its name shows in a receiver's database where the callback came from. */
const defaultProject = 'verify-receiver';

export const defaultAttemptMs = 10_000;

export class CheckContext {
  readonly about: ReceiverCheck;
  /** The first callback that the receiver accepted. Later callbacks have its type by default. */
  accepted: TestCallback | undefined;
  /** Why the last attempt did not reach the receiver; undefined if it did. */
  unreached: string | undefined;
  readonly #sender: Pick<Sender, 'send'>;
  /** Ids depend on the current time: a receiver would treat those of an earlier run as duplicates. */
  readonly #hash: ReturnType<typeof createHash>;
  #count = 0;

  constructor(about: ReceiverCheck, sender: Pick<Sender, 'send'>) {
    this.about = about;
    this.#sender = sender;
    this.#hash = createHash('verify-receiver', String(about.wall.now()));
  }

  createCallback(content: CallbackContent = {}): TestCallback {
    const { projectId = defaultProject, subProjectId, failed, ageMs = 0, change, write } = content;
    const type = content.type ?? this.accepted?.type ?? failureTypes[0];
    this.#count += 1;
    const entries = failed ?? [{ id: `VERIFY-${this.#count}`, reason: 'Address could not be geocoded' }];
    const operation = operationIds.find((name) => {
      const { callbackType: failure }: Operation = operations[name];
      return failure && (failure === type || toCompletionType(failure) === type);
    });
    const { id, body } = createCallback({
      seed: 'verify-receiver',
      change: this.#count,
      projectId,
      subProjectId,
      operation: operation ?? '',
      type,
      requestId: `req_${this.#hash.of(String(this.#count))}`,
      ...(type.endsWith('.completed')
        ? { failed: [], succeeded: entries.map((one) => ({ id: one.id })) }
        : { failed: entries }),
      atMs: this.about.wall.now() - ageMs,
      fault: undefined,
    });
    const reported = (change?.(body) ?? body) as CallbackMessage;
    const sent = this.about.format.toBody(id, reported);
    return { id, type, content: reported, text: write ? write(sent) : toSent(sent, {}) };
  }

  /** Sends a callback once. It signs each attempt, as the sandbox does. It never throws. */
  async post(
    { id, text, content }: TestCallback,
    { sign = signAsSandbox, pieces }: SendOptions = {},
  ): Promise<AttemptResult> {
    const { url, secret, wall, format } = this.about;
    const headers = await sign({ secret, id, atMs: wall.now(), body: text, content }, format);
    const abortController = new AbortController();
    const startedMs = wall.elapsed();
    const outcome = await this.#sender.send({
      url,
      method: format.method,
      headers,
      body: text,
      ...(pieces && { pieces: pieces(Buffer.from(text), () => abortController.abort()) }),
      signal: abortController.signal,
    });
    this.unreached = isUnreachable(outcome) && 'error' in outcome ? outcome.error : undefined;
    return { outcome, ms: wall.elapsed() - startedMs };
  }

  /** Waits between two pieces of a body. */
  pause(): Promise<void> {
    const { wall, pauseMs = 500 } = this.about;
    return new Promise((done) => wall.after(pauseMs, done));
  }
}
