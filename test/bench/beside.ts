/** A process beside the benchmark's own, whose work must not wait for that of this one; and how it talks with this one. */
import { fork } from 'node:child_process';
import { once } from 'node:events';

export interface Beside {
  /** Begins what it does, and resolves when it has. */
  begin(): Promise<number>;
  /** Ends it, and resolves with what it came to. */
  end(): Promise<number>;
  stop(): void;
}

/** Starts a script of the benchmark with a URL, and waits until it is ready. */
export async function startBeside(script: string, url: string): Promise<Beside> {
  const child = fork(`dist/bench/${script}.mjs`, [url]);
  const answer = async (): Promise<number> => ((await once(child, 'message')) as [number])[0];
  const tell = (what: 'begin' | 'end'): Promise<number> => {
    child.send(what);
    return answer();
  };
  await answer();
  return { begin: () => tell('begin'), end: () => tell('end'), stop: () => child.kill() };
}

/** In that process: says that it is ready, and answers each message with the number that the function returns. */
export function serveBeside(hear: (what: 'begin' | 'end') => number | Promise<number>): void {
  process.on('message', async (what: 'begin' | 'end') => process.send?.(await hear(what)));
  process.send?.(0);
}
