/** Installs packages that only one test needs into a temporary folder, without running their scripts. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';

export interface Fetched {
  readonly folder: string;
  /** Whether a package registry can be reached. If not, nothing is installed, and a warning says so. */
  readonly isReachable: boolean;
  readonly require: NodeJS.Require;
}

/** Installs the packages. `what` names for the warning what is not tested without a registry. */
export function useFetched(what: string, packages: readonly string[]): Fetched {
  const isReachable = spawnSync('npm', ['ping'], { timeout: 20_000 }).status === 0;
  if (!isReachable) console.warn(`no package registry can be reached: ${what} NOT tested`);
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-fetched-'));
  beforeAll(() => {
    writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
    if (isReachable) execFileSync('npm', ['install', ...quiet, ...packages], { cwd: folder, stdio: 'inherit' });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, isReachable, require: createRequire(path.join(folder, 'package.json')) };
}
