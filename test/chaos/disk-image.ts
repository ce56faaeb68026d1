/** A disk whose medium is a file: what is copied of it is what would be left after a power loss. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

export interface DiskImage {
  readonly folder: string;
  /** Copies what has reached the medium by now. */
  copy(): { mount(): string };
}

const run = (command: string, ...args: readonly string[]): boolean => spawnSync(command, args).status === 0;

/** Images for a file's tests, which go with it. */
export function useDiskImages(): { create(): DiskImage; findNone(): string | undefined } {
  const root = mkdtempSync(path.join(tmpdir(), 'field-sandbox-image-'));
  const mounted: string[] = [];
  let count = 0;
  afterAll(() => {
    for (const folder of mounted) run('umount', '-l', folder);
    rmSync(root, { recursive: true });
  });

  function mountImage(image: string): string | undefined {
    const folder = `${image}-mounted`;
    mkdirSync(folder);
    if (!run('mount', '-o', 'loop', image, folder)) return undefined;
    mounted.push(folder);
    return folder;
  }

  function make(): string | undefined {
    count += 1;
    const image = path.join(root, `disk-${count}`);
    writeFileSync(image, '');
    truncateSync(image, 24 * 1024 * 1024);
    return run('mkfs.ext4', '-q', image) ? image : undefined;
  }

  return {
    create: () => {
      const image = make() ?? '';
      const folder = mountImage(image) ?? '';
      return {
        folder,
        copy: () => {
          count += 1;
          const copied = path.join(root, `copy-${count}`);
          copyFileSync(image, copied);
          return { mount: () => mountImage(copied) ?? '' };
        },
      };
    },
    findNone: () => {
      const image = make();
      const folder = image && mountImage(image);
      return folder ? undefined : 'no image of a disk can be mounted here (that takes Linux, and root)';
    },
  };
}
