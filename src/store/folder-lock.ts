/** Keeps a folder to one server: a lock file says which process has it, and is recognised where that one has gone. */
import type fs from 'node:fs';
import { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { WallClock } from '../base/time.ts';

/** A process, as a lock names it. */
export interface Holder {
  readonly pid: number;
  /** Tells apart processes that had the same number, one after the other. */
  readonly beganAt: number;
  /** The machine, or container: of another's processes nothing is known. */
  readonly host: string;
}

interface Parts {
  readonly self: Holder;
  readonly wall: WallClock;
  /** Whether a process of this machine runs. */
  isRunning(pid: number): boolean;
  /** The disk's own, but for who looks between two steps. */
  readonly files?: LockFiles;
}

/** What is done with a lock's file, step by step. */
export type LockFiles = Pick<
  typeof fs,
  'closeSync' | 'openSync' | 'readFileSync' | 'rmSync' | 'statSync' | 'utimesSync' | 'writeSync'
>;

const filesOfDisk: LockFiles = { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync };

/** All of that, and the text of a lock that is ours. */
interface Own extends Required<Parts> {
  readonly text: string;
}

/** What came of taking a lock: what gives it back, or why it can't be had. */
export type Taken =
  | { readonly ok: true; readonly release: () => void }
  | { readonly ok: false; readonly message: string };

/** The lock's file in the folder. */
export const lockFile = '.lock';

/** A lock is touched this often while it is held. */
const touchedMs = 5000;

/** One of another machine that was not touched for so long was left behind. */
const staleMs = 30_000;

const beingTaken = 'is being taken by another sandbox at this moment';

/** Takes a folder, where no other has it. @throws Error with a `code` where nothing can be written there */
export function takeFolder(folder: string, parts: Parts): Taken {
  const own: Own = { files: filesOfDisk, ...parts, text: JSON.stringify(parts.self) };
  const file = path.join(folder, lockFile);
  const message = take(file, own);
  return message === undefined ? { ok: true, release: hold(file, own) } : { ok: false, message };
}

/** Takes a lock that is free, or was left behind; or says why it can't be had. */
function take(file: string, own: Own): string | undefined {
  if (create(file, own)) return undefined;
  const mistake = refuse(file, read(file, own), own);
  if (mistake !== undefined) return mistake;
  // Who takes it away has to be alone with it: it would be another's by now, where two have found the same one. That
  // takes a lock of its own, of which the same holds: who had it may have been killed.
  const claim = `${file}.taking`;
  if (take(claim, own) !== undefined) return beingTaken;
  try {
    return takeOver(file, own);
  } finally {
    own.files.rmSync(claim, { force: true });
  }
}

/** The same, for who is alone in taking over what was left behind. */
function takeOver(file: string, own: Own): string | undefined {
  const found = read(file, own);
  if (found !== undefined) {
    const mistake = refuse(file, found, own);
    if (mistake !== undefined) return mistake;
    own.files.rmSync(file, { force: true });
  }
  // Who has only just come may be there first.
  return create(file, own) ? undefined : beingTaken;
}

function create(file: string, { files, text }: Own): boolean {
  let opened: number;
  try {
    opened = files.openSync(file, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    files.writeSync(opened, text);
  } catch (error) {
    // One that says nothing would keep others out for as long as one of another machine.
    files.rmSync(file, { force: true });
    throw error;
  } finally {
    files.closeSync(opened);
  }
  return true;
}

/** Why the lock that is there keeps others out; undefined where it was left behind. */
function refuse(file: string, found: string | undefined, own: Own): string | undefined {
  const { self, isRunning, wall, files } = own;
  if (found === undefined) return undefined;
  const holder = parse(found);
  if (!holder || holder.host !== self.host) {
    const stats = files.statSync(file, { throwIfNoEntry: false });
    // What is there by the next step may be another's.
    if (!stats) return beingTaken;
    if (wall.now() - stats.mtimeMs > staleMs) return undefined;
    const who = holder ? `a sandbox on ${holder.host} (process ${holder.pid})` : 'another sandbox';
    return `is in use by ${who}; if that one has gone, wait ${staleMs / 1000} seconds`;
  }
  const { pid, beganAt } = holder;
  if (pid !== self.pid) {
    const which = `is in use by another sandbox (process ${pid}); if that process is none, remove ${file}`;
    return isRunning(pid) ? which : undefined;
  }
  // One of before with our number has gone, or we could not have it.
  return beganAt === self.beganAt ? 'is in use by another sandbox of this process' : undefined;
}

/** Undefined where it has gone. */
function read(file: string, { files }: Own): string | undefined {
  try {
    return files.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Undefined for what says nothing: it is being written, or the machine has failed meanwhile. */
function parse(text: string): Holder | undefined {
  try {
    const { pid, beganAt, host } = JSON.parse(text) as Holder;
    return typeof pid === 'number' ? { pid, beganAt, host } : undefined;
  } catch {
    return undefined;
  }
}

/** Holds the lock; gives back what ends that. */
function hold(file: string, own: Own): () => void {
  const { files, text, wall } = own;
  let cancel = wall.after(touchedMs, touch);
  function touch(): void {
    const now = new Date(wall.now());
    try {
      // The folder may have been made anew.
      if (!create(file, own)) files.utimesSync(file, now, now);
    } catch {
      // It is looked at by others alone; who took the folder away must know why.
    }
    cancel = wall.after(touchedMs, touch);
  }
  return () => {
    cancel();
    if (read(file, own) === text) files.rmSync(file, { force: true });
  };
}
