/** Sends the events of this server to another one. */
import type { Reply } from '../../../http/reply.ts';
import type { EventLog, PublishedEvent } from '../../../journal/events.ts';
import type { EventLine } from './mirror.ts';

export function serveEvents(events: EventLog, after: string | undefined): Reply {
  return {
    status: 200,
    headers: {},
    body: undefined,
    stream: ({ write, end }) => {
      const send = (line: EventLine): void => write(`${JSON.stringify(line)}\n`);
      send({ line: 'start', origin: events.origin });
      const subscriber = {
        project: undefined,
        wantsHints: true,
        isServer: true,
        send: (event: PublishedEvent) => send({ line: 'event', event }),
        end: () => {
          send({ line: 'end' });
          end();
        },
      } satisfies Parameters<EventLog['subscribe']>[0];
      const unsubscribe = events.subscribe(subscriber, after ?? `${events.origin}-0`);
      send({ line: 'live' });
      return unsubscribe;
    },
  };
}
