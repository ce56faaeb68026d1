/** The replicas of a history: starts, kills, pauses and ends them, and passes requests of clients to them. */
import type { SandboxFiles } from '../../../src/config/sandbox-files.ts';
import { createFakeDatabase } from './fake-database.ts';
import { type Cuts, connectDatabase, connectPeers, type Listening } from './links.ts';
import type { Receiver } from './receiver.ts';
import { type Sending, type SimulatedReplica, startReplica } from './replica.ts';
import { createProcessClock, type Process, type Simulator } from './simulator.ts';
import type { Tables } from './tables.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `refused`: it did not reach a replica; `broken`: the replica was killed, so its effect is not known. */
export type Asking = Answer | 'refused' | 'broken';

interface Member {
  readonly slot: number;
  readonly process: Process;
  replica: SimulatedReplica | undefined;
  state: 'starting' | 'accepting' | 'ending' | 'ended';
  /** Ends the requests of clients that a kill breaks. */
  readonly inFlight: Set<() => void>;
}

interface Parts {
  readonly simulator: Simulator;
  readonly cuts: Cuts;
  readonly tables: Tables;
  readonly receiver: Receiver;
  readonly files: SandboxFiles;
  violate(text: string): void;
}

export interface Fleet {
  /** Starts the replica of a slot, or waits for the one that runs there. */
  start(slot: number): void;
  isReady(slots: number): boolean;
  /** The process of a slot, if it runs. */
  processOf(slot: number): Process | undefined;
  kill(slot: number): void;
  pause(slot: number, ms: number): void;
  /** Ends a replica as SIGTERM does. `ended` is called afterwards. */
  terminate(slot: number, ended: () => void): void;
  /** Sends a request to any replica that accepts them. */
  ask(request: Sending): Promise<Asking>;
  resumeAll(): void;
  stop(): void;
}

/** Pause before a server that did not start is started again, in milliseconds. */
const restartMs = 1000;

export function createFleet(parts: Parts): Fleet {
  const { simulator, cuts, receiver, files, violate } = parts;
  const { after, latency, note, now, random } = simulator;
  const members: Member[] = [];
  const listening = new Map<string, Listening>();
  let ports = 4601;
  let ids = 0;

  const running = (slot: number): Member | undefined =>
    members.findLast((one) => one.slot === slot && one.state !== 'ended' && !one.process.isDead);

  function start(slot: number): void {
    if (running(slot)) return;
    const count = members.filter((one) => one.slot === slot).length;
    const process: Process = { name: `${'ABC'[slot]}${count + 1}`, isDead: false, pausedUntil: 0 };
    const member: Member = { slot, process, replica: undefined, state: 'starting', inFlight: new Set() };
    members.push(member);
    startProcess(process).then(
      (replica) => {
        member.replica = replica;
        member.state = 'accepting';
        note(process.name, 'accepts requests');
      },
      (error: unknown) => {
        note(process.name, `did not start: ${(error as Error).message}`);
        process.isDead = true;
        after(restartMs, () => start(slot));
      },
    );
  }

  function startProcess(process: Process): Promise<SimulatedReplica> {
    const wall = createProcessClock(simulator, process);
    const run = connectDatabase(simulator, cuts, process, wall);
    const database = createFakeDatabase(parts.tables, run);
    const client = connectPeers(simulator, cuts, process, listening);
    return startReplica({
      files,
      wall,
      sender: receiver.senderOf(process),
      warn: (text) => note(process.name, `warns: ${text}`),
      reportError: (error) => reportError(process, error),
      surroundings: {
        openDatabase: async () => database,
        createClient: () => client,
        listen: async () => {
          ports += 1;
          const port = ports;
          const url = `http://127.0.0.1:${port}`;
          const listener: Listening = { process, handle: undefined };
          listening.set(url, listener);
          return {
            port,
            answer: (_secret, handle) => {
              listener.handle = handle;
            },
            close: async () => void listening.delete(url),
          };
        },
        createId: () => {
          ids += 1;
          return `${process.name}-${ids}`;
        },
      },
    });
  }

  function reportError(process: Process, error: unknown): void {
    note(process.name, `reports ${String((error as Error).stack)}`);
  }

  function kill(slot: number): void {
    const member = running(slot);
    if (!member) return;
    note(member.process.name, 'KILLED');
    member.process.isDead = true;
    member.state = 'ended';
    for (const fail of member.inFlight) fail();
    member.inFlight.clear();
  }

  function terminate(slot: number, ended: () => void): void {
    const member = running(slot);
    const { replica } = member ?? {};
    if (!member || !replica || member.state !== 'accepting') return;
    note(member.process.name, 'SIGTERM');
    member.state = 'ending';
    const end = async (): Promise<void> => {
      await replica.leave();
      note(member.process.name, 'has handed its projects over');
      member.state = 'ended';
      while (member.inFlight.size > 0) await new Promise<void>((resolve) => after(20, resolve, member.process));
      await replica.close();
      note(member.process.name, 'has ended');
      member.process.isDead = true;
      ended();
    };
    end().catch((error: unknown) => violate(`${member.process.name} did not end: ${String(error)}`));
  }

  function ask(request: Sending): Promise<Asking> {
    const candidates = members.filter(
      ({ state, process }) => (state === 'accepting' || state === 'ending') && !process.isDead,
    );
    const member = candidates[Math.floor(random() * candidates.length)];
    if (!member) return new Promise((resolve) => after(latency(), () => resolve('refused')));
    return new Promise((resolve) => {
      const fail = (): void => resolve('broken');
      member.inFlight.add(fail);
      const arrive = (): void => {
        if (member.state === 'ended' && !member.process.isDead) {
          member.inFlight.delete(fail);
          resolve('refused');
          return;
        }
        note(member.process.name, `gets ${request.method} ${request.path}`);
        (member.replica as SimulatedReplica).handle(request).then(
          (answer) => {
            member.inFlight.delete(fail);
            after(latency(), () => resolve(answer));
          },
          (error: unknown) => {
            member.inFlight.delete(fail);
            violate(
              `${member.process.name} failed at ${request.method} ${request.path}: ${String((error as Error).stack)}`,
            );
            resolve('broken');
          },
        );
      };
      after(latency(), arrive, member.process);
    });
  }

  return {
    start,
    isReady: (slots) =>
      Array.from({ length: slots }, (_, slot) => running(slot)).every((one) => one?.state === 'accepting'),
    processOf: (slot) => running(slot)?.process,
    kill,
    pause: (slot, ms) => {
      const process = running(slot)?.process;
      if (!process) return;
      note(process.name, `PAUSED for ${ms} ms`);
      process.pausedUntil = Math.max(process.pausedUntil, now() + ms);
    },
    terminate,
    ask,
    resumeAll: () => {
      for (const { process } of members) process.pausedUntil = Math.min(process.pausedUntil, now());
    },
    stop: () => {
      for (const { process } of members) process.isDead = true;
    },
  };
}
