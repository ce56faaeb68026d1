/** What a process of this machine holds, as its system tells. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Its resident memory in megabytes: from the kernel where it tells, else from `ps`. */
export function memoryOf(pid: number): number {
  if (process.platform !== 'linux') return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) / 1024;
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** How many descriptors it has open; undefined where the system does not tell. */
export function descriptorsOf(pid: number): number | undefined {
  return countIn(`/proc/${pid}/fd`);
}

function countIn(folder: string): number | undefined {
  return existsSync(folder) ? readdirSync(folder).length : undefined;
}

/** How many threads it has; undefined where the system does not tell. */
export function threadsOf(pid: number): number | undefined {
  return countIn(`/proc/${pid}/task`);
}

/** Processor time of all its threads, in milliseconds. Linux only. */
export function processorMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const texts = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8'));
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1_000_000;
}
