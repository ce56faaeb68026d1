/** Connections of simulated processes to the database and to each other, and how they break. */
import { createPatience } from '../../../src/cluster/database/patience.ts';
import type { PeerClient, Sent } from '../../../src/cluster/transport/peer-client.ts';
import type { HandlePeer } from '../../../src/cluster/transport/peer-server.ts';
import type { Reply } from '../../../src/http/reply.ts';
import type { WallClock } from '../../../src/lib/time.ts';
import { MayBeApplied, ProjectLost, toStoreError } from '../../../src/project/persistence/store-errors.ts';
import type { RunStatement } from './fake-database.ts';
import type { Process, Simulator } from './simulator.ts';

/** Which connections are cut, and until when, in simulated milliseconds. */
export interface Cuts {
  /** The database is away, for all. */
  databaseUntil: number;
  /** By the name of a process. */
  readonly fromDatabase: Map<string, number>;
  /** By the names of two processes. */
  readonly between: Map<string, number>;
  /** Probability that the answer to a statement is lost. */
  readonly lostAnswers: number;
}

/** A replica that listens for others. */
export interface Listening {
  readonly process: Process;
  /** Undefined until it has started. */
  handle: HandlePeer | undefined;
}

/** How long a statement waits on a connection that was cut without notice, in milliseconds. */
const queryMs = 5000;
const connectMs = 2000;

const reset = (): Error => Object.assign(new Error('the connection was reset'), { code: 'ECONNRESET' });

/** Connects a process with the database: a statement arrives there, or not; then its answer arrives here, or not. */
export function connectDatabase(simulator: Simulator, cuts: Cuts, process: Process, wall: WallClock): RunStatement {
  const { after, latency, happens, now, note } = simulator;
  const patient = createPatience(wall);
  const cutUntil = (): number => Math.max(cuts.databaseUntil, cuts.fromDatabase.get(process.name) ?? 0);
  const isCut = (): boolean => cutUntil() > now();

  /** What a killed or paused process was about to send may have left already. */
  function leave(step: () => void): void {
    const isSent = happens(0.5);
    after(latency(), step, isSent ? undefined : process);
  }

  /** What was sent again and again arrives when the connection is back, although nobody waits for it any more. */
  function mayArriveLate(name: string, effect: () => unknown): void {
    if (!happens(0.2)) return;
    after(cutUntil() - now() + latency(), () => {
      note(process.name, `${name}: arrives late`);
      effect();
    });
  }

  const once = <Result>(name: string, effect: () => Result): Promise<Result> =>
    new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        note(process.name, `${name}: ${why}`);
        after(happens(0.5) ? latency() : queryMs, () => reject(reset()), process);
      };
      const arrive = (): void => {
        if (isCut()) {
          fail('did not reach the database');
          mayArriveLate(name, effect);
          return;
        }
        const result = effect();
        if (/^(write|claim|release)/.test(name)) note(process.name, `${name}: ${describe(result)}`);
        const answer = (): void => (isCut() ? fail('the answer was lost') : resolve(result));
        if (happens(cuts.lostAnswers)) fail('the answer was lost');
        else after(latency(), answer, process);
      };
      leave(arrive);
    });
  return (name, effect) => patient(() => once(name, effect));
}

function describe(result: unknown): string {
  return result instanceof Set ? `wrote ${result.size}` : (JSON.stringify(result) ?? 'done');
}

