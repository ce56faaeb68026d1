/** The built program for tests: the latest build if it has all changes, otherwise a new one that all test files share. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const sources = ['src', 'spec', 'scenarios', 'package.json', 'config/rolldown.config.ts', 'config/package-plugin.ts'];
const prefix = '.field-sandbox-build-';
const unusedAfterMs = 3_600_000;

/** Returns the folder that contains `main.js`. */
export async function builtProgram(): Promise<string> {
  const changedAt = Math.max(...sources.map(newestIn));
  if (existsSync('dist/main.js') && statSync('dist/main.js').mtimeMs > changedAt) return path.resolve('dist');
  const shared = path.resolve('node_modules', `${prefix}${Math.round(changedAt)}`);
  if (!existsSync(shared)) await buildInto(shared);
  return shared;
}

/** Two test files may build at the same time; the first one that ends provides the build. */
async function buildInto(shared: string): Promise<void> {
  const others = readdirSync('node_modules').filter((name) => name.startsWith(prefix));
  // Another run may still use a younger one.
  for (const folder of others.map((name) => path.resolve('node_modules', name)))
    if (Date.now() - statSync(folder).mtimeMs > unusedAfterMs) rmSync(folder, { recursive: true, force: true });
  const folder = mkdtempSync(path.resolve('node_modules/.field-sandbox-test-'));
  const rolldown = path.resolve('node_modules/.bin/rolldown');
  await promisify(execFile)(rolldown, ['-c', 'config/rolldown.config.ts', '-d', path.join(folder, 'dist')]);
  try {
    renameSync(path.join(folder, 'dist'), shared);
  } catch {
    // The other test file was first.
  }
  rmSync(folder, { recursive: true });
}

/** Returns when the newest file in a folder was changed. The console is not part of the program. */
function newestIn(entry: string): number {
  const stats = statSync(entry);
  if (!stats.isDirectory()) return stats.mtimeMs;
  const names = readdirSync(entry).filter((name) => name !== 'console');
  return Math.max(0, ...names.map((name) => newestIn(path.join(entry, name))));
}
