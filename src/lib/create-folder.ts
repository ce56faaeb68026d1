import { existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a folder and its missing parents. Returns the first one that it created. Node's recursive mkdir never returns
 * where a file system has no new folders, such as /proc.
 */
export function createFolder(folder: string, mode?: number): string | undefined {
  const parent = path.dirname(path.resolve(folder));
  const firstCreated = existsSync(parent) ? undefined : createFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
    return firstCreated ?? folder;
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return firstCreated;
    throw error;
  }
}

/** Checks that a folder exists or can be created, and leaves no new one behind. @throws Error with a `code` */
export function checkFolder(folder: string): void {
  const firstCreated = createFolder(folder);
  if (firstCreated === undefined) return;
  const end = path.dirname(path.resolve(firstCreated));
  // Not recursively: another command may write there already.
  for (let left = path.resolve(folder); left !== end; left = path.dirname(left)) rmdirSync(left);
}
