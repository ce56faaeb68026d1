/** Reads, replaces, appends to and removes files durably in a folder that this server holds. */
import { constants } from 'node:fs';
import { access, type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Hold } from './hold.ts';
import { readLines } from './read-lines.ts';
import { syncFolder } from './sync-folder.ts';

/**
 * File operations. Errors have a `code` (ENOSPC, EACCES, …), or are LockLost. Completed operations survive a power
 * loss.
 */
export interface Disk {
  /**
   * Returns the lines of a file, each with its line end, which the last one may lack. Returns undefined if the file
   * does not exist.
   */
  lines(file: string): Iterable<string> | undefined;
  has(file: string): Promise<boolean>;
  /**
   * Replaces a file. Readers see the complete old or the complete new text. Each piece of the text is requested when
   * the piece before it is written.
   */
  replace(file: string, text: Iterable<string>): Promise<void>;
  /** Appends to a file, and creates it if it does not exist. */
  append(file: string, text: Iterable<string>): Promise<void>;
  remove(file: string): Promise<void>;
  /** Removes a file that is no longer valid. After a power loss it may exist again. */
  discard(file: string): Promise<void>;
}

export interface DiskSteps {
  open(file: string, flags: number): Promise<Pick<FileHandle, 'writeFile' | 'datasync' | 'close'>>;
  rename(from: string, to: string): Promise<void>;
  rm(file: string): Promise<void>;
  syncFolder(folder: string): Promise<void>;
}

/** Only for the owner: the files contain the secrets of callbacks. */
const ownersOnly = 0o600;

const steps: DiskSteps = {
  open: (file, flags) => open(file, flags, ownersOnly),
  rename,
  rm: (file) => rm(file, { force: true }),
  syncFolder,
};

const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND } = constants;

/**
 * Creates the disk for a folder that this server holds. If this process pauses, another server may take over the folder
 * at any moment. So each change must be impossible after that:
 * - Replacing or removing a file moves a file from or to the work folder, which the other server has removed.
 * - A log line is written to a log that was opened while the folder was ours. The other server writes to a log only
 * after it has replaced the project file and removed the old log, and it ignores later lines of other editions.
 * An operation resolves only after another check that the folder is still ours.
 */
export function createDisk(hold: Hold, { open, rename, rm, syncFolder }: DiskSteps = steps): Disk {
  async function write(file: string, flags: number, text: Iterable<string>): Promise<void> {
    const handle = await open(file, O_WRONLY | flags);
    try {
      hold.verify();
      for (const piece of text) await handle.writeFile(piece);
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  /** Runs an operation in the work folder, which somebody may have removed, alone or with the data folder. */
  async function inWorkFolder(operation: () => Promise<void>): Promise<void> {
    try {
      await operation();
    } catch (error) {
      if (!isMissing(error)) throw error;
      hold.restore();
      await operation();
    }
  }

  const toWorkFile = (file: string): string => path.join(hold.workFolder, path.basename(file));

  async function has(file: string): Promise<boolean> {
    return access(file).then(
      () => true,
      () => false,
    );
  }

  async function discard(file: string): Promise<void> {
    if (!(await has(file))) return;
    const workFile = toWorkFile(file);
    await inWorkFolder(async () => {
      if (await has(file)) await rename(file, workFile);
    });
    // The file is no longer in its place; the work folder is removed at the end.
    await rm(workFile).catch(() => undefined);
  }

  return {
    lines: readLines,
    has,
    replace: async (file, text) => {
      const workFile = toWorkFile(file);
      try {
        await inWorkFolder(() => write(workFile, O_CREAT | O_TRUNC, text));
        await rename(workFile, file);
      } catch (error) {
        await rm(workFile).catch(() => undefined);
        hold.verify();
        throw error;
      }
      await syncFolder(path.dirname(file));
      hold.verify();
    },
    append: async (file, text) => {
      try {
        await write(file, O_APPEND, text);
      } catch (error) {
        if (!isMissing(error)) throw error;
        await write(file, O_APPEND | O_CREAT, text);
        await syncFolder(path.dirname(file));
      }
      hold.verify();
    },
    remove: async (file) => {
      await discard(file);
      await syncFolder(path.dirname(file));
      hold.verify();
    },
    discard,
  };
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
