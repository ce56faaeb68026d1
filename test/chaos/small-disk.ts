/** A mounted memory disk of 768 kB for one test. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

export interface SmallDisk {
  readonly folder: string;
  /** Fills the disk to its last byte. */
  fill(): void;
  /** Frees that space. */
  empty(): void;
  /** Makes the disk read-only, or writable again. */
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
  // Lazily, because a server of a failed test may still use it.
  spawnSync('umount', ['-l', folder]);
  rmdirSync(folder);
}

function appendUntilFull(file: string, size: number): void {
  try {
    for (;;) appendFileSync(file, Buffer.alloc(size));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** Returns why no disk can be mounted here, or undefined if it can. */
export function findNoDisk(): string | undefined {
  const folder = mountSmall();
  if (folder === undefined) return 'nothing can be mounted here (that takes Linux, and root)';
  unmount(folder);
  return undefined;
}

/** Returns a function that mounts disks, which are unmounted after the file's tests. */
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
        // In pages, and then in bytes, to fill the last page too.
        for (const size of [4096, 64]) appendUntilFull(filler, size);
      },
      empty: () => rmSync(filler),
      makeReadOnly: (isReadOnly) => {
        if (!mount('-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, folder))
          throw new Error('the disk cannot be remounted');
      },
    };
  };
}
