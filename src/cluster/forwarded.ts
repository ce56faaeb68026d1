/** Defines what a replica sends to the owner of a project, and converts it to the request that the owner runs. */
import type { ControlId } from '../control-api/handler.ts';
import type { ApiRequest } from '../http/exchange.ts';
import type { PlacedRequest } from '../http/placement.ts';
import type { Problem } from '../lib/problem.ts';
import type { Call } from './dispatch.ts';
import type { ForwardedRequest } from './wide/ask-others.ts';

export interface ForwardedApi extends Pick<PlacedRequest, 'project'> {
  readonly request: ApiRequest;
  /** The problem of a body that could not be read. */
  readonly problem?: Problem;
}

export interface ForwardedControl {
  readonly id: ControlId;
  readonly project: string;
  readonly request: ForwardedRequest;
  readonly isRead: boolean;
}

export function toApiCall(forwarded: ForwardedApi, text: string, here: Call['here']): Call {
  return { kind: 'api', project: forwarded.project, creates: true, isRead: false, head: forwarded, text, here };
}

export function toControlCall(forwarded: ForwardedControl, here: Call['here']): Call {
  const { id, project, isRead, request } = forwarded;
  // Who waits for a project that does not exist yet, or is its listener, must be where it will be.
  const creates = !isRead || id === 'getListener' || request.query['await'] !== undefined;
  return { kind: 'control', project, creates, isRead, head: forwarded, text: '', here };
}
