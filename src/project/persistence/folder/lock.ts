/**
 * Locks a folder for one server. A lock file names the process that holds it; another server takes it over if that
 * process has stopped.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { WallClock } from '../../../lib/time.ts';
import type { ProcessTable } from './process-table.ts';

/** A process as described in a lock file. */
export interface Holder {
  /** Unique for each time that a folder is acquired. */
  readonly id: string;
  readonly pid: number;
  /** Start of the process by its own clock, in milliseconds. */
  readonly beganAt: number;
  /** Host name of the machine or container. */
  readonly host: string;
  /** The process table that contains the process, and its start time there. Locks of older versions lack both. */
  readonly space?: string | undefined;
  readonly startedAt?: string | undefined;
}

export interface LockParts {
  readonly self: Holder;
  readonly wall: WallClock;
  readonly processes: Pick<ProcessTable, 'find'>;
  /** `sign` of a lock whose holder has given no sign of life for too long: it counts as left behind. */
  readonly staleSign?: string | undefined;
  /** File functions. Default: those of the disk. Tests replace them to act between two steps. */
  readonly files?: LockFiles;
}

export type LockFiles = Pick<
  typeof fs,
  'closeSync' | 'openSync' | 'readFileSync' | 'rmSync' | 'statSync' | 'utimesSync' | 'writeSync'
>;

/** The parameters, with the path and the text of our lock file. */
export interface OwnLock extends LockParts {
  readonly files: LockFiles;
  readonly file: string;
  readonly text: string;
}

interface Rejection {
  readonly ok: false;
  readonly message: string;
  /** Set only if the holder may have stopped without a trace. Changes with each sign of life of the holder. */
  readonly sign?: string;
}

export type LockResult = { readonly ok: true; readonly lock: OwnLock } | Rejection;

export const lockFile = '.lock';

/** Age after which an untouched lock counts as left behind, if nothing else is known of its holder, in milliseconds. */
export const staleMs = 30_000;

const beingTaken: Rejection = { ok: false, message: 'is being acquired by another sandbox at this moment' };

/**
 * Acquires the lock of a folder if no other process has it.
 * @throws Error with a `code` if the folder is not writable
 */
export function takeLock(folder: string, parts: LockParts): LockResult {
  const file = path.join(folder, lockFile);
  const own: OwnLock = { files: fs, ...parts, file, text: JSON.stringify(parts.self) };
  return take(file, own) ?? { ok: true, lock: own };
}

/** Acquires a lock that is free or left behind. Returns the reason if it cannot be acquired. */
function take(file: string, own: OwnLock): Rejection | undefined {
  if (createLock(file, own)) return undefined;
  const rejection = toRejection(file, readLock(file, own), own);
  if (rejection) return rejection;
  // Only one process may remove a left-behind lock: if two find the same one, the second would remove the new lock of
  // the first. So removing it needs a second lock, which can be left behind too.
  const claimFile = `${file}.taking`;
  const claimRejection = take(claimFile, own);
  if (claimRejection)
    return claimRejection.sign === undefined ? beingTaken : { ...beingTaken, sign: claimRejection.sign };
  try {
    return takeOver(file, own);
  } finally {
    own.files.rmSync(claimFile, { force: true });
  }
}

/** Takes over a lock that was left behind. The caller must hold the `.taking` lock. */
function takeOver(file: string, own: OwnLock): Rejection | undefined {
  const found = readLock(file, own);
  if (found !== undefined) {
    const rejection = toRejection(file, found, own);
    if (rejection) return rejection;
    own.files.rmSync(file, { force: true });
  }
  // A process that has just started may have created the lock first.
  return createLock(file, own) ? undefined : beingTaken;
}

/** Creates our lock file. Returns false if one exists. */
export function createLock(file: string, { files, text }: OwnLock): boolean {
  let descriptor: number;
  try {
    descriptor = files.openSync(file, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    files.writeSync(descriptor, text);
  } catch (error) {
    // An empty lock would keep others out as long as a lock of another machine does.
    files.rmSync(file, { force: true });
    throw error;
  } finally {
    files.closeSync(descriptor);
  }
  return true;
}

/** Returns the reason why the existing lock keeps others out, or undefined if it was left behind. */
function toRejection(file: string, found: string | undefined, own: OwnLock): Rejection | undefined {
  if (found === undefined) return undefined;
  const holder = parseHolder(found);
  switch (judge(holder, own)) {
    case 'own':
      return { ok: false, message: 'is in use by another sandbox of this process' };
    case 'runs':
      return { ok: false, message: `is in use by another sandbox (process ${holder?.pid})` };
    case 'gone':
      return undefined;
    default:
      return toRejectionByAge(file, found, holder, own);
  }
}

/**
 * Returns what is certain about a lock's holder. Only processes in the same process table can be checked; a process id
 * or a host name alone proves nothing.
 */
function judge(holder: Holder | undefined, { self, processes }: OwnLock): 'own' | 'runs' | 'gone' | 'unknown' {
  if (holder?.space === undefined || holder.space !== self.space) return 'unknown';
  // An earlier process with our process id has stopped, or we could not have the id.
  if (holder.pid === self.pid) return holder.beganAt === self.beganAt ? 'own' : 'gone';
  const found = processes.find(holder.pid);
  if (!found) return 'gone';
  if (found.startedAt === undefined || holder.startedAt === undefined) return 'unknown';
  return found.startedAt === holder.startedAt ? 'runs' : 'gone';
}

/** Decides about a holder that may or may not run, by the time at which it last touched its lock. */
function toRejectionByAge(file: string, text: string, holder: Holder | undefined, own: OwnLock): Rejection | undefined {
  const stats = own.files.statSync(file, { throwIfNoEntry: false });
  // The file may belong to another process by the next step.
  if (!stats) return beingTaken;
  const sign = `${stats.mtimeMs} ${text}`;
  if (own.wall.now() - stats.mtimeMs > staleMs || sign === own.staleSign) return undefined;
  return { ok: false, message: `is in use by ${describeHolder(holder)}`, sign };
}

export function describeHolder(holder: Holder | undefined): string {
  return holder ? `a sandbox on ${holder.host} (process ${holder.pid})` : 'another sandbox';
}

/** Returns the text of a lock file, or undefined if it does not exist. */
export function readLock(file: string, { files }: OwnLock): string | undefined {
  try {
    return files.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Parses a lock file. Returns undefined if it is incomplete: it is being written, or the machine failed meanwhile. */
export function parseHolder(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text) as Holder;
    return typeof holder.pid === 'number' ? holder : undefined;
  } catch {
    return undefined;
  }
}
