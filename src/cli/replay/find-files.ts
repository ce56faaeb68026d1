/** Finds the recordings that the arguments of a command name: files, and folders with all that is in them. */
import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

export interface FoundFile {
  readonly file: string;
  /** Whether the arguments name its folder only, so that JSON files of other kinds are skipped. */
  readonly isInFolder: boolean;
}

/** Lists the files, in the order of the arguments; those of a folder by name. */
export async function findFiles(given: readonly string[]): Promise<readonly FoundFile[]> {
  const found = await Promise.all(
    given.map(async (file) => {
      const isFolder = (await stat(file).catch(() => undefined))?.isDirectory() === true;
      return isFolder ? listFolder(file) : [{ file, isInFolder: false }];
    }),
  );
  return found.flat();
}

async function listFolder(folder: string): Promise<readonly FoundFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const sorted = entries.filter(({ name }) => !isSkipped(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const found = await Promise.all(sorted.map((entry) => listEntry(folder, entry)));
  return found.flat();
}

async function listEntry(folder: string, entry: Dirent): Promise<readonly FoundFile[]> {
  const file = path.join(folder, entry.name);
  if (entry.isDirectory()) return listFolder(file);
  return entry.isFile() && entry.name.endsWith('.json') ? [{ file, isInFolder: true }] : [];
}

/** Folders of packages and of tools hold many files, but no recordings. */
function isSkipped(name: string): boolean {
  return name === 'node_modules' || name.startsWith('.');
}
