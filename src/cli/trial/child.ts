/** Runs a command without a terminal: collects its output, and ends all of its processes together. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { WallClock } from '../../lib/time.ts';
import { type ProcessExit, toStartFailure } from '../run/child.ts';

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

/** Starts a command, by default in the working directory. */
export function startChild(
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  wall: WallClock,
  cwd: string = process.cwd(),
): Child {
  const startedMs = wall.elapsed();
  const output = createOutput();
  const child = spawn(command || ' ', args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env, cwd });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', output.add);
  let cancelKill = (): void => undefined;
  const exited = new Promise<ProcessExit>((resolve) => {
    let exit: ProcessExit | undefined;
    const finish = (): void => {
      if (exit) resolve(exit);
    };
    child.once('error', ({ code, message }: NodeJS.ErrnoException) => resolve(toStartFailure(command, code, message)));
    child.once('exit', (code, signal) => {
      exit = { code: signal ? 128 + constants.signals[signal] : (code ?? 1), ms: wall.elapsed() - startedMs };
      // Processes that it left behind would go on to use the sandbox, and hold the output open.
      signalAll(child.pid, 'SIGKILL');
      cancelKill = wall.after(graceMs, finish);
    });
    child.once('close', () => {
      cancelKill();
      finish();
    });
  });
  return {
    exited,
    end: () => {
      signalAll(child.pid, 'SIGTERM');
      cancelKill();
      cancelKill = wall.after(graceMs, () => signalAll(child.pid, 'SIGKILL'));
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

/** Signals all processes of a command, also those in groups or sessions of their own. */
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

interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
}

function readProcess(name: string): readonly ProcessFacts[] {
  try {
    // The name of the program, in parentheses, may contain spaces.
    const [, parent, , session] = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    return [{ pid: Number(name), parent: Number(parent), session: Number(session) }];
  } catch {
    // The process has ended meanwhile.
    return [];
  }
}
