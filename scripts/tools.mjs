// Installs the packages of `tools/`, which only the checks need, if they are missing or old. Then runs one of them:
// `node scripts/tools.mjs biome check .`
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const installed = 'tools/node_modules/.package-lock.json';
const changedAt = (file) => statSync(file).mtimeMs;

if (!existsSync(installed) || changedAt(installed) < changedAt('tools/package-lock.json')) {
  // To standard error: the output of the program may be read.
  const { status } = spawnSync('npm', ['ci', '--prefix', 'tools', '--ignore-scripts'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

const [program, ...args] = process.argv.slice(2);
if (program !== undefined) {
  const { status, error } = spawnSync(`tools/node_modules/.bin/${program}`, args, { stdio: 'inherit' });
  if (error) console.error(`tools: ${program} cannot be started: ${error.message}`);
  process.exit(status ?? 1);
}
