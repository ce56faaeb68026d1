/** Defines a callback as a value: its body, its schedule, and all its attempts. */
import { createHash } from '../lib/random.ts';
import { toTimestamp } from '../lib/time.ts';
import { continueTrace, type TraceContext, type TraceHeaders } from '../lib/trace.ts';

/** A failed entry, as sent to the receiver. */
export interface FailedEntry {
  readonly id: string;
  readonly reason: string;
}

/** An entry that was carried out. */
export type SucceededEntry = Pick<FailedEntry, 'id'>;

/** The types of callbacks about failed entries: `RECORDS.CHANGE.failed`. */
export const failureTypes = [
  'jobs.import.failed',
  'jobs.update.failed',
  'routes.import.failed',
  'orders.import.failed',
  'orders.update.failed',
] as const;
export type FailureType = (typeof failureTypes)[number];

/** The types of callbacks about entries that were carried out, which a profile may ask for. */
export const completionTypes = [
  'jobs.import.completed',
  'jobs.update.completed',
  'routes.import.completed',
  'orders.import.completed',
  'orders.update.completed',
] as const;

export type CallbackType = FailureType | (typeof completionTypes)[number];
export const callbackTypes: readonly CallbackType[] = [...failureTypes, ...completionTypes];

/** Returns the type of the callback about entries that were carried out, for the type about failed ones. */
export function toCompletionType(type: FailureType): CallbackType {
  return completionTypes[failureTypes.indexOf(type)] ?? type;
}

/** Returns the type of the callback about failed entries, for either type. */
export function toFailureType(type: CallbackType): FailureType {
  return failureTypes[callbackTypes.indexOf(type) % failureTypes.length] as FailureType;
}

/** Returns the entries of a trigger with these ids, all for one reason. Undefined values have a default. */
export function toFailed(
  ids: string | readonly string[] | undefined,
  reason: string | undefined,
): { readonly failed?: readonly { readonly id: string; readonly reason?: string }[] } {
  if (ids === undefined && reason === undefined) return {};
  return { failed: [ids ?? sampleEntry.id].flat().map((id) => ({ id, ...(reason !== undefined && { reason }) })) };
}

/** Whether callbacks of a type are about entries that were carried out. */
export function isCompletion(type: CallbackType): boolean {
  return completionTypes.some((one) => one === type);
}

export interface CallbackMessage {
  readonly type: CallbackType;
  /** The project's time when the entries were processed. */
  readonly timestamp: string;
  readonly data: {
    readonly projectId: string;
    readonly subProjectId?: string;
    readonly operation: string;
    readonly requestId: string;
    /** Empty, and not sent, if `succeeded` is set. */
    readonly failed: readonly FailedEntry[];
    readonly succeeded?: readonly SucceededEntry[];
  };
  /** Fields of `data` as sent, in place of the others or beside them. Only a triggered callback has them. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A callback that is made without a request. Plain data, which recordings have. */
export interface Trigger {
  readonly type: CallbackType;
  /** The entries that it reports, as failed or, by its type, as carried out. */
  readonly failed: readonly FailedEntry[];
  /** The operation that it names. */
  readonly operation: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly forge?: NonNullable<SendFaults['signature']>;
  /** Total number of deliveries. Default: 1. */
  readonly copies?: number;
}

/** The entry of a triggered callback without entries of its own. */
export const sampleEntry: FailedEntry = { id: 'ORD-1', reason: 'Address could not be geocoded' };

/** Reason for an attempt: the schedule (first attempt or retry), a copy by a scenario, or a redelivery on request. */
export type AttemptCause = 'schedule' | 'copy' | 'redelivery';

/** The receiver's response to an attempt, as it is stored: without secrets, and with the first 4 kB of its body. */
export interface ReceiverResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Size of the whole body in bytes, as far as it is known; absent if `body` is complete. */
  readonly bodyCut?: number;
  /** Real time until the headers arrived, in milliseconds. */
  readonly durationMs: number;
}

/** One attempt to deliver a callback. Has neither `status` nor `error` if the callback was put into the inbox. */
export interface Attempt {
  /** The project's time at the attempt. */
  readonly at: string;
  readonly cause: AttemptCause;
  /** Set if it went to the project's listener in place of a URL. */
  readonly listener?: true;
  readonly status?: number;
  readonly error?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as sent. */
  readonly sent: string;
  /** What the receiver responded; absent without a response, and in attempts that older versions stored. */
  readonly response?: ReceiverResponse;
}

export type CallbackState = 'scheduled' | 'delivered' | 'failed' | 'inbox' | 'dropped';

