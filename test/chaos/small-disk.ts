/** A disk of some hundred kilobytes for one test: in memory, mounted, filled and emptied as it says. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

export interface SmallDisk {
  readonly folder: string;
  /** Leaves no byte free. */
  fill(): void;
  /** Gives all of that back. */
  empty(): void;
  /** Lets it be read alone, or written again. */
  makeReadOnly(isReadOnly: boolean): void;
}

const mount = (...args: readonly string[]): boolean => spawnSync('mount', args).status === 0;

function mountSmall(): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-disk-'));
  if (mount('-t', 'tmpfs', '-o', 'size=768k,mode=700', 'tmpfs', folder)) return folder;
  rmdirSync(folder);
  return undefined;
}

function unmount(folder: string): void {
  // Lazily: a server that a test has left behind may still have it.
  spawnSync('umount', ['-l', folder]);
  rmdirSync(folder);
}

/** Why there can be none here; undefined where there can. */
export function findNoDisk(): string | undefined {
  const folder = mountSmall();
  if (folder === undefined) return 'nothing can be mounted here (that takes Linux, and root)';
  unmount(folder);
  return undefined;
}

/** Disks for a file's tests, which go with it. */
export function useSmallDisks(): () => SmallDisk {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) unmount(folder);
  });
  return () => {
    const folder = mountSmall();
    if (folder === undefined) throw new Error('nothing can be mounted');
    folders.push(folder);
    const filler = path.join(folder, 'filler');
    return {
      folder,
      fill: () => {
        // In pages, and then in bytes: what is left of the last page counts, too.
        for (const size of [4096, 64]) {
          try {
            for (;;) appendFileSync(filler, Buffer.alloc(size));
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          }
        }
      },
      empty: () => rmSync(filler),
      makeReadOnly: (isReadOnly) => {
        if (!mount('-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, folder)) throw new Error('it stays as it is');
      },
    };
  };
}
