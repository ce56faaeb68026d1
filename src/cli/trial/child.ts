/** Runs commands as child processes: one that shares the terminal, or one of which all processes end together. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { toWord } from '../../lib/shell-word.ts';
import type { WallClock } from '../../lib/time.ts';
import { endSignals } from '../process/signals.ts';

/** How a command ended: its exit code (128 plus the number of a signal), or why it could not run. */
export type ProcessExit =
  | { readonly code: number; readonly ms: number }
  | { readonly code: 126 | 127; readonly mistake: string };

/** Starts a command. `ended` resolves when its process has ended; `child` is undefined if there is none. */
function launch([command = '', ...args]: readonly string[], options: SpawnOptions, wall: WallClock) {
  const startedMs = wall.elapsed();
  let child: ChildProcess | undefined;
  const ended = new Promise<ProcessExit>((resolve) => {
    try {
      // Node throws for an empty command; a shell does not find it.
      child = spawn(command || ' ', args, options);
    } catch (error) {
      // Node throws some errors, such as that of a name too long.
      resolve(toStartFailure(command, error as NodeJS.ErrnoException));
    }
    child?.once('error', (error) => resolve(toStartFailure(command, error)));
    child?.once('exit', (code, signal) =>
      resolve({ code: signal ? 128 + constants.signals[signal] : (code ?? 1), ms: wall.elapsed() - startedMs }),
    );
  });
  return { child, ended };
}

/** Returns the exit code of a shell for a command that can't run. */
function toStartFailure(command: string, { code, message }: NodeJS.ErrnoException): ProcessExit {
  if (code === 'ENOENT') return { code: 127, mistake: `cannot start ${toWord(command)}: command not found` };
  const reason = code === 'EACCES' ? 'permission denied' : (code ?? message);
  return { code: 126, mistake: `cannot start ${toWord(command)}: ${reason}` };
}

/** Signals that a terminal sends for keys. */
const keyboardSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/**
 * Runs a command that shares the terminal until it ends, and forwards signals to it. `isSignalled`: whether the terminal
 * sends keyboard signals to the child too.
 */
export async function runChild(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  wall: WallClock,
  isSignalled: boolean,
): Promise<ProcessExit> {
  const { child, ended } = launch(command, { stdio: 'inherit', env }, wall);
  const forward = (signal: NodeJS.Signals): void => {
    // A terminal signals all of its processes. Many test runners abort at once at a second signal.
    if (!keyboardSignals.includes(signal) || !isSignalled) child?.kill(signal);
  };
  for (const signal of endSignals) process.on(signal, forward);
  const exit = await ended;
  for (const signal of endSignals) process.off(signal, forward);
  return exit;
}

/** A command that runs in a process group of its own. */
export interface Child {
  /** Resolves when the command has ended, and its processes with it. */
  readonly exited: Promise<ProcessExit>;
  /** Ends all processes of the command. `exited` then resolves. */
  end(): void;
  /** Returns the output so far, of both streams. The middle of a very long one is omitted. */
  output(): string;
}

/** Maximum kept output at the beginning and at the end of a command, in characters. */
const maxOutput = 1024 ** 2;

/** Time that processes have to end by themselves, in milliseconds. */
const graceMs = 500;

/** Process ids of commands that run. They are in process groups of their own, so they would outlive this process. */
const running = new Set<number>();

function killRunning(): void {
  for (const pid of running) signalAll(pid, 'SIGKILL');
}

/** Starts a command without a terminal, by default in the working directory. */
export function startChild(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  wall: WallClock,
  cwd: string = process.cwd(),
): Child {
  const output = createOutput();
  const { child, ended } = launch(command, { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env, cwd }, wall);
  for (const stream of [child?.stdout, child?.stderr]) stream?.setEncoding('utf8').on('data', output.add);
  const { pid } = child ?? {};
  if (running.size === 0) process.on('exit', killRunning);
  if (pid !== undefined) running.add(pid);
  let cancelKill = (): void => undefined;
  const closed = new Promise<void>((done) => child?.once('close', () => done()));
  const exited = ended.then(async (exit) => {
    if (pid !== undefined) running.delete(pid);
    if (running.size === 0) process.off('exit', killRunning);
    if ('mistake' in exit) return exit;
    // Processes that it left behind would go on to use the sandbox, and hold the output open.
    signalAll(pid, 'SIGKILL');
    cancelKill();
    await Promise.race([closed, new Promise<void>((done) => wall.after(graceMs, done))]);
    return exit;
  });
  return {
    exited,
    end: () => {
      signalAll(pid, 'SIGTERM');
      cancelKill();
      cancelKill = wall.after(graceMs, () => signalAll(pid, 'SIGKILL'));
    },
    output: output.text,
  };
}

function createOutput(): { add(text: string): void; text(): string } {
  let head = '';
  let tail = '';
  let isCut = false;
  return {
    add: (text) => {
      const room = maxOutput - head.length;
      head += text.slice(0, room);
      tail += text.slice(room);
      if (tail.length <= 2 * maxOutput) return;
      tail = tail.slice(-maxOutput);
      isCut = true;
    },
    text: () => (isCut ? `${head}\n…\n${tail}` : head + tail),
  };
}

/**
 * Signals all processes of a command, also those in groups or sessions of their own. Those in a session of their own are
 * no longer found when their parent has ended.
 */
function signalAll(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  for (const target of new Set([-pid, pid, ...findProcesses(pid)])) {
    try {
      process.kill(target, signal);
    } catch {
      // It has ended already.
    }
  }
}

/** Returns the processes in the session of a command, and their descendants. Only Linux has such a list. */
function findProcesses(leader: number): ReadonlySet<number> {
  const found = new Set<number>();
  if (process.platform !== 'linux') return found;
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess);
  const add = (parent: number): void => {
    for (const { pid, parent: of, session } of all) {
      if (found.has(pid) || (session !== leader && of !== parent)) continue;
      found.add(pid);
      add(pid);
    }
  };
  add(leader);
  return found;
}

function readProcess(name: string) {
  try {
    // The name of the program, in parentheses, may contain spaces.
    const [, parent, , session] = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    return [{ pid: Number(name), parent: Number(parent), session: Number(session) }];
  } catch {
    // The process has ended meanwhile.
    return [];
  }
}
