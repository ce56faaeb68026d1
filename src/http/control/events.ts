/** The control API's stream of events, as server-sent events; and which of its operations make a change of what. */
import type { WallClock } from '../../base/time.ts';
import type { Events, Follower, ToldEvent } from '../../journal/events.ts';
import type { Stream } from '../reply.ts';
import { type Change, toChangeEvent } from './event-data.ts';
import type { ControlHandlers, ControlId } from './handler.ts';

/** After so long a comment is sent: proxies cut connections on which nothing moves. */
const restlessMs = 15_000;

/** What succeeded changes this. */
const changes: { readonly [Id in ControlId]?: Change } = {
  resetProject: 'reset',
  resetAll: 'reset',
  putClock: 'clock',
  advanceClock: 'clock',
  putActiveScenarios: 'scenarios',
  putServerScenarios: 'scenarios',
  putCallbackEndpoint: 'callback-endpoint',
  patchCallbackEndpoint: 'callback-endpoint',
  deleteCallbackEndpoint: 'callback-endpoint',
  putSnapshot: 'snapshot',
  putScenario: 'library',
  deleteScenario: 'library',
};

/** Tells of the change that an operation has made, if it makes one. */
export function publishChange(events: Events, id: ControlId, project: string | undefined): void {
  const what = changes[id];
  if (what) events.publish(toChangeEvent(what, project ?? null));
}

type Wanted = Pick<Follower, 'project' | 'wantsHints'>;

/** The stream of one follower: of a project's events or of all, from now on or from after an event. */
export function toStream(events: Events, wall: WallClock, wanted: Wanted, lastId?: string): Stream {
  return ({ write, end }) => {
    // The first line sends the head on its way; its id is for those who are cut off before any event.
    write(lastId === undefined ? `: from now on\nid: ${events.lastId()}\n\n` : ': going on\n\n');
    const unfollow = events.follow({ ...wanted, tell: (event) => write(toText(event)), end }, lastId);
    const rest = (): (() => void) =>
      wall.after(restlessMs, () => {
        write(': still here\n\n');
        cancel = rest();
      });
    let cancel = rest();
    return () => {
      cancel();
      unfollow();
    };
  };
}

function toText({ id, kind, text }: ToldEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${kind}\ndata: ${text}\n\n`;
}

export const eventHandlers: ControlHandlers<'getEvents'> = {
  getEvents: ({ events, wall }, { query, headers }) => {
    const project = query['project'] as string | undefined;
    // A client that has no id yet may send an empty one.
    const lastId = headers['last-event-id'] || undefined;
    const wanted = { project, wantsHints: query['records'] === true };
    return { status: 200, stream: toStream(events, wall, wanted, lastId && String(lastId)) };
  },
};
