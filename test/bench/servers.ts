/** Starts servers, each as its own process, and ends them by their ids. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A server that is ready. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process until it said that it is ready. */
  readonly startMs: number;
  /** Ends it, and waits until it has ended. */
  stop(): Promise<void>;
}

/** How a server is started. */
interface Launch {
  readonly name: string;
  /** The arguments of Node. */
  readonly words: readonly string[];
}

/** All servers of a run. */
export interface Servers {
  /** The sandbox as `npm start` has it, with these options. */
  sandbox(...options: readonly string[]): Promise<Server>;
  floor(): Promise<Server>;
  /** Ends at once whatever still runs. */
  end(): void;
}

const readyLine = /"url":"([^"]+)"/;
/** How long a server may take to start, and to end. */
const maxStartMs = 60_000;
const maxStopMs = 5000;
/** How much of what it says on stderr is kept, to be shown where it fails. */
const maxKept = 2000;

export function createServers(): Servers {
  const running = new Set<ChildProcess>();
  const start = (launch: Launch): Promise<Server> => launchServer(launch, running);
  return {
    sandbox: (...options) => {
      const words = ['--max-semi-space-size=64', 'dist/main.js', '--port', '0', '--json', ...options];
      return start({ name: 'the sandbox', words });
    },
    floor: () => start({ name: 'the floor', words: ['dist/bench/floor.mjs'] }),
    end: () => {
      for (const child of running) child.kill('SIGKILL');
    },
  };
}

async function launchServer({ name, words }: Launch, running: Set<ChildProcess>): Promise<Server> {
  const started = performance.now();
  const child = spawn(process.execPath, [...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let complaints = '';
  child.stderr.on('data', (text: Buffer) => {
    complaints = `${complaints}${text}`.slice(-maxKept);
  });
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`${name} ${why}\n${complaints}`));
    const timer = setTimeout(() => fail('was not ready within a minute'), maxStartMs);
    let said = '';
    const read = (text: Buffer): void => {
      said += text;
      const found = readyLine.exec(said);
      if (!found) return;
      clearTimeout(timer);
      child.stdout.off('data', read).resume();
      resolve(found[1] ?? '');
    };
    child.stdout.on('data', read);
    child.once('exit', (code) => fail(`ended with ${code}`));
    child.once('error', (error) => fail(error.message));
  });
  return { url, pid: child.pid ?? 0, startMs: performance.now() - started, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill();
  const timer = setTimeout(() => child.kill('SIGKILL'), maxStopMs);
  await exited;
  clearTimeout(timer);
}
