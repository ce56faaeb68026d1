/** Copies the latest events of another server, as long as it runs. */
import { readPositions } from '../../../journal/event-id.ts';
import { createEventLog, type EventLog, type PublishedEvent } from '../../../journal/events.ts';
import type { WallClock } from '../../../lib/time.ts';

/** One line of the events that a server sends to another. */
export type EventLine =
  /** The first line: which events these are, and the number before the first one that may follow. */
  | { readonly line: 'start'; readonly origin: string }
  /** All stored events were sent; new ones follow. */
  | { readonly line: 'live' }
  | { readonly line: 'event'; readonly event: PublishedEvent }
  /** The server has ended its events. */
  | { readonly line: 'end' };

export interface Mirror {
  /** The copy; undefined until the other server has said which events it has. */
  log(): EventLog | undefined;
  /** Takes one line of the other server. */
  take(line: EventLine): void;
  /** Whether the other server has sent all its stored events. */
  isLive(): boolean;
  /** Whether the other server has sent all events that it will ever have. */
  isComplete(): boolean;
}

export function createMirror(wall: WallClock): Mirror {
  let log: EventLog | undefined;
  let isLive = false;
  let isComplete = false;

  function begin(origin: string): EventLog {
    if (log?.origin === origin) return log;
    log = createEventLog(wall, undefined, undefined, origin);
    isLive = false;
    isComplete = false;
    return log;
  }

  function copy(to: EventLog, { id, kind, project = null, text }: PublishedEvent): void {
    if (kind === 'records') {
      to.notifyRecordsChanged(String(project));
      return;
    }
    const number = readPositions(id ?? '').get(to.origin) ?? 0;
    const last = readPositions(to.lastId()).get(to.origin) ?? 0;
    if (kind === 'gap') {
      if (number > last) to.skipTo(number);
      return;
    }
    if (number <= last) return;
    if (number > last + 1) to.skipTo(number - 1);
    to.publish({ kind, project, data: text });
  }

  return {
    log: () => log,
    isLive: () => isLive,
    isComplete: () => isComplete,
    take: (line) => {
      switch (line.line) {
        case 'start':
          begin(line.origin);
          return;
        case 'live':
          isLive = true;
          return;
        case 'event':
          if (log) copy(log, line.event);
          return;
        case 'end':
          isComplete = true;
          return;
        default:
          line satisfies never;
      }
    },
  };
}
