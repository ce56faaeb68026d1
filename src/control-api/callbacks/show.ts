/** Converts callbacks for responses of the control API: whole, and as rows of a table. */
import type { Attempt, Callback, CallbackMessage } from '../../callbacks/callback.ts';
import type { ReceiverResponse } from '../../callbacks/response.ts';
import { traceIdOf } from '../../lib/trace.ts';
import type { components } from '../../openapi/control.gen.ts';
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