export interface Callback {
  readonly id: string;
  /** Number of the callback among the changes of its project. */
  readonly change: number;
  readonly type: CallbackType;
  state: CallbackState;
  readonly requestId: string;
  readonly operation: string;
  readonly body: CallbackMessage;
  /** When the next attempt is due, or the last one was due. */
  dueAt: string;
  readonly attempts: Attempt[];
  /** Number of attempts made by schedule. Copies and redeliveries use no retry. */
  tries: number;
  /** Number of copies still to be sent. A copy in progress counts. */
  copiesLeft: number;
  /** How a scenario, or the trigger, changes the delivery. */
  readonly fault?: DeliveryFault;
  /** The headers that continue the trace of its request. */
  readonly trace?: TraceHeaders;
  /** Set if it was made without a request. `requestId` is then one that no request has. */
  readonly triggered?: true;
  /** Counts of rules with `scope: server` before they counted this callback, by rule. For recordings. */
  readonly serverCounts?: Readonly<Record<string, { readonly met: number; readonly acted: number }>>;
}

/** Faults of every scheduled attempt and copy. Plain data. */
export interface SendFaults {
  readonly signature?: 'invalid' | 'missing' | 'stale';
  readonly body?: 'malformed';
}

/** Changes of the delivery by a scenario; durations in milliseconds. `drop` excludes the others. */
export interface DeliveryFault extends SendFaults {
  readonly delayMs: number;
  /** Total number of deliveries. */
  readonly copies?: number;
  readonly order?: 'reverse' | 'shuffle';
  readonly drop?: true;
}

/** Receiver of a project's callbacks. */
export interface Endpoint {
  readonly url: string;
  readonly secret: string;
  /** Set when the receiver responds with 410, or when the endpoint is configured as disabled. */
  disabled: boolean;
}

export interface NewCallback
  extends Pick<Callback, 'change' | 'operation' | 'type' | 'requestId' | 'serverCounts' | 'triggered'>,
    Pick<CallbackMessage, 'extra'>,
    Pick<CallbackMessage['data'], 'projectId' | 'failed' | 'succeeded'> {
  readonly seed: string;
  /** Number of the entry that the callback is about, if it is about one entry. */
  readonly entry?: string;
  readonly subProjectId: string | undefined;
  /** The project's time when the entries were processed, in milliseconds. */
  readonly atMs: number;
  readonly fault: DeliveryFault | undefined;
  /** The trace of the request. */
  readonly trace?: TraceContext | undefined;
}

/**
 * Creates the callback for entries that were processed together. Its id is derived from the request's id and the time,
 * and ends with the number of the entry if it is about one.
 */
export function createCallback({ seed, change, type, requestId, operation, atMs, ...context }: NewCallback): Callback {
  const { projectId, subProjectId, failed, succeeded, fault, entry, serverCounts, trace, extra, triggered } = context;
  const { delayMs = 0, copies = 1, drop = false } = fault ?? {};
  const hash = createHash(seed, 'callback').of(`${requestId}:${atMs}${succeeded ? ':completed' : ''}`);
  const lists = succeeded ? { failed, succeeded } : { failed };
  const id = `msg_${hash}${entry === undefined ? '' : `_${entry}`}`;
  return {
    id,
    change,
    type,
    state: drop ? 'dropped' : 'scheduled',
    requestId,
    operation,
    body: {
      type,
      timestamp: toTimestamp(atMs),
      data: { projectId, ...(subProjectId !== undefined && { subProjectId }), operation, requestId, ...lists },
      ...(extra && { extra }),
    },
    dueAt: toTimestamp(atMs + delayMs),
    attempts: [],
    tries: 0,
    copiesLeft: copies - 1,
    ...(fault && { fault }),
    ...(serverCounts && { serverCounts }),
    ...(trace && { trace: continueTrace(trace, createHash(seed, 'span').of(id)) }),
    ...(triggered && { triggered }),
  };
}

export function isSameEndpoint(one: Endpoint | undefined, other: Endpoint | undefined): boolean {
  return one?.url === other?.url && one?.secret === other?.secret && one?.disabled === other?.disabled;
}

/** Maximum number of callbacks that a project stores. */
export const maxCallbacks = 10_000;

/** Number of callbacks above the maximum before old ones are dropped, because each search visits all callbacks. */
const slack = 100;

/** Drops and returns the oldest completed callbacks, if there are too many. Those still to be sent stay. */
export function dropEnded(callbacks: Map<string, Callback>): readonly Callback[] {
  if (callbacks.size < maxCallbacks + slack || callbacks.size % slack !== 0) return [];
  const dropped: Callback[] = [];
  for (const callback of callbacks.values()) {
    if (callbacks.size <= maxCallbacks) break;
    if (callback.state === 'scheduled' || callback.copiesLeft > 0) continue;
    callbacks.delete(callback.id);
    dropped.push(callback);
  }
  return dropped;
}
