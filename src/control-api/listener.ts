/** Control API handlers for the listener of a project: a client that answers its callbacks in place of a URL. */
import type { Callback } from '../callbacks/callback.ts';
import { type ListenerAnswer, type ListenerConnection, listenerUrl } from '../callbacks/listener.ts';
import { maxHeadBytes } from '../callbacks/send.ts';
import { defaultSecret } from '../callbacks/signature.ts';
import type { StreamSink } from '../http/reply.ts';
import { durationHelp, parseDuration } from '../lib/duration.ts';
import { inTurn } from '../lib/in-turn.ts';
import { toTimestamp } from '../lib/time.ts';
import { nextTurn } from '../lib/timers.ts';
import type { Project } from '../project/project.ts';
import { maxAttempts, toGrowth } from './callbacks.ts';
import { findSlot, keepAlive, toChangeEvent } from './events.ts';
import {
  type ControlHandlers,
  type ControlParts,
  type ControlRequest,
  noContent,
  type OperationRequest,
  type Rejection,
  recordSetting,
  reject,
} from './handler.ts';

/** Makes the listener the project's endpoint, unless it has a callback URL, which is used again after the listener. */
function setEndpoint(parts: ControlParts, project: Project): void {
  const { endpoint } = project.state;
  if (endpoint && (endpoint.url !== listenerUrl || !endpoint.disabled)) return;
  recordSetting(parts, project, { kind: 'callback-endpoint', url: listenerUrl, disabled: false });
  project.state.endpoint = { url: listenerUrl, secret: endpoint?.secret ?? defaultSecret, disabled: false };
}

/** Finds the callbacks to send again: those attempted in a span of the project's time, or from one callback on. */
function findSince(project: Project | undefined, since: string): readonly Callback[] | undefined {
  const made = [...(project?.state.callbacks.values() ?? [])].filter(({ attempts }) => attempts.length > 0);
  if (since === 'first') return made;
  const span = parseDuration(since);
  if (span === undefined) {
    const index = made.findIndex(({ id }) => id === since);
    return index < 0 ? undefined : made.slice(index);
  }
  const from = toTimestamp(Math.max(0, (project?.now() ?? 0) - span));
  return made.filter(({ attempts }) => attempts.some(({ at }) => at >= from));
}

/** Sends callbacks again, before what is due later, as long as this client is the listener. */
function redeliverAll(
  parts: ControlParts,
  request: ControlRequest,
  {
    project,
    callbacks,
    connection,
  }: { project: Project; callbacks: readonly Callback[]; connection: ListenerConnection },
): void {
  for (const callback of callbacks) {
    void project.deliveries.redeliverInTurn(callback, () => {
      if (project.deliveries.listener.connection !== connection || project.deliveries.count(callback) > maxAttempts)
        return false;
      if (parts.admission.admit(project, toGrowth(callback.body, 1, 0), request.caller.key)) return false;
      recordSetting(parts, project, { kind: 'redelivery', callback: callback.id });
      return true;
    });
  }
}

/** Connects a client whose stream has begun. Returns a function to call when it has left. */
function connect(
  parts: ControlParts,
  request: ControlRequest,
  { project, callbacks, sink }: { project: Project; callbacks: readonly Callback[]; sink: StreamSink },
): () => void {
  const { events, wall } = parts;
  const { id } = project;
  const { listener } = project.deliveries;
  const send = (event: string, data: object): void => sink.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const goAway = (reason: string): (() => void) => {
    send('gone', { reason });
    sink.end();
    return () => undefined;
  };
  // Another client may have connected since this one was accepted.
  if (toTaken(request, project)) return goAway('taken over');
  // A client that comes back names its last connection; the id of a new one must not be that of another.
  const since = toTimestamp(Math.max(wall.now(), Date.parse(listener.connection?.since ?? '') + 1 || 0));
  const connection: ListenerConnection = {
    since,
    address: request.address,
    send: (attempt) => send('attempt', attempt),
    end: (reason) => {
      if (reason !== undefined) send('gone', { reason });
      sink.end();
    },
  };
  sink.write(`: connected\nid: ${since}\n\n`);
  const notify = (): void => events.publish(toChangeEvent('callback-endpoint', id));
  const isBack = request.headers['last-event-id'] === listener.connection?.since;
  const leave = listener.connect(connection, isBack ? undefined : 'taken over');
  redeliverAll(parts, request, { project, callbacks, connection });
  notify();
  // A project with a listener is not idle, so it is not evicted.
  return inTurn(project.onEnd(sink.end), leave, notify, keepAlive(sink.write, wall));
}

