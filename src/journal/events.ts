/** Sends events to subscribers, and stores the latest ones for subscribers that reconnect. */
import type { WallClock } from '../lib/time.ts';
import { timers } from '../lib/timers.ts';

export interface NewEvent {
  readonly kind: 'request' | 'callback' | 'change';
  /** The project's id. Null for a change of all projects, and for a request that belongs to no project. */
  readonly project: string | null;
  readonly data: object;
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

/** Number of stored events. */
const maxEvents = 1000;

/** Maximum number of events sent in one turn of the event loop: 1,000 writes take some 100 ms. */
const maxSendsPerTurn = 50;

/** Maximum number of events sent at close, which must not take long: one for each of 1,000 subscribers. */
const maxSendsAtClose = 1000;

interface StoredEvent {
  readonly number: number;
  readonly kind: NewEvent['kind'];
  readonly project: string | null;
  /** The data; once they were sent, as JSON. */
  data: object | string;
}

interface Subscription {
  readonly subscriber: Subscriber;
  /** Number of the first unsent event. */
  from: number;
  /** Projects with an unsent hint; hints are sent after the events. */
  readonly hints: Set<string>;
}

export class EventLog {
  /** The part of an id that identifies this server. */
  readonly origin: string;
  /** Ring buffer by event number: when it is full, each event replaces the oldest. */
  readonly #ring: StoredEvent[] = [];
  readonly #subscriptions = new Set<Subscription>();
  /** The subscriptions with unsent events or hints, which are served with a limited number of sends per turn. */
  readonly #waiting = new Set<Subscription>();
  #isScheduled = false;
  #count = 0;
  #isClosed = false;

  constructor(wall: WallClock, origin: string = wall.now().toString(36)) {
    this.origin = origin;
  }

  publish({ kind, project, data }: NewEvent): void {
    this.#count += 1;
    const event: StoredEvent = { number: this.#count, kind, project, data };
    this.#ring[this.#count % maxEvents] = event;
    for (const one of this.#subscriptions) if (isFor(event, one.subscriber)) this.#enter(one, this.#count);
    this.#serve();
  }

  /** Notifies the subscribers that want hints that records may have changed. Hints are not stored. */
  notifyRecordsChanged(project: string): void {
    for (const subscription of this.#subscriptions) {
      const { wantsHints, project: own, mayUse } = subscription.subscriber;
      if (!wantsHints || (own !== undefined && own !== project) || mayUse?.(project) === false) continue;
      subscription.hints.add(project);
      this.#enter(subscription, this.#count + 1);
    }
    this.#serve();
  }

  /**
   * Sends all events from now on. With `lastId`, first sends the stored events after it, preceded by a `gap` event if
   * some of them are no longer stored. Returns a function that ends the subscription.
   */
  subscribe(subscriber: Subscriber, lastId?: string): () => void {
    const last = lastId === undefined ? this.#count : readPositions(lastId).get(this.origin);
    const isKnown = last !== undefined && last <= this.#count;
    if (!isKnown) this.#sendGap(subscriber, unknownId);
    const subscription: Subscription = { subscriber, from: isKnown ? last + 1 : this.#oldest(), hints: new Set() };
    this.#subscriptions.add(subscription);
    this.#waiting.add(subscription);
    if (this.#isClosed) this.close();
    else this.#serve();
    return () => {
      this.#subscriptions.delete(subscription);
      this.#waiting.delete(subscription);
    };
  }

  /** Returns the id of the latest event; before the first event, an id to resume from. */
  lastId(): string {
    return this.#idOf(this.#count);
  }

  subscriberCount(): number {
    return [...this.#subscriptions].filter(({ subscriber }) => !subscriber.isServer).length;
  }

  /** Ends all subscriptions; ends later ones at once. */
  close(): void {
    this.#isClosed = true;
    this.#serveNow(maxSendsAtClose);
    for (const { subscriber } of this.#subscriptions) subscriber.end();
    this.#subscriptions.clear();
    this.#waiting.clear();
  }

  #idOf(number: number): string {
    return `${this.origin}-${number}`;
  }

  #oldest(): number {
    return Math.max(1, this.#count - maxEvents + 1);
  }

  #enter(subscription: Subscription, from: number): void {
    if (this.#waiting.has(subscription)) return;
    this.#waiting.add(subscription);
    subscription.from = from;
  }

  /** Sends what one turn may send, unless a turn is scheduled already, and the rest in later turns. */
  #serve(): void {
    if (this.#isScheduled) return;
    this.#serveNow(maxSendsPerTurn);
    if (this.#waiting.size === 0) return;
    this.#isScheduled = true;
    timers.setImmediate(() => {
      this.#isScheduled = false;
      this.#serve();
    });
  }

  #serveNow(max: number): void {
    let left = max;
    for (const subscription of this.#waiting) {
      left = this.#sendUnsent(subscription, left);
      if (left === 0) return;
    }
  }

  /** Sends at most `left` unsent events and hints to a subscriber. Returns how many are left for this turn. */
  #sendUnsent(subscription: Subscription, left: number): number {
    const { subscriber, hints } = subscription;
    if (subscription.from < this.#oldest()) {
      this.#sendGap(subscriber, tooOld());
      subscription.from = this.#oldest();
    }
    for (; subscription.from <= this.#count; subscription.from += 1) {
      if (left === 0) return 0;
      this.#sendEvent(subscriber, subscription.from);
      left -= 1;
    }
    for (const project of hints) {
      if (left === 0) return 0;
      hints.delete(project);
      subscriber.send({ kind: 'records', project, text: JSON.stringify({ project }) });
      left -= 1;
    }
    this.#waiting.delete(subscription);
    return left;
  }

  #sendEvent(subscriber: Subscriber, number: number): void {
    const event = this.#ring[number % maxEvents] as StoredEvent;
    if (!isFor(event, subscriber)) return;
    if (typeof event.data !== 'string') event.data = JSON.stringify(event.data);
    subscriber.send({ id: this.#idOf(number), kind: event.kind, project: event.project, text: event.data });
  }

  #sendGap(subscriber: Subscriber, reason: string): void {
    // The id of the last lost event: a subscriber that resumes from it receives all stored events.
    subscriber.send({ id: this.#idOf(this.#oldest() - 1), kind: 'gap', text: JSON.stringify({ reason }) });
  }
}

function isFor({ kind, project: of }: StoredEvent, { project, mayUse }: Subscriber): boolean {
  if (kind === 'change' && of === null) return true;
  return (project === undefined || of === project) && mayUse?.(of) !== false;
}

const unknownId = 'no event of this server has this id: the server was restarted';

// Texts with such numbers are written when they are needed: the first one loads the rules of languages for milliseconds.
const tooOld = (): string =>
  `only the latest ${maxEvents.toLocaleString('en')} events are stored, and older ones were missed`;

/** Reads the numbers in an event id, by server: `ORIGIN-NUMBER`, joined by dots if several servers share the projects. */
export function readPositions(id: string): Map<string, number> {
  const parts = id.split('.').map((part) => /^([0-9a-z]+)-(\d{1,15})$/.exec(part));
  return new Map(parts.flatMap((found) => (found?.[1] === undefined ? [] : [[found[1], Number(found[2])]])));
}

/** Writes the numbers of servers as an event id. */
export function toEventId(positions: ReadonlyMap<string, number>): string {
  return [...positions].map(([origin, number]) => `${origin}-${number}`).join('.');
}
