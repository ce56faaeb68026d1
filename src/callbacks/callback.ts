/** A callback as a value: what is told of, to be sent when, and every attempt that was made. */
import { createHash } from '../base/random.ts';
import { toTimestamp } from '../base/time.ts';
import type { Spoiled } from './spoil.ts';

/** What failed, as the receiver is told. */
export interface FailedEntry {
  readonly id: string;
  readonly reason: string;
}

export type CallbackType = `${'jobs' | 'routes' | 'orders'}.${'import' | 'update'}.failed`;

/** The body of a callback. */
export interface CallbackMessage {
  readonly type: CallbackType;
  /** The project's clock when the failures became known. */
  readonly timestamp: string;
  readonly data: {
    readonly projectId: string;
    readonly subProjectId?: string;
    readonly operation: string;
    readonly requestId: string;
    readonly failed: readonly FailedEntry[];
  };
}

/** Why an attempt was made: it was due, first or again; a scenario doubled it; or somebody asked for it. */
export type AttemptCause = 'schedule' | 'copy' | 'redelivery';

/** One try to hand a callback over; neither `status` nor `error` where it was laid into the inbox. */
export interface Attempt {
  /** The project's clock. */
  readonly at: string;
  readonly cause: AttemptCause;
  readonly status?: number;
  readonly error?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of the body, as sent. */
  readonly sent: string;
}

export type CallbackState = 'scheduled' | 'delivered' | 'failed' | 'inbox' | 'dropped';

export interface Callback {
  readonly id: string;
  /** Its number among all that changed its world. */
  readonly change: number;
  readonly type: CallbackType;
  state: CallbackState;
  readonly requestId: string;
  readonly operation: string;
  readonly body: CallbackMessage;
  /** When the next attempt is, or the last one was, due. */
  dueAt: string;
  readonly attempts: Attempt[];
  /** How many of them were made by schedule: copies, and what was sent again by hand, use up no retry. */
  tries: number;
  /** How many more times it is to be sent because a scenario doubles it; one under way is still counted. */
  copiesLeft: number;
  /** What a scenario does to it. */
  readonly disturbance?: Disturbance;
}

/** What a scenario does to a callback; lengths in milliseconds. `drop` comes alone. */
export interface Disturbance extends Spoiled {
  readonly delayMs: number;
  /** How often it is sent in all. */
  readonly copies?: number;
  readonly order?: 'reverse' | 'shuffle';
  readonly drop?: true;
}

/** Where a project's callbacks go. */
export interface Endpoint {
  readonly url: string;
  readonly secret: string;
  /** Set by a receiver that answered 410, and by whoever sets the endpoint so. */
  disabled: boolean;
}

/** What a callback is made of. */
export interface Failures {
  readonly seed: string;
  readonly change: number;
  readonly projectId: string;
  readonly subProjectId: string | undefined;
  readonly operation: string;
  readonly type: CallbackType;
  readonly requestId: string;
  readonly failed: readonly FailedEntry[];
  /** The instant at which they became known, in milliseconds. */
  readonly atMs: number;
  readonly disturbance: Disturbance | undefined;
}

/** The callback for failures that became known at one instant; its id comes from its request's and the instant. */
export function createCallback({ seed, change, type, requestId, operation, atMs, ...about }: Failures): Callback {
  const { projectId, subProjectId, failed } = about;
  const { disturbance } = about;
  const { delayMs = 0, copies = 1, drop = false } = disturbance ?? {};
  return {
    id: `msg_${createHash(seed, 'callback').of(`${requestId}:${atMs}`)}`,
    change,
    type,
    state: drop ? 'dropped' : 'scheduled',
    requestId,
    operation,
    body: {
      type,
      timestamp: toTimestamp(atMs),
      data: { projectId, ...(subProjectId !== undefined && { subProjectId }), operation, requestId, failed },
    },
    dueAt: toTimestamp(atMs + delayMs),
    attempts: [],
    tries: 0,
    copiesLeft: copies - 1,
    ...(disturbance && { disturbance }),
  };
}

/** How many callbacks a project keeps. */
export const mostCallbacks = 10_000;

/** Looking for those that may go costs as much as there are. */
const slack = 100;

/** Lets the oldest callbacks that have ended go, where there are too many; what is still to be sent stays. Their ids. */
export function dropEnded(callbacks: Map<string, Callback>): readonly string[] {
  if (callbacks.size < mostCallbacks + slack || callbacks.size % slack !== 0) return [];
  const gone: string[] = [];
  for (const { id, state, copiesLeft } of callbacks.values()) {
    if (callbacks.size <= mostCallbacks) break;
    if (state === 'scheduled' || copiesLeft > 0) continue;
    callbacks.delete(id);
    gone.push(id);
  }
  return gone;
}
