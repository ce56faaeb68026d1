/** What a process of this machine holds, as its system tells. */

import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Its memory in megabytes; undefined where the system does not tell. */
export function memoryOf({ pid }: ChildProcess): number | undefined {
  return readOr(() => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
}

/** How many descriptors it has open; undefined where the system does not tell. */
export function descriptorsOf({ pid }: ChildProcess): number | undefined {
  return readOr(() => readdirSync(`/proc/${pid}/fd`).length);
}

function readOr(read: () => number): number | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
