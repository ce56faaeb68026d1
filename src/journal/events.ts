/** Sends events to subscribers, and stores the latest ones for subscribers that reconnect. */
import type { WallClock } from '../lib/time.ts';
import { readPositions } from './event-id.ts';
import { createSendQueue } from './send-queue.ts';

export interface NewEvent {
  readonly kind: 'request' | 'callback' | 'change';
  /** The project's id. Null for a change of all projects, and for a request that belongs to no project. */
  readonly project: string | null;
  /** Creates the data, called at most once, when the event is first sent. */
  readonly data: () => object;
}

export interface PublishedEvent {
  /** Identifies this server and the event's number; a subscriber resumes from it. Hints have no id. */
  readonly id?: string;
  readonly kind: NewEvent['kind'] | 'gap' | 'records';
  /** The project of the event; undefined for a gap. */
  readonly project?: string | null;
  readonly text: string;
}

export interface Subscriber {
  /** Receives only the events of this project; undefined for all projects. */
  readonly project: string | undefined;
  /** Whether it may see what belongs to a project, or to none (null). Default: yes. */
  readonly mayUse?: (project: string | null) => boolean;
  /** Whether to receive hints also: notices that records changed after the response. */
  readonly wantsHints?: boolean;
  /** Whether it is another server that shares the projects; it is not counted. */
  readonly isServer?: boolean;
  send(event: PublishedEvent): void;
  /** Called after the last event. */
  end(): void;
}

export interface EventLog {
  /** The part of an id that identifies this server. */
  readonly origin: string;
  publish(event: NewEvent): void;
  /** Notifies the subscribers that want hints that records may have changed. Hints are not stored. */
  notifyRecordsChanged(project: string): void;
  /**
   * Sends all events from now on. With `lastId`, first sends the stored events after it, preceded by a `gap` event if
   * some of them are no longer stored. Returns a function that ends the subscription.
   */
  subscribe(subscriber: Subscriber, lastId?: string): () => void;
  /** Returns the id of the latest event; before the first event, an id to resume from. */
  lastId(): string;
  subscriberCount(): number;
  /** Ends all subscriptions; ends later ones at once. */
  close(): void;
}

/** Default number of stored events. */
const maxEvents = 1000;

/** Maximum number of events sent in one turn of the event loop: 1,000 writes take some 100 ms. */
const maxSendsPerTurn = 50;

/** Maximum number of events sent at close: one for each of the maximum of 1,000 subscribers. */
const maxSendsAtClose = 1000;

interface StoredEvent {
  readonly number: number;
  readonly kind: NewEvent['kind'];
  readonly project: string | null;
  /** Creates the data; after the first call, the data as JSON. */
  data: NewEvent['data'] | string;
}

interface Subscription {
  readonly subscriber: Subscriber;
  /** Number of the first unsent event. */
  from: number;
  /** Projects with an unsent hint; hints are sent after the events. */
  readonly hints: Set<string>;
}

export function createEventLog(
  wall: WallClock,
  max: number = maxEvents,
  runLater?: (run: () => void) => void,
  origin: string = wall.now().toString(36),
): EventLog {
  /** Ring buffer by event number: when it is full, each event replaces the oldest. */
  const ring: StoredEvent[] = [];
  const subscriptions = new Set<Subscription>();
  const queue = createSendQueue(maxSendsPerTurn, sendUnsent, runLater);
  let count = 0;
  let closed = false;

  const idOf = (number: number): string => `${origin}-${number}`;
  const oldest = (): number => Math.max(1, count - max + 1);

  function sendEvent(subscriber: Subscriber, event: StoredEvent): void {
    if (!isFor(event, subscriber)) return;
    if (typeof event.data !== 'string') event.data = JSON.stringify(event.data());
    subscriber.send({ id: idOf(event.number), kind: event.kind, project: event.project, text: event.data });
  }

  function sendGap(subscriber: Subscriber, reason: string): void {
    // The id of the last lost event: a subscriber that resumes from it receives all stored events.
    subscriber.send({ id: idOf(oldest() - 1), kind: 'gap', text: JSON.stringify({ reason }) });
  }

  function sendMissed(subscriber: Subscriber, lastId: string): void {
    const last = readPositions(lastId).get(origin);
    const reason = last === undefined || last > count ? unknownId : last < oldest() - 1 ? tooOld(max) : undefined;
    if (reason) sendGap(subscriber, reason);
    const from = reason || last === undefined ? oldest() : last + 1;
    for (let number = from; number <= count; number += 1) sendEvent(subscriber, ring[number % max] as StoredEvent);
  }

  /** Sends at most `left` unsent events and hints to a subscriber. Returns how many are left for this turn. */
  function sendUnsent(subscription: Subscription, left: number): number {
    const { subscriber, hints } = subscription;
    if (subscription.from < oldest()) {
      sendGap(subscriber, tooOld(max));
      subscription.from = oldest();
    }
    for (; subscription.from <= count; subscription.from += 1) {
      if (left === 0) return 0;
      sendEvent(subscriber, ring[subscription.from % max] as StoredEvent);
      left -= 1;
    }
    for (const project of hints) {
      if (left === 0) return 0;
      hints.delete(project);
      subscriber.send({ kind: 'records', project, text: JSON.stringify({ project }) });
      left -= 1;
    }
    queue.leave(subscription);
    return left;
  }

  function enter(subscription: Subscription, from: number): void {
    if (queue.enter(subscription)) subscription.from = from;
  }

  return {
    origin,
    publish: ({ kind, project, data }) => {
      count += 1;
      const event: StoredEvent = { number: count, kind, project, data };
      ring[count % max] = event;
      for (const one of subscriptions) if (isFor(event, one.subscriber)) enter(one, count);
      queue.serve();
    },
    notifyRecordsChanged: (project) => {
      for (const subscription of subscriptions) {
        const { wantsHints, project: own, mayUse } = subscription.subscriber;
        if (!wantsHints || (own !== undefined && own !== project) || mayUse?.(project) === false) continue;
        subscription.hints.add(project);
        enter(subscription, count + 1);
      }
      queue.serve();
    },
    subscribe: (subscriber, lastId) => {
      if (lastId !== undefined) sendMissed(subscriber, lastId);
      const subscription: Subscription = { subscriber, from: count + 1, hints: new Set() };
      if (closed) subscriber.end();
      else subscriptions.add(subscription);
      return () => {
        subscriptions.delete(subscription);
        queue.leave(subscription);
      };
    },
    lastId: () => idOf(count),
    subscriberCount: () => [...subscriptions].filter(({ subscriber }) => !subscriber.isServer).length,
    close: () => {
      closed = true;
      queue.serveNow(maxSendsAtClose);
      const open = [...subscriptions];
      subscriptions.clear();
      for (const one of open) {
        queue.leave(one);
        one.subscriber.end();
      }
    },
  };
}

function isFor({ kind, project: of }: StoredEvent, { project, mayUse }: Subscriber): boolean {
  if (kind === 'change' && of === null) return true;
  return (project === undefined || of === project) && mayUse?.(of) !== false;
}

const unknownId = 'no event of this server has this id: the server was restarted';

function tooOld(max: number): string {
  return `only the latest ${max.toLocaleString('en')} events are stored, and older ones were missed`;
}
