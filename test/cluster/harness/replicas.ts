/** Runs replicas: several processes of the built program with the same options. */
import type { ProcessResult, Running } from '../../rig/process.ts';
import { startProcess } from './replica-process.ts';

export interface ReplicasOptions {
  readonly count: number;
  /** Database that the replicas share. Without it, each is a sandbox of its own. */
  readonly postgresUrl?: string;
  readonly args?: readonly string[];
  /** Environment variables of the processes. */
  readonly options?: Readonly<Record<string, string>>;
  /** Main file of the program; `dist/main.js` by default. Tests give `inject('program')`. */
  readonly program?: string;
}

export interface Replicas {
  readonly all: readonly Replica[];
  /** URLs of the replicas that run, for `startRoundRobin(replicas.urls)`. */
  urls(): readonly URL[];
  /** Starts one more. */
  add(change?: RestartOptions): Promise<Replica>;
  /** Kills all. */
  stop(): Promise<void>;
}

export interface RestartOptions {
  /** Arguments in place of `args`, for another version of the options. */
  readonly args?: readonly string[];
  /** URL of the database, for instance through a proxy that only this replica uses. */
  readonly postgresUrl?: string;
}

export interface Replica {
  /** The same after a restart. */
  readonly url: string;
  readonly pid: number;
  readonly isRunning: boolean;
  /** Output on standard error since the last start. */
  err(): string;
  /** Resolves when the present process ends. */
  ended(): Promise<ProcessResult>;
  /** Ends it like a crash. */
  kill(): Promise<void>;
  /** Stops it with SIGSTOP: its connections stay, but it does nothing. */
  pause(): void;
  resume(): void;
  /** Sends SIGTERM, and resolves with the exit code. */
  terminate(): Promise<number | null>;
  /** Terminates it if it runs, and starts it on the same port. */
  restart(change?: RestartOptions): Promise<void>;
}

/** Starts replicas one after another, and waits until each is ready. They end with this process at the latest. */
export async function startReplicas(options: ReplicasOptions): Promise<Replicas> {
  const all: Replica[] = [];
  const stop = async (): Promise<void> => void (await Promise.all(all.map((replica) => replica.kill())));
  const add: Replicas['add'] = async (change = {}) => {
    const replica = await startReplica(options, change);
    all.push(replica);
    return replica;
  };
  try {
    for (let index = 0; index < options.count; index += 1) await add();
  } catch (error) {
    await stop();
    throw error;
  }
  const urls = (): readonly URL[] => all.filter(({ isRunning }) => isRunning).map(({ url }) => new URL(url));
  return { all, urls, add, stop };
}

async function startReplica(options: ReplicasOptions, first: RestartOptions): Promise<Replica> {
  let change = first;
  let running = start(options, change, '0');
  const url = await running.ready;
  const { port } = new URL(url);

  const replica: Replica = {
    url,
    get pid() {
      return running.pid;
    },
    get isRunning() {
      return running.isRunning();
    },
    err: () => running.err(),
    ended: () => running.ended,
    kill: async () => {
      running.signal('SIGKILL');
      await running.ended;
    },
    pause: () => running.signal('SIGSTOP'),
    resume: () => running.signal('SIGCONT'),
    terminate: async () => {
      running.signal('SIGTERM');
      return (await running.ended).code;
    },
    restart: async (next = {}) => {
      if (replica.isRunning) await replica.terminate();
      change = { ...change, ...next };
      running = start(options, change, port);
      await running.ready;
    },
  };
  return replica;
}

function start(given: ReplicasOptions, change: RestartOptions, port: string): Running {
  const { args = [], postgresUrl, options = {}, program = 'dist/main.js' } = { ...given, ...change };
  const shared = postgresUrl === undefined ? [] : ['--postgres', postgresUrl, '--cluster-port', '0'];
  return startProcess(program, [...shared, ...args, '--host', '127.0.0.1', '--port', port, '--json'], options);
}
