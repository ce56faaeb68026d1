/** The list of a project's callbacks: its filters, counts, orders and views. */
import { type Callback, callbackTypes } from '../../callbacks/callback.ts';
import { traceIdOf } from '../../lib/trace.ts';
import { operationIds } from '../../operations/index.ts';
import { type ControlParts, type ControlRequest, projectOf, startOfSpan } from '../handler.ts';
import type { List, Sorts } from '../lists/list.ts';
import { toTextTest, toValues } from '../lists/select.ts';
import { showCallback, showRow } from './show.ts';

export function defineCallbacks(parts: ControlParts, request: ControlRequest): List<Callback> {
  const { query, caller } = request;
  const project = projectOf(request);
  return {
    items: () => [...(parts.projects.find(project)?.state.callbacks.values() ?? [])],
    numberOf: ({ change }) => change,
    since: { noun: 'a callback of this project', idOf: ({ id }) => id },
    watch: (notify) => parts.projects.on('callback', (name, callback) => name === project && notify([callback])),
    filters: {
      requestId: (value) => {
        const ids = toValues(value);
        return ({ requestId }) => ids.has(requestId);
      },
      trace: (value) => {
        const wanted = value.toLowerCase();
        return ({ trace }) => trace !== undefined && traceIdOf(trace) === wanted;
      },
      within: (value) => {
        const first = startOfSpan(parts, project, value);
        return ({ body }) => body.timestamp >= first;
      },
      triggered:
        (value) =>
        ({ triggered = false }) =>
          String(triggered) === value,
      entity: (value) => {
        // An id may contain a comma itself.
        const ids = toValues(value).add(value);
        return (callback) => entriesOf(callback).some(({ id }) => ids.has(id));
      },
      contains: (value) => {
        const matches = toTextTest(value);
        return (callback) => textsOf(callback).some(matches);
      },
    },
    known: {
      type: { noun: 'a type of callbacks', values: callbackTypes },
      operation: { noun: 'an operationId', values: operationIds },
    },
    facets: {
      state: { keyOf: ({ state }) => state },
      type: { keyOf: ({ type }) => type },
      operation: { keyOf: ({ operation }) => operation },
    },
    sorts: {
      at: ({ body }) => body.timestamp,
      type: ({ type }) => type,
      state: ({ state }) => state,
      attempts: ({ attempts }) => attempts.length,
      status: ({ attempts }) => attempts.at(-1)?.status ?? 0,
      latency: ({ attempts }) => attempts.at(-1)?.response?.durationMs ?? -1,
      operation: ({ operation }) => operation,
    } satisfies Sorts<'listCallbacks', Callback>,
    show: (callback) => (query['view'] === 'rows' ? showRow(project, callback) : showCallback(parts, caller, callback)),
  };
}

function entriesOf({ body: { data } }: Callback): readonly { readonly id: string; readonly reason?: string }[] {
  return [...data.failed, ...(data.succeeded ?? [])];
}

function textsOf(callback: Callback): readonly string[] {
  const { id, type, operation, requestId } = callback;
  return [id, type, operation, requestId, ...entriesOf(callback).flatMap((one) => [one.id, one.reason ?? ''])];
}