/** Returns the problem if another client is the listener, and this one neither takes over nor was that client before. */
function toTaken({ query, headers }: ControlRequest, { deliveries: { listener } }: Project) {
  const { connection } = listener;
  if (!connection || query['takeover'] === true || headers['last-event-id'] === connection.since) return undefined;
  const { since, address } = connection;
  const message = `this project has a listener since ${since}, from ${address}: end it, or take over with takeover=true`;
  return { problem: { kind: 'conflict', message, fields: { code: 'listener_taken', since, address } } as const };
}

/** Returns the mistake in an answer that its schema cannot describe. */
function checkAnswer(answer: OperationRequest<'putListenerAttempt'>['body']): Rejection | undefined {
  const { status, error, headers = {} } = answer;
  if (status === undefined && error === undefined) {
    const message = 'expected `status` with the response of your receiver, or `error` if it has none';
    return reject('invalid', message, '/status');
  }
  const length = Object.entries(headers).flat().join('').length;
  if (length > maxHeadBytes)
    return reject('invalid', `expected at most 16 kB of headers, as from a URL; got ${length} characters`, '/headers');
  const extra = (['status', 'headers', 'body', 'latencyMs'] as const).find((name) => answer[name] !== undefined);
  if (error === undefined || extra === undefined) return undefined;
  return reject('invalid', 'expected no other field beside `error`: without a response there is none', `/${extra}`);
}

export const listenerHandlers: ControlHandlers<'getListener' | 'putListenerAttempt'> = {
  getListener: (parts, request, existing) => {
    const { caller, params, query, method } = request;
    const id = params.projectId;
    const slot = findSlot(parts, caller, id);
    if ('problem' in slot) return slot;
    const taken = existing && toTaken(request, existing);
    if (taken) return taken;
    const { since } = query;
    const callbacks = since === undefined ? [] : findSince(existing, since);
    if (!callbacks) {
      const message = `expected ${durationHelp}, the id of a callback that was attempted, or first; got ${JSON.stringify(since)}`;
      return reject('invalid', message, 'query:since');
    }
    const project = method === 'HEAD' ? undefined : parts.projects.open(id);
    if (project) setEndpoint(parts, project);
    // A client that comes back has had these already.
    const wanted = request.headers['last-event-id'] ? [] : callbacks;
    return {
      status: 200,
      stream: slot.toStream((sink) => {
        // The project was reset since, or is elsewhere: the client connects again.
        if (!project || project.isDisposed()) {
          sink.end();
          return () => undefined;
        }
        return connect(parts, request, { project, callbacks: wanted, sink });
      }),
    };
  },

  putListenerAttempt: async (_parts, { params: { id }, body }, project) => {
    const mistake = checkAnswer(body);
    if (mistake) return mistake;
    const result = project?.deliveries.listener.answer(id, body as ListenerAnswer);
    if (result === 'taken') {
      // The attempt is recorded in this turn, so that the response waits until it is saved.
      await nextTurn();
      return noContent;
    }
    if (result === 'answered') return reject('conflict', `attempt ${id} has an answer already; the first one counts`);
    const message = `no attempt ${id} waits for an answer: its id is unknown, or it has ended by its deadline, with its connection or by a reset`;
    return reject('notFound', message);
  },
};
