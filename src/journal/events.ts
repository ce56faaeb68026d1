/** Tells followers what happens, and keeps the latest of it for those who come back. Knows nothing of what it tells. */
import type { WallClock } from '../base/time.ts';

/** Something that happened. */
export interface NewEvent {
  readonly kind: 'request' | 'callback' | 'change';
  /** The project that it is of, or null: a change is then one of every project, a request one of none. */
  readonly project: string | null;
  /** What is told of it. Asked for once, when somebody is told: until then it costs nothing. */
  readonly data: () => object;
}

/** An event as it is told. */
export interface ToldEvent {
  /** Names this server and the event's number in it; what a follower comes back with. A hint has none. */
  readonly id?: string;
  readonly kind: NewEvent['kind'] | 'gap' | 'records';
  /** Its data, as JSON. */
  readonly text: string;
}

/** Somebody who is told. */
export interface Follower {
  /** Only events of this project are told, if one is named. */
  readonly project: string | undefined;
  /** Whether it is told of records that were changed after the answer, too. */
  readonly wantsHints?: boolean;
  tell(event: ToldEvent): void;
  /** Nothing more will come. */
  end(): void;
}

export interface Events {
  publish(event: NewEvent): void;
  /** Tells those who want it, at this moment and never again, that a project's records may be others now. */
  hint(project: string): void;
  /**
   * Tells of all that happens from now on; with the id of an event first of all that is kept since. Where that is not
   * all there was, a `gap` comes before it. Gives back what ends it.
   */
  follow(follower: Follower, lastId?: string): () => void;
  /** The id of the latest event, or one to come back with before there was any. */
  lastId(): string;
  /** How many are told. */
  followers(): number;
  /** Ends all followers, and who comes later at once. */
  close(): void;
}

/** How many events are kept. */
const mostEvents = 1000;

interface KeptEvent {
  readonly number: number;
  readonly kind: NewEvent['kind'];
  readonly project: string | null;
  /** What gives the data, or the text that it has become. */
  data: (() => object) | string;
}

export function createEvents(wall: WallClock, most: number = mostEvents): Events {
  /** By number, the latest in the place of the one that it is too many for. */
  const ring: KeptEvent[] = [];
  const followers = new Set<Follower>();
  const start = wall.now().toString(36);
  let count = 0;
  let closed = false;

  const idOf = (number: number): string => `${start}-${number}`;
  const oldest = (): number => Math.max(1, count - most + 1);

  function tell(follower: Follower, event: KeptEvent): void {
    const { project } = follower;
    const concerned =
      project === undefined || event.project === project || (event.kind === 'change' && event.project === null);
    if (!concerned) return;
    if (typeof event.data !== 'string') event.data = JSON.stringify(event.data());
    follower.tell({ id: idOf(event.number), kind: event.kind, text: event.data });
  }

  function catchUp(follower: Follower, lastId: string): void {
    const last = numberOf(lastId, start);
    const reason = last === undefined || last > count ? foreign : last < oldest() - 1 ? tooOld(most) : undefined;
    // Its id is that of the last one lost: who comes back with it has missed nothing since.
    if (reason) follower.tell({ id: idOf(oldest() - 1), kind: 'gap', text: JSON.stringify({ reason }) });
    const from = reason || last === undefined ? oldest() : last + 1;
    for (let number = from; number <= count; number += 1) tell(follower, ring[number % most] as KeptEvent);
  }

  return {
    publish: ({ kind, project, data }) => {
      count += 1;
      const event: KeptEvent = { number: count, kind, project, data };
      ring[count % most] = event;
      for (const follower of followers) tell(follower, event);
    },
    hint: (project) => {
      for (const follower of followers) {
        const isConcerned = follower.project === undefined || follower.project === project;
        if (follower.wantsHints && isConcerned) follower.tell({ kind: 'records', text: JSON.stringify({ project }) });
      }
    },
    follow: (follower, lastId) => {
      if (lastId !== undefined) catchUp(follower, lastId);
      if (closed) follower.end();
      else followers.add(follower);
      return () => followers.delete(follower);
    },
    lastId: () => idOf(count),
    followers: () => followers.size,
    close: () => {
      closed = true;
      const told = [...followers];
      followers.clear();
      for (const follower of told) follower.end();
    },
  };
}

const foreign = 'this id is of no event of this server: it has been started anew since';

function tooOld(most: number): string {
  return `only the latest ${most.toLocaleString('en')} events are kept, and there were more since`;
}

/** The number in an id, where it is one of this server. */
function numberOf(id: string, start: string): number | undefined {
  const [, own, number] = /^([0-9a-z]+)-(\d{1,15})$/.exec(id) ?? [];
  return own === start ? Number(number) : undefined;
}
