/** Looks up processes of this machine or container: whether one runs, and when it started. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface FoundProcess {
  /** Distinguishes processes that had the same id one after the other. Undefined if the system does not report it. */
  readonly startedAt: string | undefined;
}

export interface ProcessTable {
  /** The same for processes that can see each other. Undefined if unknown: then a process id proves nothing. */
  readonly space: string | undefined;
  /** Returns the process with this id, or undefined if there is none. */
  find(pid: number): FoundProcess | undefined;
}

export function createProcessTable(): ProcessTable {
  const isLinux = process.platform === 'linux';
  return {
    space: isLinux ? readTableId() : `${process.platform} ${hostname()}`,
    find: (pid) => {
      if (!hasProcess(pid)) return undefined;
      if (!isLinux) return { startedAt: undefined };
      const stat = readStat(pid);
      // A zombie has closed all its files already.
      return stat?.state === 'Z' || stat?.state === 'X' ? undefined : { startedAt: stat?.startedAt };
    },
  };
}

/**
 * Returns the boot id of the kernel and the PID namespace. Containers have their own process ids, so each may have a
 * process 1, and often the same host name. The kernel reuses the number of a namespace only after that namespace has
 * ended.
 */
function readTableId(): string | undefined {
  try {
    // If /proc shows another namespace, its process ids are not ours.
    if (readlinkSync('/proc/self') !== String(process.pid)) return undefined;
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${bootId} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Reads fields 3 and 22 of the line. Field 2, the name, may contain spaces and parentheses. */
function readStat(
  pid: number,
): { readonly state: string | undefined; readonly startedAt: string | undefined } | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], startedAt: fields[19] };
  } catch {
    return undefined;
  }
}
