/** A program of Node in a process of its own: what it wrote, when it was ready, and how it ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Exit code and output of a process. */
export interface ProcessResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

type Written = Pick<ProcessResult, 'out' | 'err'>;

/** A process that was started. */
export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  /** The URL in the line that says ready (with `--json`); rejects if the process ends before. */
  readonly ready: Promise<string>;
  readonly ended: Promise<ProcessResult>;
  isRunning(): boolean;
  /** Standard error so far. */
  err(): string;
  /** Resolves with what is found in the output; rejects if the process ends before. */
  waitFor<T>(find: (written: Written) => T | undefined): Promise<T>;
  /** Resolves when the standard output contains the text; rejects if the process ends before. */
  waitForOutput(text: string): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Ends it with a signal (SIGTERM by default), at the latest with SIGKILL, and resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface ProcessOptions {
  /** Environment variables beside the inherited ones. */
  readonly variables?: Readonly<Record<string, string>>;
  /** How many characters of each stream are kept; all by default. */
  readonly kept?: number;
  /** Folder in which it runs. Default: the working directory. */
  readonly cwd?: string;
}

const maxStopMs = 30_000;

const running = new Set<ChildProcess>();
// Whatever ends this process, the others do not outlive it.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Lets a signal end this process in such a way that the others end with it. */
export function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
}

/** Returns the environment with these variables, and without other sandbox options. */
export function environment(variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: a child needs the PATH
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SANDBOX_'));
  return { ...Object.fromEntries(inherited), ...variables };
}

/** Starts a command. Its sandbox options are those given here alone. */
export function startProcess(
  [command = '', ...args]: readonly string[],
  { variables = {}, kept = Number.POSITIVE_INFINITY, cwd }: ProcessOptions = {},
): Running {
  const child = spawn(command, args, { env: environment(variables), cwd });
  running.add(child);
  const written = { out: '', err: '' };
  const waiting = new Set<() => void>();
  const collect = (stream: 'out' | 'err') => (chunk: Buffer) => {
    written[stream] = (written[stream] + chunk).slice(-kept);
    for (const check of waiting) check();
  };
  child.stdout.on('data', collect('out'));
  child.stderr.on('data', collect('err'));
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child);
    return { code: code as number | null, ...written };
  });

  const waitFor = <T>(find: (written: Written) => T | undefined): Promise<T> =>
    new Promise((done, failed) => {
      const check = (): void => {
        const found = find(written);
        if (found === undefined) return;
        waiting.delete(check);
        done(found);
      };
      waiting.add(check);
      check();
      ended.then((result) => failed(new Error(`ended after ${JSON.stringify(result)}`)), failed);
    });

  const ready = waitFor(({ out }) => /^.*"event":"ready".*\n/m.exec(out)?.[0]).then(
    (line) => (JSON.parse(line) as { url: string }).url,
  );
  // Some are not to become ready.
  ready.catch(() => undefined);
  return {
    child,
    pid: child.pid ?? 0,
    ready,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    err: () => written.err,
    waitFor,
    waitForOutput: async (text) => void (await waitFor(({ out }) => out.includes(text) || undefined)),
    signal: (name) => void child.kill(name),
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), maxStopMs);
      const { code } = await ended;
      clearTimeout(timer);
      return code;
    },
  };
}
