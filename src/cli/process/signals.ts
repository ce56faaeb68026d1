/** Signals that end a command, and other ends of commands that go on. */
import { constants } from 'node:os';
import { timers } from '../../lib/timers.ts';
import type { Io } from '../frame/io.ts';

export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Waits for the work, also if it fails, or for a signal. @returns the signal, or undefined if the work ended first */
export function untilSignal(work: Promise<unknown>): Promise<NodeJS.Signals | undefined> {
  return new Promise((resolve) => {
    const end = (signal?: NodeJS.Signals): void => {
      for (const name of endSignals) process.off(name, end);
      resolve(signal);
    };
    for (const name of endSignals) process.on(name, end);
    const done = (): void => end();
    void work.then(done, done);
  });
}

/**
 * Does a series of runs that a signal of the process, or `io.signal`, ends early, so that the results so far are
 * reported. A second signal ends the process at once.
 * @returns the exit code: 128 and the number of the signal, or else that of the work
 */
export async function untilStopped(
  io: Pick<Io, 'signal'>,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const controller = new AbortController();
  let stopped: number | undefined;
  const stop = (name: NodeJS.Signals): void => {
    const code = 128 + constants.signals[name];
    if (stopped !== undefined) process.exit(code);
    stopped = code;
    controller.abort();
  };
  for (const name of endSignals) process.on(name, stop);
  try {
    const code = await work(AbortSignal.any([controller.signal, ...(io.signal ? [io.signal] : [])]));
    return stopped ?? code;
  } finally {
    for (const name of endSignals) process.off(name, stop);
  }
}

/**
 * Does work that goes on until a signal, until `io.signal` is aborted, or until the reader of the output closes it, as
 * `head` does. `stop` then ends what `work` waits for. @returns its result
 */
export async function untilEnded<Result>(
  io: Pick<Io, 'stdout' | 'signal'>,
  stop: () => void,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController();
  const end = (): void => {
    ending.abort();
    stop();
  };
  io.signal?.addEventListener('abort', end);
  if (io.signal?.aborted) end();
  io.stdout.once('error', end);
  // During a backoff nothing else keeps the process alive.
  const keepAlive = timers.setInterval(() => undefined, 60_000);
  try {
    const working = work(ending.signal);
    await untilSignal(working);
    end();
    return await working;
  } finally {
    timers.clearInterval(keepAlive);
    io.stdout.off('error', end);
  }
}
