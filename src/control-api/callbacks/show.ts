/** Converts callbacks for responses of the control API: whole, and as rows of a table. */
import type { Attempt, Callback, CallbackMessage } from '../../callbacks/callback.ts';
import { isListener } from '../../callbacks/listener.ts';
import { traceIdOf } from '../../lib/trace.ts';
import type { Project } from '../../project/project.ts';
import type { Caller } from '../caller.ts';
import type { ControlParts, Schema } from '../handler.ts';

type Row = Schema<'CallbackRow'>;
type Head = Pick<Schema<'Callback'>, 'id' | 'type' | 'state' | 'requestId' | 'operation' | 'traceId' | 'triggered'>;

/**
 * Returns whether a caller may read what receivers respond. The holder of a key chooses the URL of callbacks, and could
 * read internal services that way, unless the operator has limited the hosts.
 */
export function mayReadResponses({ limitsCallbackHosts }: ControlParts, { isAdmin }: Caller): boolean {
  return isAdmin || limitsCallbackHosts;
}

const hidden =
  '(not shown to an API key, because callbacks may go to any host: start the sandbox with --callback-allow to limit them)';

export function showCallback(parts: ControlParts, caller: Caller, callback: Callback): Schema<'Callback'> {
  const { callbackFormat } = parts;
  const { id, body, attempts } = callback;
  const showsResponse = mayReadResponses(parts, caller);
  return {
    ...showHead(callback),
    method: callbackFormat.method === 'POST' ? undefined : callbackFormat.method,
    body: callbackFormat.toBody(id, body) as Schema<'Callback'>['body'],
    data: callbackFormat.hasOwnBody ? toData(body) : undefined,
    dueAt: callback.dueAt,
    attempts: attempts.map((attempt) => showAttempt(attempt, showsResponse)),
  };
}

/** Returns the facts of a callback that lists and events show alike: with its trace, and whether it had no request. */
export function showHead({ id, type, state, requestId, operation, trace, triggered }: Callback): Head {
  return {
    id,
    type,
    state,
    requestId,
    operation,
    traceId: trace && traceIdOf(trace),
    triggered: triggered || undefined,
  };
}

export function showAttempt({ response, ...attempt }: Attempt, showsResponse: boolean): Schema<'Attempt'> {
  const shown = response && !showsResponse ? { headers: {}, body: hidden, durationMs: response.durationMs } : response;
  return { ...attempt, response: shown };
}

/** Shows the endpoint of a project without its secret, or the one that a new project gets. */
export function showEndpoint(
  project: Project | undefined,
  { defaultEndpoint }: Pick<ControlParts, 'defaultEndpoint'>,
): Schema<'CallbackEndpoint'> {
  const endpoint = project ? project.state.endpoint : defaultEndpoint;
  const connection = project?.deliveries.listener.connection;
  return {
    url: endpoint && !isListener(endpoint.url) ? endpoint.url : null,
    disabled: project?.deliveries.listener.endpointOr(endpoint)?.disabled ?? endpoint?.disabled ?? false,
    listener: connection && { since: connection.since, address: connection.address },
  };
}

/** Returns what a callback reports, which an own body may not show. */
function toData({ timestamp, data: { failed, succeeded, ...data } }: CallbackMessage): Schema<'Callback'>['data'] {
  return { timestamp, ...data, ...(succeeded ? { succeeded } : { failed }) };
}

/** Maximum number of ids and of attempts in a row. */
const maxRowIds = 3;
const maxRowAttempts = 20;

export function showRow(project: string, callback: Callback): Row {
  const { body, dueAt, attempts } = callback;
  const entries = body.data.succeeded ?? body.data.failed;
  return {
    ...showHead(callback),
    at: body.timestamp,
    project,
    dueAt,
    ids: entries.slice(0, maxRowIds).map((entry) => entry.id),
    idCount: entries.length,
    attempts: attempts.slice(-maxRowAttempts).map(({ at, cause, listener, status, error, response }) => ({
      at,
      cause,
      listener,
      status,
      error,
      durationMs: response?.durationMs,
    })),
    attemptCount: attempts.length,
  };
}
