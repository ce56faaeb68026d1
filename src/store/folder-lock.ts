/** Keeps a folder to one server: a lock file says which process has it, and is recognised where that one has gone. */
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs';
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

/** Takes a folder, where no other has it. @throws Error with a `code` where nothing can be written there */
export function takeFolder(folder: string, parts: Parts): Taken {
  const file = path.join(folder, lockFile);
  const text = JSON.stringify(parts.self);
  // The second time is for one that was left behind.
  for (let tries = 0; tries < 2; tries += 1) {
    if (create(file, text)) return { ok: true, release: hold(file, text, parts.wall) };
    const found = read(file);
    const mistake = refuse(file, found, parts);
    if (mistake !== undefined) return { ok: false, message: mistake };
    if (!clear(file, found)) break;
  }
  return { ok: false, message: 'is being taken by another sandbox at this moment' };
}

function create(file: string, text: string): boolean {
  let opened: number;
  try {
    opened = openSync(file, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeSync(opened, text);
  } catch (error) {
    // One that says nothing would keep others out for as long as one of another machine.
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(opened);
  }
  return true;
}

/** Takes this lock away that was left behind. False where another was there by then: it is put back. */
function clear(file: string, found: string | undefined): boolean {
  const aside = `${file}.stale`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
  const isIt = read(aside) === found;
  if (isIt) rmSync(aside, { force: true });
  else renameSync(aside, file);
  return isIt;
}

/** Why the lock that is there keeps others out; undefined where it was left behind. */
function refuse(file: string, found: string | undefined, { self, isRunning, wall }: Parts): string | undefined {
  if (found === undefined) return undefined;
  const holder = parse(found);
  if (!holder || holder.host !== self.host) {
    const touchedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (wall.now() - touchedAt > staleMs) return undefined;
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
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
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
function hold(file: string, text: string, wall: WallClock): () => void {
  let cancel = wall.after(touchedMs, touch);
  function touch(): void {
    const now = new Date(wall.now());
    try {
      // The folder may have been made anew.
      if (!create(file, text)) utimesSync(file, now, now);
    } catch {
      // It is looked at by others alone; who took the folder away must know why.
    }
    cancel = wall.after(touchedMs, touch);
  }
  return () => {
    cancel();
    if (read(file) === text) rmSync(file, { force: true });
  };
}
