/** Converts callbacks for responses of the control API: whole, and as rows of a table. */
import type { Attempt, Callback, CallbackMessage, Endpoint } from '../../callbacks/callback.ts';
import { isListener } from '../../callbacks/listener.ts';
import type { ReceiverResponse } from '../../callbacks/response.ts';
import { traceIdOf } from '../../lib/trace.ts';
import type { components } from '../../openapi/control.gen.ts';
import type { Project } from '../../project/project.ts';
import type { Caller } from '../caller.ts';
import type { ControlParts } from '../handler.ts';

type Shown = components['schemas']['Callback'];
type Row = components['schemas']['CallbackRow'];

/**
 * Returns whether a caller may read what receivers respond. The holder of a key chooses the URL of callbacks, and could
 * read internal services that way, unless the operator has limited the hosts.
 */
export function mayReadResponses({ limitsCallbackHosts }: ControlParts, { isAdmin }: Caller): boolean {
  return isAdmin || limitsCallbackHosts;
}

const hidden =
  '(not shown to an API key, because callbacks may go to any host: start the sandbox with --callback-allow to limit them)';

export function showCallback(parts: ControlParts, caller: Caller, callback: Callback): Shown {
  const { callbackFormat } = parts;
  const { id, type, state, requestId, operation, body, dueAt, attempts } = callback;
  const showsResponse = mayReadResponses(parts, caller);
  return {
    id,
    type,
    state,
    requestId,
    operation,
    ...toMarks(callback),
    ...(callbackFormat.method !== 'POST' && { method: callbackFormat.method }),
    body: callbackFormat.toBody(id, body) as Shown['body'],
    ...(callbackFormat.hasOwnBody && { data: toData(body) }),
    dueAt,
    attempts: attempts.map((attempt) => showAttempt(attempt, showsResponse)),
  };
}

export function showAttempt(
  { response, ...attempt }: Attempt,
  showsResponse: boolean,
): components['schemas']['Attempt'] {
  const shown = response && { response: showsResponse ? showResponse(response) : hideResponse(response) };
  return { ...attempt, headers: { ...attempt.headers }, ...shown };
}

function showResponse(response: ReceiverResponse): components['schemas']['ReceiverResponse'] {
  return { ...response, headers: { ...response.headers } };
}

function hideResponse({ durationMs }: ReceiverResponse): components['schemas']['ReceiverResponse'] {
  return { headers: {}, body: hidden, durationMs };
}

/** Returns the trace that a callback continues, and whether it was made without a request. */
export function toMarks({ trace, triggered }: Callback): Pick<Row, 'traceId' | 'triggered'> {
  return { ...(trace && { traceId: traceIdOf(trace) }), ...(triggered && { triggered }) };
}

/** Shows the endpoint of a project without its secret, or the one that a new project gets. */
export function showEndpoint(
  project: Project | undefined,
  { defaultEndpoint }: Pick<ControlParts, 'defaultEndpoint'>,
): components['schemas']['CallbackEndpoint'] {
  const endpoint = project ? project.state.endpoint : defaultEndpoint;
  const { since, address } = project?.listener.connection ?? {};
  return {
    url: ownUrlOf(endpoint) ?? null,
    disabled: project?.listener.endpointOr(endpoint)?.disabled ?? endpoint?.disabled ?? false,
    ...(since !== undefined && address !== undefined && { listener: { since, address } }),
  };
}

/** Returns the callback URL of an endpoint; undefined if it is the project's listener. */
function ownUrlOf(endpoint: Endpoint | undefined): string | undefined {
  return endpoint && !isListener(endpoint.url) ? endpoint.url : undefined;
}

/** Returns what a callback reports, which an own body may not show. */
function toData({ timestamp, data: { failed, succeeded, ...data } }: CallbackMessage): NonNullable<Shown['data']> {
  const lists = succeeded ? { succeeded: [...succeeded] } : { failed: [...failed] };
  return { timestamp, ...data, ...lists };
}

/** Maximum number of ids and of attempts in a row. */
const maxRowIds = 3;
const maxRowAttempts = 20;

export function showRow(project: string, callback: Callback): Row {
  const { id, type, state, requestId, operation, body, dueAt, attempts } = callback;
  const entries = body.data.succeeded ?? body.data.failed;
  return {
    id,
    at: body.timestamp,
    project,
    type,
    state,
    requestId,
    operation,
    ...toMarks(callback),
    dueAt,
    ids: entries.slice(0, maxRowIds).map((entry) => entry.id),
    idCount: entries.length,
    attempts: attempts.slice(-maxRowAttempts).map(({ at, cause, listener, status, error, response }) => ({
      at,
      cause,
      ...(listener && { listener }),
      ...(status !== undefined && { status }),
      ...(error !== undefined && { error }),
      ...(response && { durationMs: response.durationMs }),
    })),
    attemptCount: attempts.length,
  };
}
