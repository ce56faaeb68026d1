/** Defines what a replica asks all others about. */
import type { ControlId, ControlRequest } from '../../control-api/handler.ts';

/** A request as it is sent to another replica, which identifies the caller again. */
export type ForwardedRequest = Omit<ControlRequest, 'onLeave' | 'caller'>;

export type Question =
  /** A new reading of a shared value, which has changed. */
  | { readonly about: 'refresh'; readonly key: string }
  /** The response to the same request with what that replica has. */
  | { readonly about: 'same'; readonly id: ControlId; readonly request: ForwardedRequest }
  /** Summaries of projects that it owns. */
  | { readonly about: 'projects'; readonly ids: readonly string[]; readonly request: ForwardedRequest }
  /** The number of the request in the query's `since`. */
  | { readonly about: 'since'; readonly request: ForwardedRequest }
  /** The matching requests that come first on a page. */
  | { readonly about: 'requests'; readonly since: number; readonly request: ForwardedRequest }
  /** The number of matching requests. */
  | { readonly about: 'count'; readonly since: number; readonly request: ForwardedRequest }
  /** Its stray requests that name a project. */
  | { readonly about: 'strays'; readonly project: string }
  /** The removal of its stray requests that name a project, which was reset. */
  | { readonly about: 'drop-strays'; readonly project: string }
  /** A stream of its events, of one project or of all: from now on, or from after its part of an id. */
  | { readonly about: 'events'; readonly project: string | undefined; readonly after: string | undefined }
  /** The reset of all its projects. */
  | { readonly about: 'reset' };

export function toForwarded({ onLeave: _onLeave, caller: _caller, ...request }: ControlRequest): ForwardedRequest {
  return request;
}
