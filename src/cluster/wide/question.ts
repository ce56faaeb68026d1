/** Defines what a replica asks all others about. */
import type { ControlId, ControlRequest } from '../../control-api/handler.ts';

/** A request as it is sent to another replica, which identifies the caller again. */
export type ForwardedRequest = Omit<ControlRequest, 'onLeave' | 'caller'>;

export type Question =
  /** The response to the same request with what that replica has. */
  | { readonly about: 'same'; readonly id: ControlId; readonly request: ForwardedRequest }
  /** Summaries of projects that it owns. */
  | { readonly about: 'projects'; readonly ids: readonly string[]; readonly request: ForwardedRequest }
  /** The number of the request in the query's `since`. */
  | { readonly about: 'since'; readonly request: ForwardedRequest }
  /** The numbers of matching requests. */
  | { readonly about: 'numbers'; readonly after: After; readonly limit: number; readonly request: ForwardedRequest }
  /** Requests by server and number. */
  | {
      readonly about: 'entries';
      readonly numbers: Readonly<Record<string, readonly number[]>>;
      readonly request: ForwardedRequest;
    }
  /** Its stray requests that name a project. */
  | { readonly about: 'strays'; readonly project: string }
  /** The removal of its stray requests that name a project, which was reset. */
  | { readonly about: 'drop-strays'; readonly project: string }
  /** A stream with the number of matching requests at each change. */
  | { readonly about: 'count'; readonly since: number; readonly request: ForwardedRequest }
  /** A stream of its events after an id. */
  | { readonly about: 'events'; readonly after: string | undefined }
  /** The reset of all its projects. */
  | { readonly about: 'reset' };

/** Requests after one of them, and after the last ones of the previous page: their numbers by server. */
export interface After {
  readonly since: number;
  readonly cursor: Readonly<Record<string, number>>;
}

export function toForwarded({ onLeave: _onLeave, caller: _caller, ...request }: ControlRequest): ForwardedRequest {
  return request;
}
