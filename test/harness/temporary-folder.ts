/** Gives all tests of a run one folder for their temporary files, and removes it at the end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

/** Vitest's global setup. Workers get the environment of the configuration, and pass it to the programs that they start. */
export default function setup({ config }: TestProject): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-tests-'));
  config.env = { ...config.env, TMPDIR: folder };
  return () => rmSync(folder, { recursive: true, force: true });
}
