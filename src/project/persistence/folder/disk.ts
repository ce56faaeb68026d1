/** Reads, replaces, appends to and removes files durably in a folder that this server holds. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Hold } from './hold.ts';

/** File operations, which survive a power loss once completed. Errors have a `code` (ENOSPC, …), or are LockLost. */
export interface Disk {
  /** Returns the lines of a file with their line ends, or undefined if it does not exist. The last may lack its end. */
  lines(file: string): Iterable<string> | undefined;
  /**
   * Replaces a file. Readers see the complete old or the complete new text. Each piece of the text is requested when
   * the piece before it is written.
   */
  replace(file: string, text: Iterable<string>): Promise<void>;
  /** Appends to a file. Resolves with whether it exists: somebody may have removed it. */
  append(file: string, text: Iterable<string>): Promise<boolean>;
  remove(file: string): Promise<void>;
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
  rename: (from, to) => rename(from, to),
  rm: (file) => rm(file, { force: true }),
  syncFolder,
};

const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND } = constants;

/**
 * Creates the disk for a folder that this server holds. If this process pauses, another server may take over the folder
 * at any moment. So each change must be impossible after that:
 * - Replacing or removing a file moves a file from or to the work folder, which the other server has removed.
 * - A line is appended to a file that was opened while the folder was ours. The other server appends to a file only
 * after it has replaced that one.
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

  return {
    lines: readLines,
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
        return false;
      }
      hold.verify();
      return true;
    },
    remove: async (file) => {
      const workFile = toWorkFile(file);
      await inWorkFolder(() => rename(file, workFile)).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
      // The file is no longer in its place; the work folder is removed at the end.
      await rm(workFile).catch(() => undefined);
      await syncFolder(path.dirname(file));
      hold.verify();
    },
  };
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** Error codes of file systems that cannot sync a folder. */
const unsupported: readonly string[] = ['EINVAL', 'ENOTSUP'];

/**
 * Syncs the entries of a folder to disk. Without it, a new or renamed file may be missing after a power loss.
 * @throws Error with a `code` if the sync fails
 */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!unsupported.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

const bufferBytes = 1024 * 1024;
const newline = 10;

/**
 * Reads one line at a time, because a file may be longer than the maximum length of a string.
 * @throws Error with a `code` if the file cannot be read
 */
function readLines(file: string): Iterable<string> | undefined {
  try {
    return toLines(openSync(file, 'r'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Starts to read when the first line is requested, and closes the file at the end. */
function* toLines(descriptor: number): Generator<string> {
  const buffer = Buffer.alloc(bufferBytes);
  // Only complete lines are decoded: a character may span two buffers.
  let rest = Buffer.alloc(0);
  try {
    for (let length = readSync(descriptor, buffer); length > 0; length = readSync(descriptor, buffer)) {
      const read = Buffer.concat([rest, buffer.subarray(0, length)]);
      let from = 0;
      for (let end = read.indexOf(newline); end >= 0; end = read.indexOf(newline, from)) {
        yield read.toString('utf8', from, end + 1);
        from = end + 1;
      }
      rest = read.subarray(from);
    }
    if (rest.length > 0) yield rest.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}
