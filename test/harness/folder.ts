/** Folders of tests. The end of the run removes them: temporary-folder.ts. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Creates an empty folder. */
export function createFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'field-sandbox-'));
}
