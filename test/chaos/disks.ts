/** Disks for a file's tests, which are unmounted after them. Mounting takes Linux, and root. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

/** A memory disk of 768 kB. */
export interface SmallDisk {
  readonly folder: string;
  /** Fills the disk to its last byte. */
  fill(): void;
  /** Frees that space. */
  empty(): void;
  /** Makes the disk read-only, or writable again. */
  makeReadOnly(isReadOnly: boolean): void;
}

/** A disk whose medium is a file: what is copied of it is what would be left after a power loss. */
export interface DiskImage {
  readonly folder: string;
  /** Copies what has reached the medium by now. */
  copy(): { mount(): string };
}

export interface Disks {
  createSmall(): SmallDisk;
  createImage(): DiskImage;
  /** Returns why no disk of a kind can be mounted here, or undefined if it can. */
  findNone(kind: 'small' | 'image'): string | undefined;
}

const run = (command: string, ...args: readonly string[]): boolean => spawnSync(command, args).status === 0;

function appendUntilFull(file: string, size: number): void {
  try {
    for (;;) appendFileSync(file, Buffer.alloc(size));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

export function useDisks(): Disks {
  const root = mkdtempSync(path.join(tmpdir(), 'field-sandbox-disks-'));
  const mounted: string[] = [];
  let count = 0;
  afterAll(() => {
    // Lazily, because a server of a failed test may still use it.
    for (const folder of mounted) run('umount', '-l', folder);
    rmSync(root, { recursive: true });
  });

  const newPath = (): string => {
    count += 1;
    return path.join(root, `disk-${count}`);
  };

  /** Mounts what the options name. @throws where it cannot be */
  function mount(...options: readonly string[]): string {
    const folder = newPath();
    mkdirSync(folder);
    if (!run('mount', ...options, folder)) {
      rmdirSync(folder);
      throw new Error(`nothing can be mounted here by ${options.join(' ')}`);
    }
    mounted.push(folder);
    return folder;
  }

  const mountImage = (image: string): string => mount('-o', 'loop', image);

  const disks: Disks = {
    createSmall: () => {
      const folder = mount('-t', 'tmpfs', '-o', 'size=768k,mode=700', 'tmpfs');
      const filler = path.join(folder, 'filler');
      return {
        folder,
        fill: () => {
          // In pages, and then in bytes, to fill the last page too.
          for (const size of [4096, 64]) appendUntilFull(filler, size);
        },
        empty: () => rmSync(filler),
        makeReadOnly: (isReadOnly) => {
          if (!run('mount', '-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, folder))
            throw new Error('the disk cannot be remounted');
        },
      };
    },
    createImage: () => {
      const image = newPath();
      writeFileSync(image, '');
      truncateSync(image, 24 * 1024 * 1024);
      run('mkfs.ext4', '-q', image);
      return {
        folder: mountImage(image),
        copy: () => {
          const copied = newPath();
          copyFileSync(image, copied);
          return { mount: () => mountImage(copied) };
        },
      };
    },
    findNone: (kind) => {
      try {
        if (kind === 'small') disks.createSmall();
        else disks.createImage();
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
  };
  return disks;
}
