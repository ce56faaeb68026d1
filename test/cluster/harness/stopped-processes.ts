/** Stops a process and its children with SIGSTOP, and continues them. Needs Linux. */
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/** Stops the parent first, so that it has no new children meanwhile. Returns the stopped processes. */
export async function stopAll(parent: number): Promise<readonly number[]> {
  await stop(parent);
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number);
  for (const child of children) await stop(child);
  return [parent, ...children];
}

export function continueAll(pids: readonly number[]): void {
  for (const pid of pids) signal(pid, 'SIGCONT');
}

/** A signal takes effect only when the kernel next runs the process. */
async function stop(pid: number): Promise<void> {
  signal(pid, 'SIGSTOP');
  while (!['T', 'Z', 'X', undefined].includes(stateOf(pid))) await setImmediate();
}

/** Letter of the process's state; undefined for a process that has ended. */
function stateOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0];
  } catch {
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
