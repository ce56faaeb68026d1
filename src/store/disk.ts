/** The few things that are done with files: looked for, read, replaced as a whole, added to, removed. */
import { readFileSync } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';

/** Files, for whoever keeps something in them. What goes wrong is an Error with a `code` (ENOSPC, EACCES, …). */
export interface Disk {
  /** The text of a file; undefined where there is none. */
  read(file: string): string | undefined;
  has(file: string): Promise<boolean>;
  /** Puts a text in place of a file: whoever reads it sees the old one or the new one, whole. */
  replace(file: string, text: string): Promise<void>;
  /** Adds to the end of a file, which is made where there is none. */
  append(file: string, text: string): Promise<void>;
  /** Removes a file, if it is there. */
  remove(file: string): Promise<void>;
}

/** What the name of a file ends with that is about to take another's place. */
export const unfinishedEnding = '.tmp';

/** For the owner alone: secrets of callbacks are in these files. */
const ownersOnly = 0o600;

/** The disk of this machine. */
export function createDisk(): Disk {
  async function write(file: string, text: string, flags: 'w' | 'a'): Promise<void> {
    const handle = await open(file, flags, ownersOnly);
    try {
      await handle.writeFile(text);
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  return {
    read: (file) => {
      try {
        return readFileSync(file, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    has: (file) =>
      access(file).then(
        () => true,
        () => false,
      ),
    replace: async (file, text) => {
      const unfinished = file + unfinishedEnding;
      try {
        await write(unfinished, text, 'w');
        await rename(unfinished, file);
      } catch (error) {
        await rm(unfinished, { force: true }).catch(() => undefined);
        throw error;
      }
    },
    append: (file, text) => write(file, text, 'a'),
    remove: (file) => rm(file, { force: true }),
  };
}
