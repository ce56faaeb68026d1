/** Runs a command as a child process that shares the terminal, and forwards signals to it. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { toWord } from '../../lib/shell-word.ts';
import type { WallClock } from '../../lib/time.ts';
import { endSignals } from '../process/signals.ts';

/** How a command ended: its exit code (128 plus the number of a signal), or why it could not run. */
export type ProcessExit =
  | { readonly code: number; readonly ms: number }
  | { readonly code: 126 | 127; readonly mistake: string };

/** Signals that a terminal sends for keys. */
const keyboardSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/** Runs a command until it ends. `sharesTerminal`: whether the terminal sends keyboard signals to the child too. */
export function runChild(
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  wall: WallClock,
  sharesTerminal: boolean,
): Promise<ProcessExit> {
  const startedMs = wall.elapsed();
  return new Promise((resolve) => {
    // Node throws for an empty command; a shell does not find it.
    const child = spawn(command || ' ', args, { stdio: 'inherit', env });
    const forward = (signal: NodeJS.Signals): void => {
      // A terminal signals all of its processes. Many test runners abort at once at a second signal.
      if (!keyboardSignals.includes(signal) || !sharesTerminal) child.kill(signal);
    };
    const end = (result: ProcessExit): void => {
      for (const signal of endSignals) process.off(signal, forward);
      resolve(result);
    };
    for (const signal of endSignals) process.on(signal, forward);
    child.once('error', ({ code, message }: NodeJS.ErrnoException) => end(toStartFailure(command, code, message)));
    child.once('exit', (code, signal) =>
      end({ code: signal ? 128 + constants.signals[signal] : (code ?? 1), ms: wall.elapsed() - startedMs }),
    );
  });
}

/** Returns the exit code of a shell for a command that can't run. */
export function toStartFailure(command: string, code: string | undefined, message: string): ProcessExit {
  return code === 'ENOENT'
    ? { code: 127, mistake: `cannot start ${toWord(command)}: command not found` }
    : {
        code: 126,
        mistake: `cannot start ${toWord(command)}: ${code === 'EACCES' ? 'permission denied' : (code ?? message)}`,
      };
}
