/** Creates a data folder lock that is always free, for tests of files. */
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import type { Hold } from '../../src/project/persistence/folder/hold.ts';

export function createTestHold(folder: string): Hold {
  return {
    workFolder: mkdtempSync(path.join(folder, '.writing-')),
    verify: () => undefined,
    restore: () => undefined,
    release: () => undefined,
  };
}