/** Connections of one process to the others, by their URLs. */
export function connectPeers(
  simulator: Simulator,
  cuts: Cuts,
  process: Process,
  listening: ReadonlyMap<string, Listening>,
): PeerClient {
  const { after, latency, happens, now, note } = simulator;
  const waiting = new Map<string, Set<() => void>>();
  const cutUntil = ({ name }: Process): number => cuts.between.get(toPair(process.name, name)) ?? 0;
  const isCut = (other: Process): boolean => cutUntil(other) > now();

  function send(url: string, head: unknown, text: string, signal?: AbortSignal) {
    return new Promise<Sent>((resolve) => {
      const left = new Set<() => void>();
      const ofUrl = waiting.get(url) ?? new Set();
      waiting.set(url, ofUrl);
      const end = (sent: Sent): void => {
        signal?.removeEventListener('abort', giveUp);
        ofUrl.delete(giveUp);
        if (ofUrl.size === 0 && waiting.get(url) === ofUrl) waiting.delete(url);
        resolve(sent);
      };
      /** The other side sees that the connection has ended, unless it is away. */
      const giveUp = (): void => {
        for (const listener of left) after(latency(), listener, listening.get(url)?.process);
        end({ kind: 'broken' });
      };
      ofUrl.add(giveUp);
      signal?.addEventListener('abort', giveUp, { once: true });
      const answer = (sent: Sent): void => void after(latency(), () => end(sent), process);
      const target = listening.get(url);
      if (!target || target.process.isDead) return answer({ kind: 'unreachable' });
      if (isCut(target.process)) return refuse(answer);
      const message = JSON.stringify({ head, text });
      after(latency(), () => arrive(target, message, left, answer), target.process);
    });
  }

  function refuse(answer: (sent: Sent) => void): void {
    if (happens(0.5)) answer({ kind: 'unreachable' });
    else after(connectMs, () => answer({ kind: 'unreachable' }), process);
  }

  function arrive(target: Listening, message: string, left: Set<() => void>, answer: (sent: Sent) => void): void {
    if (isCut(target.process)) {
      const breaks = happens(0.5);
      note(process.name, `→ ${target.process.name}: ${breaks ? 'broken' : 'waits'} on the way`);
      if (breaks) answer({ kind: 'broken' });
      else after(cutUntil(target.process) - now(), () => arrive(target, message, left, answer), target.process);
      return;
    }
    const onLeave = (listener: () => void): (() => void) => {
      left.add(listener);
      return () => left.delete(listener);
    };
    const pass = (sent: Sent): void => {
      const breaks = isCut(target.process) && happens(0.5);
      if (breaks) note(target.process.name, `→ ${process.name}: the reply is lost`);
      const waitMs = Math.max(0, cutUntil(target.process) - now());
      after(breaks ? 0 : waitMs, () => answer(breaks ? { kind: 'broken' } : sent), target.process);
    };
    const frame = JSON.parse(message) as { readonly head: unknown; readonly text: string };
    if (!target.handle) {
      answer({ kind: 'unreachable' });
      return;
    }
    target
      .handle({ ...frame, onLeave })
      .then(async (reply): Promise<Sent> => ({ kind: 'reply', reply: await toWhole(reply) }))
      .then(pass, (error: unknown) => pass(toSent(error, (text) => note(target.process.name, text))));
  }

  return {
    send,
    drop: (url) => {
      for (const giveUp of [...(waiting.get(url) ?? [])]) giveUp();
    },
    probe: (url, timeoutMs) =>
      new Promise((resolve) => {
        const target = listening.get(url);
        if (!target || target.process.isDead) {
          after(latency(), () => resolve('refused'), process);
          return;
        }
        const cancel = after(timeoutMs, () => resolve('silent'), process);
        if (isCut(target.process)) return;
        const reply = (): void => {
          if (isCut(target.process)) return;
          const end = (): void => {
            cancel();
            resolve('answers');
          };
          after(latency(), end, process);
        };
        after(latency(), reply, target.process);
      }),
    waiting: () => [...waiting.keys()],
    close: () => Promise.resolve(),
  };
}

export function toPair(one: string, other: string): string {
  return [one, other].toSorted().join(' ');
}

function toSent(error: unknown, report: (text: string) => void): Sent {
  const known = toStoreError(error);
  if (known instanceof MayBeApplied) return { kind: 'unconfirmed' };
  if (!known) report(`UNEXPECTED ${String((error as Error).stack)}`);
  if (!known) return { kind: 'broken' };
  return { kind: known instanceof ProjectLost ? 'not-owner' : 'unavailable' };
}

/** Reads a reply that comes in pieces, as it is sent. */
async function toWhole(reply: Reply): Promise<Reply> {
  if (!reply.pieces) return reply;
  let body = '';
  for await (const piece of reply.pieces) body += piece.toString();
  const { pieces: _, ...head } = reply;
  return { ...head, body };
}
