/**
 * Holds a data folder for this server: touches its lock, checks it at each write, and reports if another server has
 * taken it over.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileEnding } from '../format/file-name.ts';
import { createLock, describeHolder, type OwnLock, parseHolder, readLock } from './lock.ts';

/** Thrown when writing to a folder that is not ours any more: released, or taken over by another server. */
export class LockLost extends Error {}

export interface Hold {
  /**
   * Folder for files that are being written or removed. A server that takes over the data folder removes this folder,
   * so that no earlier operation can replace or remove a file afterwards.
   */
  readonly workFolder: string;
  /**
   * Checks that the folder is ours.
   * @throws LockLost if it is released or another server holds it; Error with a `code` if it does not exist
   */
  verify(): void;
  /**
   * Creates the work folder again if somebody has removed it and the data folder is still ours.
   * @throws as `verify`
   */
  restore(): void;
  release(): void;
}

const workPrefix = '.writing-';

/** Interval between touches of a held lock, in milliseconds. */
const touchIntervalMs = 5000;

/**
 * Starts to hold a folder whose lock was just acquired. A server that held it before cannot change anything in it
 * afterwards. `onLockLost` is called once, when another server has taken over the folder, with a description of that
 * server.
 */
export function holdFolder(own: OwnLock, onLockLost: (by: string) => void): Hold {
  const { file, files, text, wall } = own;
  const folder = path.dirname(file);
  const workFolder = path.join(folder, workPrefix + own.self.id);
  let lockLost: LockLost | undefined;

  function verify(): void {
    if (lockLost) throw lockLost;
    const found = readLock(file, own);
    if (found === text) return;
    // Somebody may have removed the folder and created a new one. But a folder that contains files and not our work
    // folder was held by another server meanwhile.
    if (found === undefined && (existsSync(workFolder) || !hasFiles(folder)) && createLock(file, own)) return;
    throwLockLost(describeHolder(parseHolder(readLock(file, own) ?? '')));
  }

  function throwLockLost(by: string): never {
    lockLost = new LockLost('another sandbox has taken over the folder');
    onLockLost(by);
    throw lockLost;
  }

  function restore(): void {
    verify();
    mkdirSync(workFolder, { recursive: true, mode: 0o700 });
    // A server that took the folder between these two steps has not seen the work folder.
    verify();
  }

  let cancel = wall.after(touchIntervalMs, touch);
  function touch(): void {
    try {
      verify();
      const now = new Date(wall.now());
      files.utimesSync(file, now, now);
    } catch {
      // A removed folder may come back; a write to it reports the error.
      if (lockLost) return;
    }
    cancel = wall.after(touchIntervalMs, touch);
  }

  function release(): void {
    cancel();
    lockLost ??= new LockLost('the folder is released');
    try {
      rmSync(workFolder, { recursive: true, force: true });
      if (readLock(file, own) === text) files.rmSync(file, { force: true });
    } catch {
      // A lock that cannot be removed counts as left behind.
    }
  }

  const hold: Hold = { workFolder, verify, restore, release };
  try {
    restore();
    removeOtherWorkFolders(folder, workFolder);
  } catch (error) {
    release();
    throw error;
  }
  return hold;
}

function hasFiles(folder: string): boolean {
  return readdirSync(folder).some((name) => name.endsWith(fileEnding));
}

/** Removes the work folders of earlier servers. Each is moved in one step first, then its content is deleted. */
function removeOtherWorkFolders(folder: string, workFolder: string): void {
  const others = readdirSync(folder).filter(
    (name) => name.startsWith(workPrefix) && name !== path.basename(workFolder),
  );
  for (const name of others) {
    const moved = path.join(workFolder, name);
    renameSync(path.join(folder, name), moved);
    rmSync(moved, { recursive: true, force: true });
  }
}
