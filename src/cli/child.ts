/** Runs a command as a child that shares this process's terminal, and passes on the signals that end it. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { WallClock } from '../base/time.ts';

/** How a command ended: its code, 128 and more for a signal; or why it could not be run. */
export type Ended =
  | { readonly code: number; readonly ms: number }
  | { readonly code: 126 | 127; readonly mistake: string };

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** What the keys of a terminal send. */
const fromKeys: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/** Resolves when the command has ended. `ownTerminal`: whether the keys that interrupt reach the child by themselves. */
export function runChild(
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  wall: WallClock,
  ownTerminal: boolean,
): Promise<Ended> {
  const startedMs = wall.elapsed();
  // Node does not look for such a command; a shell says the same of it.
  if (command === '') return Promise.resolve({ code: 127, mistake: "'': there is no such command" });
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', env });
    const pass = (signal: NodeJS.Signals): void => {
      // A terminal tells all processes before it; told twice, many test runners give up at once.
      if (!fromKeys.includes(signal) || !ownTerminal) child.kill(signal);
    };
    const end = (ended: Ended): void => {
      for (const signal of passedOn) process.off(signal, pass);
      resolve(ended);
    };
    for (const signal of passedOn) process.on(signal, pass);
    child.once('error', ({ code, message }: NodeJS.ErrnoException) => end(toFailure(command, code, message)));
    child.once('exit', (code, signal) =>
      end({ code: signal ? 128 + constants.signals[signal] : (code ?? 1), ms: wall.elapsed() - startedMs }),
    );
  });
}

/** Waits for work. @returns the signal that was to end the process before it was done */
export function untilSignal(work: Promise<unknown>): Promise<NodeJS.Signals | undefined> {
  return new Promise((resolve) => {
    const end = (signal?: NodeJS.Signals): void => {
      for (const one of passedOn) process.off(one, end);
      resolve(signal);
    };
    for (const one of passedOn) process.on(one, end);
    void work.finally(() => end());
  });
}

/** The codes are those of a shell. */
function toFailure(command: string, code: string | undefined, message: string): Ended {
  return code === 'ENOENT'
    ? { code: 127, mistake: `${command}: there is no such command` }
    : { code: 126, mistake: `${command}: can't be run (${code ?? message})` };
}
