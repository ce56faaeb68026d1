/** Merges the events of this server and of the others. An id has the position in the events of each of them. */
import type { Followed } from '../../../control-api/handler.ts';
import { readPositions, toEventId } from '../../../journal/event-id.ts';
import type { EventLog, Subscriber } from '../../../journal/events.ts';
import { inTurn } from '../../../lib/in-turn.ts';

/** The events of the other servers. */
export interface OtherEvents {
  logs(): readonly EventLog[];
  /** Calls the listener with the events of a server that joins. Returns a function that unsubscribes. */
  onJoin(listener: (log: EventLog) => void): () => void;
  /** Calls the listener when a server has gone; `isComplete`: all its events have arrived. */
  onGone(listener: (origin: string, isComplete: boolean) => void): () => void;
  /** Keeps the connections to the other servers. Returns a function that releases them. */
  hold(): () => void;
}

const lost = 'a server that had these events has ended';

export function createMergedEvents(own: EventLog, others: OtherEvents): Followed['events'] {
  const allLogs = (): readonly EventLog[] => [own, ...others.logs()];

  return {
    subscribe: (subscriber, lastId) => {
      const merged = createMergedSubscription(subscriber, own);
      if (lastId === undefined) for (const log of allLogs()) merged.add(log);
      else merged.resume(allLogs(), readPositions(lastId));
      return inTurn(
        others.hold(),
        others.onJoin((log) => merged.add(log, 0)),
        others.onGone(merged.remove),
        merged.end,
      );
    },
    lastId: () =>
      allLogs()
        .map((log) => log.lastId())
        .join('.'),
  };
}

interface MergedSubscription {
  /** Subscribes to the events of a server from now on, or from after a position. */
  add(log: EventLog, after?: number): void;
  /** Subscribes to the events of servers from after these positions. */
  resume(logs: readonly EventLog[], given: ReadonlyMap<string, number>): void;
  /** Ends the subscription of a server that has gone; `isComplete`: all its events have arrived. */
  remove(origin: string, isComplete: boolean): void;
  end(): void;
}

function createMergedSubscription(subscriber: Subscriber, own: EventLog): MergedSubscription {
  /** Number of the last event of each server. */
  const positions = new Map<string, number>();
  const subscriptions = new Map<string, () => void>();

  const sendGap = (): void =>
    subscriber.send({ id: toEventId(positions), kind: 'gap', text: JSON.stringify({ reason: lost }) });

  function add(log: EventLog, after?: number): void {
    const { origin } = log;
    positions.set(origin, after ?? readPositions(log.lastId()).get(origin) ?? 0);
    const part: Subscriber = {
      ...subscriber,
      send: ({ id, ...event }) => {
        if (id === undefined) return subscriber.send(event);
        positions.set(origin, readPositions(id).get(origin) ?? 0);
        subscriber.send({ ...event, id: toEventId(positions) });
      },
      // The stream goes on without the others.
      end: log === own ? subscriber.end : () => undefined,
    };
    subscriptions.set(origin, log.subscribe(part, after === undefined ? undefined : `${origin}-${after}`));
  }

  return {
    add,
    resume: (logs, given) => {
      // The events of a server that the id does not have are all new.
      for (const { origin } of logs) positions.set(origin, given.get(origin) ?? 0);
      if (given.size === 0 || ![...given.keys()].every((origin) => positions.has(origin))) sendGap();
      for (const log of logs) add(log, given.get(log.origin) ?? 0);
    },
    remove: (origin, isComplete) => {
      if (!positions.delete(origin)) return;
      subscriptions.get(origin)?.();
      subscriptions.delete(origin);
      if (!isComplete) sendGap();
    },
    end: () => {
      for (const end of subscriptions.values()) end();
    },
  };
}
