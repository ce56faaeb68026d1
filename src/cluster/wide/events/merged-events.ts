/** Merges the events of this server and of the others. An id has the position in the events of each of them. */
import type { Followed } from '../../../control-api/handler.ts';
import { type EventLog, readPositions, type Subscriber, toEventId } from '../../../journal/events.ts';

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

  function subscribe(subscriber: Subscriber, lastId?: string): () => void {
    const given = readPositions(lastId ?? '');
    const positions = new Map<string, number>();
    const subscriptions = new Map<string, () => void>();

    function sendGap(): void {
      subscriber.send({ id: toEventId(positions), kind: 'gap', text: JSON.stringify({ reason: lost }) });
    }

    /** Subscribes to the events of a server from now on, or from after a position. */
    function add(log: EventLog, after: number | undefined): void {
      const { origin } = log;
      positions.set(origin, after ?? readPositions(log.lastId()).get(origin) ?? 0);
      const unsubscribe = log.subscribe(
        {
          ...subscriber,
          send: ({ id, ...event }) => {
            if (id === undefined) return subscriber.send(event);
            positions.set(origin, readPositions(id).get(origin) ?? 0);
            subscriber.send({ ...event, id: toEventId(positions) });
          },
          end: log === own ? subscriber.end : () => undefined,
        },
        after === undefined ? undefined : `${origin}-${after}`,
      );
      subscriptions.set(origin, unsubscribe);
    }

    const logs = allLogs();
    const isOf = (origin: string): boolean => logs.some((log) => log.origin === origin);
    if (lastId === undefined) {
      for (const log of logs) add(log, undefined);
    } else {
      // The events of a server that the id does not have are all new.
      for (const { origin } of logs) positions.set(origin, given.get(origin) ?? 0);
      if (given.size === 0 || ![...given.keys()].every(isOf)) sendGap();
      for (const log of logs) add(log, given.get(log.origin) ?? 0);
    }
    const ends = [
      others.hold(),
      others.onJoin((log) => add(log, 0)),
      others.onGone((origin, isComplete) => {
        if (!positions.delete(origin)) return;
        subscriptions.get(origin)?.();
        subscriptions.delete(origin);
        if (!isComplete) sendGap();
      }),
    ];
    return () => {
      for (const end of [...subscriptions.values(), ...ends]) end();
    };
  }

  return {
    subscribe,
    lastId: () =>
      allLogs()
        .map((log) => log.lastId())
        .join('.'),
  };
}
