/** What listening tells, as values: one of them is one line of whoever shows it. */

/** An entry that failed, and why. */
export interface Failure {
  readonly id: string;
  readonly reason: string;
}

/** What the local receiver made of an attempt. */
export type Forwarded = { readonly ms: number } & ({ readonly status: number } | { readonly error: string });

/** An attempt at a callback. */
export interface AttemptNotice {
  readonly event: 'callback';
  /** The project's clock when the sandbox made the attempt. */
  readonly at: string;
  readonly project: string;
  readonly type: string;
  readonly id: string;
  readonly attempt: number;
  readonly failed: readonly Failure[];
  /** What came of the sandbox's own attempt: a status, an error, or that it lies in the inbox. */
  readonly sandbox: number | string;
  readonly forwarded?: Forwarded;
  readonly hint?: string;
}

export type Notice =
  | AttemptNotice
  /** It follows, from now on or again. */
  | { readonly event: 'listening'; readonly url: string; readonly project?: string; readonly forwardTo?: string }
  /** The sandbox can't be reached; it is asked again. */
  | { readonly event: 'waiting'; readonly reason: string; readonly againInMs: number }
  /** Events were lost, so all callbacks are looked through. */
  | { readonly event: 'missed'; readonly reason: string }
  /** A callback that went with its project before it could be read. */
  | { readonly event: 'gone'; readonly project: string; readonly id: string };
