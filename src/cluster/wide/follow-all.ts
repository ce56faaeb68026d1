/** Merges the events of all servers for one subscriber. An id has the position in the events of each of them. */
import type { FollowedEvents } from '../../control-api/handler.ts';
import type { Reply, Stream } from '../../http/reply.ts';
import type { EventLog, PublishedEvent, Subscriber } from '../../journal/events.ts';
import { readPositions, toEventId } from '../../journal/events.ts';
import { inTurn } from '../../lib/in-turn.ts';
import { pause, type WallClock } from '../../lib/time.ts';
import type { Membership } from '../membership.ts';
import type { Question } from './ask-others.ts';

export interface FollowParts {
  readonly membership: Pick<Membership, 'others' | 'listOthers' | 'events'>;
  readonly wall: WallClock;
  /** Asks a server. Returns undefined if it does not answer. */
  open(url: string, question: Question, signal: AbortSignal): Promise<Reply | undefined>;
}

/** Which events a subscriber gets: of one project or of all, from now on or from after an id. */
interface Wanted {
  readonly project: string | undefined;
  readonly lastId: string | undefined;
}

/** How long a subscriber waits for a server that does not answer. */
const readyMs = 2000;
const pauseMs = 200;
const positionHeader = 'x-sandbox-position';
const lost = 'a server that had these events has ended';
const late = 'a server that may have had events answered late';

/** Resolves when all other servers have said where their events go on, or after some time. */
export async function followAll(own: EventLog, parts: FollowParts, wanted: Wanted): Promise<FollowedEvents> {
  const events = new MergedEvents(own, parts, wanted);
  await events.open();
  return events;
}

class MergedEvents implements FollowedEvents {
  readonly #own: EventLog;
  readonly #parts: FollowParts;
  readonly #wanted: Wanted;
  /** Number of the last event of each server. */
  readonly #positions = new Map<string, number>();
  /** The same of servers that are gone: one that was paused goes on. */
  readonly #left = new Map<string, number>();
  /** By address, which a server keeps when it joins again: what ends the connection. */
  readonly #connections = new Map<string, AbortController>();
  /** The server at each address. */
  readonly #origins = new Map<string, string>();
  /** Servers that have sent all their events, as they were asked to end. */
  readonly #ended = new Set<string>();
  /** Resolves when there is a subscriber. */
  readonly #subscribed: Promise<void>;
  #noteSubscribed: () => void = () => undefined;
  #subscriber: Subscriber | undefined;

