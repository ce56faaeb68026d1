/**
 * Control API handler for the stream of server-sent events, and the events that are published: of requests, callbacks and
 * changes. They are small and contain no bodies, because they are stored.
 */
import { randomUUID } from 'node:crypto';
import type { Callback } from '../callbacks/callback.ts';
import type { Stream } from '../http/reply.ts';
import type { JournalEntry } from '../journal/entry.ts';
import type { EventLog, NewEvent, PublishedEvent, Subscriber } from '../journal/events.ts';
import { inTurn } from '../lib/in-turn.ts';
import type { WallClock } from '../lib/time.ts';
import { showHead } from './callbacks/show.ts';
import { type Caller, toSlotName } from './caller.ts';
import type { ControlHandlers, ControlId, ControlParts, Rejection } from './handler.ts';
import { countEntries, scenariosOf, showIds, toHead } from './requests/show.ts';

/** Interval of keep-alive comments, in milliseconds: proxies close idle connections. */
const keepAliveMs = 15_000;

/** Sends comments until the returned function is called. */
export function keepAlive(write: (text: string) => void, wall: WallClock): () => void {
  const schedule = (): (() => void) =>
    wall.after(keepAliveMs, () => {
      write(': keep-alive\n\n');
      cancel = schedule();
    });
  let cancel = schedule();
  return () => cancel();
}

/** The changed part of a project or of the server, other than records. */
export type Change = 'reset' | 'fork' | 'clock' | 'scenarios' | 'callback-endpoint' | 'snapshot' | 'library';

export function toRequestEvent(entry: JournalEntry): NewEvent {
  const head = toHead(entry);
  const { project } = head;
  const { accepted, refused } = countEntries(entry);
  const { ids, idCount } = showIds(entry);
  // This is created for each request. Spreading an object of as many fields takes thirty times as long.
  const data = Object.assign(head, {
    warnings: entry.warnings.length,
    accepted,
    refused,
    rules: entry.fired.length,
    scenarios: scenariosOf(entry),
    ids,
    idCount,
  });
  return { kind: 'request', project, data };
}

export function toCallbackEvent(project: string, callback: Callback): NewEvent {
  const { operation: _, ...head } = showHead(callback);
  const { body, dueAt, attempts } = callback;
  const data = { ...head, project, failed: body.data.failed.length, dueAt, attempts: attempts.length };
  return { kind: 'callback', project, data };
}

export function toChangeEvent(what: Change, project: string | null): NewEvent {
  return { kind: 'change', project, data: { project, what } };
}

const changes: { readonly [Id in ControlId]?: Change } = {
  resetProject: 'reset',
  resetAll: 'reset',
  forkProject: 'fork',
  putClock: 'clock',
  advanceClock: 'clock',
  putActiveScenarios: 'scenarios',
  putActiveScenario: 'scenarios',
  deleteActiveScenario: 'scenarios',
  putServerScenarios: 'scenarios',
  putServerScenario: 'scenarios',
  deleteServerScenario: 'scenarios',
  putCallbackEndpoint: 'callback-endpoint',
  patchCallbackEndpoint: 'callback-endpoint',
  deleteCallbackEndpoint: 'callback-endpoint',
  putSnapshot: 'snapshot',
  putScenario: 'library',
  deleteScenario: 'library',
};

export function publishChange(events: EventLog, id: ControlId, project: string | undefined): void {
  const what = changes[id];
  if (what) events.publish(toChangeEvent(what, project ?? null));
}

type EventFilter = Pick<Subscriber, 'project' | 'wantsHints' | 'mayUse'>;

/** Creates a stream of events, of one project or of all, from now on or from after the event `lastId`. */
function toStream(
  events: Pick<EventLog, 'subscribe' | 'lastId'>,
  wall: WallClock,
  { positions, ...filter }: EventFilter & Pick<Caller, 'positions'>,
  lastId?: string,
): Stream {
  // Equal ids would show that no other project had an event meanwhile.
  const toId = (position: string): string => `id: ${positions.seal(position, randomUUID())}\n`;
  const toText = ({ id, kind, text }: PublishedEvent): string =>
    `${id === undefined ? '' : toId(id)}event: ${kind}\ndata: ${text}\n\n`;
  return ({ write, end }) => {
    // The first line makes Node send the head. Its id lets clients resume that are disconnected before the first event.
    write(lastId === undefined ? `: connected\n${toId(events.lastId())}\n` : ': resumed\n\n');
    const unsubscribe = events.subscribe({ ...filter, send: (event) => write(toText(event)), end }, lastId);
    return inTurn(keepAlive(write, wall), unsubscribe);
  };
}

/** Returns why there is no slot for a stream of a project or of the caller's key, or how to begin the stream in one. */
export function findSlot(
  { admission: { followers } }: ControlParts,
  caller: Caller,
  project: string | undefined,
): { toStream(begin: Stream, giveUp?: () => void): Stream } | Rejection {
  const slot = toSlotName(project, caller);
  const busy = followers.check(slot, caller.key);
  if (busy) return { problem: busy };
  return {
    toStream: (begin, giveUp) => (sink) => {
      // Requests of one packet are all checked before the first of their streams begins.
      if (!followers.check(slot, caller.key))
        return inTurn(followers.take(slot, caller.key), caller.onEnd(sink.end), begin(sink));
      giveUp?.();
      sink.end();
      return () => undefined;
    },
  };
}

export const eventHandlers: ControlHandlers<'getEvents'> = {
  getEvents: async (parts, request) => {
    const { query, headers, caller } = request;
    const { project, records = false } = query;
    const { controlPlacement, wall } = parts;
    // A client that has no id yet may send an empty one.
    const sent = headers['last-event-id'] || undefined;
    const { mayUse, positions } = caller;
    const filter = { project, wantsHints: records, mayUse, positions };
    const wanted = { project, lastId: sent && (positions.unseal(String(sent)) ?? '') };
    const followed = await controlPlacement?.follow(wanted);
    // Only now, as others may take the last slot meanwhile.
    const slot = findSlot(parts, caller, project);
    if ('problem' in slot) {
      followed?.giveUp();
      return slot;
    }
    // The client may leave before its stream begins.
    const stopWaiting = followed && request.onLeave?.(followed.giveUp);
    const events = followed ?? parts.events;
    const stream = toStream(events, wall, filter, wanted.lastId);
    return {
      status: 200,
      stream: slot.toStream((sink) => inTurn(stream(sink), stopWaiting), followed?.giveUp),
    };
  },
};
