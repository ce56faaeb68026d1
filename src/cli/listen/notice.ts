/** Notices of `listen`: each is one line of its output. */
import type { DeliveryResult } from '../../callbacks/send.ts';
import type { AnswerOutcome } from '../../client/listener.ts';

/** An entry that failed, and why. */
export interface ForwardedFailure {
  readonly id: string;
  readonly reason: string;
}

/** The local receiver's response to an attempt. */
export type Forwarded = { readonly ms: number } & ({ readonly status: number } | { readonly error: string });

/** A callback attempt of the sandbox. */
export interface AttemptNotice {
  readonly event: 'callback';
  /** The time of the attempt by the project's clock. */
  readonly at: string;
  readonly project: string;
  readonly type: string;
  readonly id: string;
  readonly attempt: number;
  readonly failed: readonly ForwardedFailure[];
  /** The result of the sandbox's own attempt: a status, an error, or `inbox`; absent if the receiver's answer counts. */
  readonly sandbox?: number | string;
  /** What became of the receiver's answer, if it counts. */
  readonly answer?: AnswerOutcome;
  readonly forwarded?: Forwarded;
  readonly hint?: string;
}

export type Notice =
  | AttemptNotice
  /** The event stream is open, for the first time or again. */
  | {
      readonly event: 'listening';
      readonly url: string;
      readonly project?: string;
      readonly forwardTo?: string;
      readonly answer?: 'count';
    }
  /** The sandbox sends earlier callbacks again, signed anew. */
  | { readonly event: 'since'; readonly since: string }
  /** The project was reset; listening goes on. */
  | { readonly event: 'reset'; readonly project: string }
  /** The sandbox can't be reached; the request is retried. */
  | { readonly event: 'waiting'; readonly reason: string; readonly againInMs: number }
  /** Events were lost, so all callbacks are listed again. */
  | { readonly event: 'missed'; readonly reason: string }
  /** A callback was deleted with its project before it could be read. */
  | { readonly event: 'gone'; readonly project: string; readonly id: string };

/** Describes the result of forwarding an attempt, which took `ms`. */
export function toForwarded(result: DeliveryResult, ms: number, url: string): Forwarded {
  if (!('error' in result)) return { status: result.status, ms };
  const isRefused = result.error === 'connection refused';
  return { error: isRefused ? `connection refused: is your receiver running at ${url}?` : result.error, ms };
}
