/** Types of receiver checks: the callbacks to send, and the findings. */
import type { CallbackMessage, CallbackType, FailedEntry } from '../../callbacks/callback.ts';
import type { CallbackFormat, SignedMessage } from '../../callbacks/format.ts';
import type { DeliveryResult } from '../../callbacks/send.ts';

/** One check. To add a check, add an object to the table in its group's file. */
export interface Check {
  /** Expected behaviour of the receiver, as shown in the report. */
  readonly name: string;
  /** Why that matters, for the developer of a receiver that fails the check. */
  readonly why: string;
  /** How to fix the receiver. */
  readonly fix: string;
  /** Returns why the check does not apply to callbacks of this form, or undefined if it does. */
  readonly unless?: (format: CallbackFormat) => string | undefined;
  run(context: CheckContext): Promise<CheckFinding>;
}

/** Checks with a common heading in the report. */
export interface CheckGroup {
  readonly name: string;
  readonly checks: readonly Check[];
}

/** Result of a check. */
export type CheckFinding =
  | { readonly ok: true; readonly note: string }
  | {
      readonly ok: false;
      readonly note: string;
      /** Why the remaining checks are skipped after this. */
      readonly ends?: string;
      /** Hint at the likely cause in that case. */
      readonly hint?: string;
    };

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

/** Functions and settings for a check. */
export interface CheckContext {
  /** The form of the callbacks. */
  readonly format: CallbackFormat;
  /** Creates a callback. */
  createCallback(content?: CallbackContent): TestCallback;
  /** Sends a callback once. */
  post(callback: TestCallback, options?: SendOptions): Promise<AttemptResult>;
  /** Timeout of one attempt in wall time, in milliseconds. */
  readonly attemptMs: number;
  /** Waits between two pieces of a body. */
  pause(): Promise<void>;
  /** Sets the first callback that the receiver accepted. Later callbacks have its type by default. */
  noteAccepted(callback: TestCallback): void;
  /** Returns the first callback that the receiver accepted. */
  firstAccepted(): TestCallback;
  /** Text that says which secret signs the callbacks. */
  readonly secretText: string;
}
