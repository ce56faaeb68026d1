/** Gives all tests of a run one folder for their temporary files, and removes it at the end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Vitest's global setup. Workers, and the programs that they start, inherit the environment. */
export default function setup(): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-tests-'));
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
