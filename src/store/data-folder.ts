/** A folder of worlds' files, held by one server at a time. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { processBeganAt, type WallClock } from '../base/time.ts';
import { unfinishedEnding } from './disk.ts';
import { logEnding } from './file-box.ts';
import { fileEnding } from './file-name.ts';
import { takeFolder } from './folder-lock.ts';

export interface DataFolder {
  /** The names of the worlds' files that were there, the one that was written last at the end. */
  readonly names: readonly string[];
  /** Where a file of it is. */
  pathOf(name: string): string;
  /** Lets another server have it. */
  release(): void;
}

/** Makes a folder where there is none, and takes it; or says what keeps it from being used. */
export function openDataFolder(
  folder: string,
  wall: WallClock,
): { readonly ok: true; readonly folder: DataFolder } | { readonly ok: false; readonly message: string } {
  let doing = 'made';
  try {
    makeFolder(folder);
    doing = 'written to';
    const self = { pid: process.pid, beganAt: processBeganAt, host: hostname() };
    const taken = takeFolder(folder, { self, wall, isRunning });
    if (!taken.ok) return taken;
    doing = 'read';
    return { ok: true, folder: { names: listWorlds(folder), pathOf: toPath(folder), release: taken.release } };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    // What is no folder can't be made one.
    return { ok: false, message: `can't be ${doing} (${code})` };
  }
}

function makeFolder(folder: string): void {
  // Others have no business in it: secrets of callbacks are kept there.
  const mode = 0o700;
  try {
    mkdirSync(folder, { recursive: true, mode });
  } catch (error) {
    // Of a file system that is read-only, as a container's may be, Node says this, too. Making just one tells it apart.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') mkdirSync(findFirstMissing(path.resolve(folder)), { mode });
    throw error;
  }
}

function findFirstMissing(folder: string): string {
  const above = path.dirname(folder);
  return existsSync(above) ? folder : findFirstMissing(above);
}

function toPath(folder: string): (name: string) => string {
  return (name) => path.join(folder, name);
}

function listWorlds(folder: string): readonly string[] {
  const names = readdirSync(folder);
  for (const name of names) {
    // What was being written when a server was killed: what it was to replace is still there. And logs of what is gone.
    const isUnfinished = name.endsWith(fileEnding + unfinishedEnding);
    const isLeft = name.endsWith(fileEnding + logEnding) && !names.includes(name.slice(0, -logEnding.length));
    if (isUnfinished || isLeft) rmSync(path.join(folder, name), { force: true });
  }
  const writtenAt = (name: string): number => statSync(path.join(folder, name)).mtimeMs;
  return names
    .filter((name) => name.endsWith(fileEnding))
    .map((name) => ({ name, at: writtenAt(name) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ name }) => name);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One of somebody else's runs, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
