import { existsSync, mkdirSync, statSync } from 'node:fs';
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