  constructor(own: EventLog, parts: FollowParts, wanted: Wanted) {
    this.#subscribed = new Promise((resolve) => {
      this.#noteSubscribed = resolve;
    });
    this.#own = own;
    this.#parts = parts;
    this.#wanted = wanted;
  }

  async open(): Promise<void> {
    const { membership, wall } = this.#parts;
    this.#meet(toStart(this.#own, this.#wanted.lastId));
    await membership.listOthers();
    const answered = Promise.all(this.#connectAll());
    await new Promise<void>((resolve) => {
      const cancel = wall.after(readyMs, resolve);
      void answered.then(() => inTurn(cancel, resolve)());
    });
  }

  lastId(): string {
    return toEventId(this.#positions);
  }

  subscribe(subscriber: Subscriber): () => void {
    this.#subscriber = subscriber;
    const given = readPositions(this.#wanted.lastId ?? '');
    const isKnown = given.size > 0 && [...given.keys()].every((origin) => this.#positions.has(origin));
    if (this.#wanted.lastId !== undefined && !isKnown) this.#sendGap();
    const { origin } = this.#own;
    const ownPart = { ...subscriber, send: (event: PublishedEvent) => this.#send(origin, event) };
    const endOwn = this.#own.subscribe(ownPart, `${origin}-${this.#positions.get(origin)}`);
    this.#noteSubscribed();
    const { events } = this.#parts.membership;
    const onBeat = (): void => void this.#connectAll();
    events.on('beat', onBeat);
    return inTurn(endOwn, () => events.off('beat', onBeat), this.giveUp);
  }

  readonly giveUp = (): void => {
    for (const abort of this.#connections.values()) abort.abort();
  };

  /** Connects to servers that have joined, and leaves those that are gone. Returns when each of the new has answered. */
  #connectAll(): readonly Promise<void>[] {
    const urls = new Set(this.#parts.membership.others().map(({ url }) => url));
    for (const [url, abort] of this.#connections) {
      if (urls.has(url)) continue;
      abort.abort();
      this.#connections.delete(url);
      this.#leave(url);
    }
    return [...urls].filter((url) => !this.#connections.has(url)).map((url) => this.#connect(url));
  }

  #connect(url: string): Promise<void> {
    const abort = new AbortController();
    this.#connections.set(url, abort);
    return new Promise((answered) => void this.#follow(url, abort.signal, answered).finally(answered));
  }

  async #follow(url: string, signal: AbortSignal, answered: () => void): Promise<void> {
    const { wall, open } = this.#parts;
    const { project, lastId } = this.#wanted;
    // Of a server that joins later, all events are new.
    const isNew = this.#subscriber !== undefined;
    while (!signal.aborted) {
      const isKnown = isNew || this.#origins.has(url);
      const after = isKnown ? toEventId(new Map([...this.#left, ...this.#positions])) : lastId;
      const reply = await open(url, { about: 'events', project, after }, signal);
      const start = reply?.headers[positionHeader];
      if (reply?.stream && start !== undefined && this.#arrive(url, String(start))) {
        answered();
        if (!isKnown && after === undefined && this.#subscriber) this.#sendGap(late);
        await this.#subscribed;
        if (signal.aborted) return;
        await this.#read(reply.stream, url, signal);
      } else reply?.stream?.({ write: () => undefined, end: () => undefined })();
      await pause(wall, pauseMs);
    }
  }

  /** Notes which server is at an address. Returns false if it has sent all its events. */
  #arrive(url: string, start: string): boolean {
    const [origin = ''] = readPositions(start).keys();
    if (this.#ended.has(origin)) return false;
    if (this.#origins.get(url) !== origin) this.#leave(url);
    this.#origins.set(url, origin);
    this.#meet(start);
    return true;
  }

  #meet(start: string): void {
    for (const [origin, number] of readPositions(start))
      if (!this.#positions.has(origin)) this.#positions.set(origin, number);
  }

  /** Notes that the server at an address is gone. */
  #leave(url: string): void {
    const origin = this.#origins.get(url) ?? '';
    this.#origins.delete(url);
    const number = this.#positions.get(origin);
    if (number === undefined) return;
    this.#left.set(origin, number);
    this.#positions.delete(origin);
    this.#sendGap();
  }

  #read(stream: Stream, url: string, signal: AbortSignal): Promise<void> {
    let rest = '';
    return new Promise((resolve) => {
      const end = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const write = (text: string): void => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) this.#take(url, JSON.parse(line) as PublishedEvent | null);
      };
      const giveUp = (): void => inTurn(stop, end)();
      const stop = stream({ write, end });
      signal.addEventListener('abort', giveUp);
    });
  }

  /** Takes an event of the server at an address; null: it has ended its events. */
  #take(url: string, event: PublishedEvent | null): void {
    const origin = this.#origins.get(url) ?? '';
    if (event) {
      const { mayUse, wantsHints } = this.#subscriber ?? {};
      const isForAll = event.kind === 'gap' || (event.kind === 'change' && event.project === null);
      const isWanted = event.kind !== 'records' || wantsHints === true;
      if (isWanted && (isForAll || mayUse?.(event.project ?? null) !== false)) this.#send(origin, event);
      return;
    }
    this.#ended.add(origin);
    this.#positions.delete(origin);
  }

  #send(origin: string, { id, ...event }: PublishedEvent): void {
    if (id !== undefined) this.#positions.set(origin, readPositions(id).get(origin) ?? 0);
    this.#subscriber?.send(id === undefined ? event : { ...event, id: this.lastId() });
  }

  #sendGap(reason = lost): void {
    this.#subscriber?.send({ id: this.lastId(), kind: 'gap', text: JSON.stringify({ reason }) });
  }
}

/** Returns the id after which the events of a server go on: its own part of an id, or its latest event. */
function toStart(events: EventLog, after: string | undefined): string {
  if (after === undefined) return events.lastId();
  return `${events.origin}-${readPositions(after).get(events.origin) ?? 0}`;
}

/** Sends the events of this server to another one. */
export function serveEvents(events: EventLog, { project, after }: Extract<Question, { about: 'events' }>): Reply {
  const start = toStart(events, after);
  return {
    status: 200,
    headers: { [positionHeader]: start },
    body: undefined,
    stream: ({ write, end }) => {
      const send = (event: PublishedEvent | null): void => write(`${JSON.stringify(event)}\n`);
      const subscriber: Subscriber = {
        project,
        wantsHints: true,
        isServer: true,
        send,
        end: () => {
          send(null);
          end();
        },
      };
      return events.subscribe(subscriber, start);
    },
  };
}
