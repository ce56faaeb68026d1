/** Receives the events of all other servers while somebody follows them here. */
import { EventEmitter } from 'node:events';
import type { Reply, Stream } from '../../../http/reply.ts';
import type { EventLog } from '../../../journal/events.ts';
import type { WallClock } from '../../../lib/time.ts';
import type { Membership } from '../../membership.ts';
import type { OtherEvents } from './merged-events.ts';
import { createMirror, type EventLine, type Mirror } from './mirror.ts';

interface Parts {
  readonly membership: Pick<Membership, 'others' | 'listOthers' | 'onBeat'>;
  readonly wall: WallClock;
  /** Asks a server for its events after an id; undefined: for all stored ones. Returns undefined if it does not answer. */
  open(url: string, after: string | undefined, signal: AbortSignal): Promise<Reply | undefined>;
}

export interface ReceivedEvents extends OtherEvents {
  /** Resolves when all other servers have sent their stored events, or after some time. */
  ready(): Promise<void>;
  close(): void;
}

/** How long connections stay after the last follower has left, in milliseconds: most come back. */
const lingerMs = 30_000;
/** How long a follower waits for the events of a server that does not answer. */
const readyMs = 2000;
const pauseMs = 200;

interface Connection {
  readonly mirror: Mirror;
  readonly abort: AbortController;
}

interface OtherEventsEvents {
  join: [EventLog];
  gone: [origin: string, isComplete: boolean];
  live: [];
}

export function createOtherEvents({ membership, wall, open }: Parts): ReceivedEvents {
  const events = new EventEmitter<OtherEventsEvents>().setMaxListeners(0);
  /** By address, which a server keeps when it joins again. */
  const connections = new Map<string, Connection>();
  /** Servers that have sent all their events, as they were asked to end. */
  const ended = new Set<string>();
  let holders = 0;
  let cancelLinger: (() => void) | undefined;
  const unsubscribe = membership.onBeat(() => {
    if (holders > 0 || cancelLinger) connectAll();
  });

  function connectAll(): void {
    const urls = new Set(membership.others().map(({ url }) => url));
    for (const url of urls) if (!connections.has(url)) void connect(url);
    for (const [url, { mirror, abort }] of connections) {
      if (urls.has(url)) continue;
      abort.abort();
      connections.delete(url);
      leave(mirror.log());
    }
  }

  function leave(log: EventLog | undefined): void {
    if (log && !ended.has(log.origin)) events.emit('gone', log.origin, false);
    events.emit('live');
  }

  async function connect(url: string): Promise<void> {
    const connection = { mirror: createMirror(wall), abort: new AbortController() };
    connections.set(url, connection);
    const { mirror, abort } = connection;
    while (!abort.signal.aborted) {
      const reply = await open(url, mirror.log()?.lastId(), abort.signal);
      if (reply?.stream && !abort.signal.aborted) await read(reply.stream, connection);
      await new Promise<void>((resolve) => wall.after(pauseMs, resolve));
    }
  }

  function read(stream: Stream, connection: Connection): Promise<void> {
    let rest = '';
    return new Promise((resolve) => {
      const stop = stream({
        write: (text) => {
          const lines = (rest + text).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) if (!take(connection, JSON.parse(line) as EventLine)) return stop();
        },
        end: resolve,
      });
    });
  }

  /** Takes a line. Returns false if no more are wanted. */
  function take({ mirror, abort }: Connection, line: EventLine): boolean {
    if (abort.signal.aborted || (line.line === 'start' && ended.has(line.origin))) return false;
    const before = mirror.log();
    const wasLive = mirror.isLive();
    mirror.take(line);
    const log = mirror.log();
    if (line.line === 'start' && before !== log) leave(before);
    if (line.line === 'live') {
      if (log && !wasLive) events.emit('join', log);
      events.emit('live');
    }
    if (line.line === 'end') complete(log);
    return true;
  }

  function complete(log: EventLog | undefined): void {
    if (!log) return;
    ended.add(log.origin);
    events.emit('gone', log.origin, true);
  }

  const liveLogs = (): readonly EventLog[] =>
    [...connections.values()].flatMap(({ mirror }) => {
      const log = mirror.isLive() ? mirror.log() : undefined;
      return log && !ended.has(log.origin) ? [log] : [];
    });

  function closeAll(): void {
    for (const { abort } of connections.values()) abort.abort();
    connections.clear();
  }

  function linger(): void {
    cancelLinger?.();
    cancelLinger = wall.after(lingerMs, () => {
      cancelLinger = undefined;
      if (holders === 0) closeAll();
    });
  }

  function on<Kind extends keyof OtherEventsEvents>(
    kind: Kind,
    listener: (...args: OtherEventsEvents[Kind]) => void,
  ): () => void {
    // The compiler cannot relate a generic event to its listener.
    const emitter: EventEmitter = events;
    emitter.on(kind, listener);
    return () => void emitter.off(kind, listener);
  }

  return {
    logs: liveLogs,
    onJoin: (listener) => on('join', listener),
    onGone: (listener) => on('gone', listener),
    hold: () => {
      holders += 1;
      connectAll();
      return () => {
        holders -= 1;
        if (holders === 0) linger();
      };
    },
    ready: async () => {
      await membership.listOthers();
      connectAll();
      linger();
      const isReady = (): boolean => [...connections.values()].every(({ mirror }) => mirror.isLive());
      if (isReady()) return;
      await new Promise<void>((resolve) => {
        const settle = (): void => {
          cancel();
          off();
          resolve();
        };
        const cancel = wall.after(readyMs, settle);
        const off = on('live', () => isReady() && settle());
      });
    },
    close: () => {
      unsubscribe();
      cancelLinger?.();
      closeAll();
    },
  };
}
