/** Keeps the numbers of matching requests at all other replicas, while a client waits for them. */
import { EventEmitter } from 'node:events';
import type { ControlParts, ControlRequest } from '../../../control-api/handler.ts';
import { countSelected, type ItemCounter } from '../../../control-api/lists/awaiting.ts';
import { defineRequests } from '../../../control-api/requests/list.ts';
import type { Reply } from '../../../http/reply.ts';
import { inTurn } from '../../../lib/in-turn.ts';
import type { WallClock } from '../../../lib/time.ts';
import type { Membership } from '../../membership.ts';
import type { ForwardedRequest, Question } from '../question.ts';

export interface OtherCountsParts {
  readonly membership: Pick<Membership, 'others' | 'onBeat'>;
  readonly wall: WallClock;
  /** Opens a stream. Returns undefined if the other replica does not answer. */
  open(url: string, question: Question, signal: AbortSignal): Promise<Reply | undefined>;
  readonly request: ForwardedRequest;
  readonly since: number;
}

interface OtherCounts extends ItemCounter {
  /** Resolves when all replicas have answered, or after some time. */
  ready(): Promise<void>;
  close(): void;
}

/** How long a client waits for the count of a replica that does not answer. */
const readyMs = 1000;

export function createOtherCounts({ membership, wall, open, request, since }: OtherCountsParts): OtherCounts {
  const events = new EventEmitter<{ change: [number] }>();
  const counts = new Map<string, number | undefined>();
  const abort = new AbortController();
  const question = { about: 'count', since, request } as const;

  const total = (): number => [...counts.values()].reduce<number>((sum, count = 0) => sum + count, 0);

  function change(url: string, count: number | undefined): void {
    const before = total();
    if (count === undefined) counts.delete(url);
    else counts.set(url, count);
    if (!abort.signal.aborted) events.emit('change', total() - before);
  }

  async function connect(url: string): Promise<void> {
    counts.set(url, undefined);
    const reply = await open(url, question, abort.signal);
    await new Promise<void>((resolve) => {
      if (!reply?.stream) return resolve();
      let rest = '';
      reply.stream({
        write: (text) => {
          const lines = (rest + text).split('\n');
          rest = lines.pop() ?? '';
          const last = lines.at(-1);
          if (last !== undefined) change(url, Number(last));
        },
        end: resolve,
      });
    });
    change(url, undefined);
  }

  function connectAll(): void {
    for (const { url } of membership.others()) if (!counts.has(url)) void connect(url);
  }
  const unsubscribe = membership.onBeat(connectAll);

  return {
    count: total,
    subscribe: (changed) => {
      events.on('change', changed);
      return () => void events.off('change', changed);
    },
    ready: () =>
      new Promise((resolve) => {
        const settle = (): void => {
          cancel();
          events.off('change', check);
          resolve();
        };
        const check = (): void => {
          if ([...counts.values()].every((count) => count !== undefined)) settle();
        };
        const cancel = wall.after(readyMs, settle);
        events.on('change', check);
        connectAll();
        check();
      }),
    close: () => {
      unsubscribe();
      abort.abort();
    },
  };
}

/** Sends the number of matching requests of this replica, and each later one. */
export function serveCount(control: ControlParts, request: ControlRequest, since: number): Reply {
  const counter = countSelected(defineRequests(control, request, undefined), request.query, since);
  return {
    status: 200,
    headers: {},
    body: undefined,
    stream: ({ write, end }) => {
      let count = counter.count();
      const send = (): void => write(`${count}\n`);
      const unsubscribe = inTurn(
        counter.subscribe((by) => {
          count += by;
          send();
        }),
        control.projects.onReset(undefined, () => {
          count = counter.count();
          send();
        }),
        request.caller.onEnd(end),
      );
      send();
      return unsubscribe;
    },
  };
}
