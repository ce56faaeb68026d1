/** Notices of `listen`: each is one line of its output. */

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
  /** The time of the attempt, by the project's clock. */
  readonly at: string;
  readonly project: string;
  readonly type: string;
  readonly id: string;
  readonly attempt: number;
  readonly failed: readonly ForwardedFailure[];
  /** The result of the sandbox's own attempt: a status, an error, or `inbox`. */
  readonly sandbox: number | string;
  readonly forwarded?: Forwarded;
  readonly hint?: string;
}

export type Notice =
  | AttemptNotice
  /** The event stream is open, for the first time or again. */
  | { readonly event: 'listening'; readonly url: string; readonly project?: string; readonly forwardTo?: string }
  /** The sandbox can't be reached; the request is retried. */
  | { readonly event: 'waiting'; readonly reason: string; readonly againInMs: number }
  /** Events were lost, so all callbacks are listed again. */
  | { readonly event: 'missed'; readonly reason: string }
  /** A callback was deleted with its project before it could be read. */
  | { readonly event: 'gone'; readonly project: string; readonly id: string };
