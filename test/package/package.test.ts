/**
 * The package as a user gets it: packed, installed in an empty folder, started, asked, stopped.
 * Run by `npm run test:package`; it knows only what the package promises, nothing of src/.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startProcess } from '../rig/process.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const megabyte = 1_000_000;
const location = {
  deviceId: 'van-7',
  eventDateTime: '2026-03-02T09:41:17+10:00',
  geoJson: { type: 'Point', coordinates: [153.0234, -27.4705] },
};

let folder: string;
let copy: string;
let warnings: string;
let tarball: string;

beforeAll(() => {
  if (!existsSync(join(project, 'dist/main.js'))) run('npm', ['run', 'build'], project);
  const packed = mkdtempSync(join(tmpdir(), 'field-sandbox-packed-'));
  // In a copy without a build, since others may be reading dist/ meanwhile.
  copy = copyWithoutBuild();
  run('npm', ['pack', '--pack-destination', packed], copy);
  tarball = join(packed, readdirSync(packed).find((file) => file.endsWith('.tgz')) ?? '');

  folder = mkdtempSync(join(tmpdir(), 'field-sandbox-installed-'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const install = ['install', '--omit=dev', '--no-audit', '--no-fund', tarball];
  const installed = spawnSync('npm', install, { cwd: folder, encoding: 'utf8' });
  expect(installed.status, installed.stderr).toBe(0);
  warnings = installed.stderr;
});

/** Copies what `npm pack` reads. The script `build` does nothing there. */
function copyWithoutBuild(): string {
  const to = mkdtempSync(join(tmpdir(), 'field-sandbox-copy-'));
  const manifest = readJson(join(project, 'package.json')) as { files: string[]; scripts: Record<string, string> };
  const names = manifest.files.filter((name) => !name.startsWith('!'));
  for (const name of [...names, 'scripts', 'README.md', 'LICENSE'])
    cpSync(join(project, name), join(to, name), { recursive: true });
  manifest.scripts['build'] = 'node --version';
  writeFileSync(join(to, 'package.json'), JSON.stringify(manifest));
  return to;
}

afterAll(() => {
  rmSync(join(tarball, '..'), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
  rmSync(copy, { recursive: true, force: true });
});

test('only the repository has the script `prepare`, of which npm warns', () => {
  const scriptsIn = (path: string) => (readJson(join(path, 'package.json')) as { scripts: object }).scripts;
  expect(scriptsIn(join(folder, 'node_modules/field-sandbox'))).not.toHaveProperty('prepare');
  expect(scriptsIn(copy)).toEqual({ ...scriptsIn(project), build: 'node --version' });
  expect(warnings).not.toContain('install-scripts');
});

test('docs/getting-started.md installs the file that npm pack creates', () => {
  const page = readFileSync(join(project, 'docs/getting-started.md'), 'utf8');
  expect(page).toContain(`npm install --save-dev ./${basename(tarball)}\n`);
});

test('the package is under 3 MB, and under 45 MB installed', () => {
  const installed = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' })
    .map((path) => lstatSync(join(folder, 'node_modules', path)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
  expect(lstatSync(tarball).size).toBeLessThan(3 * megabyte);
  expect(installed).toBeLessThan(45 * megabyte);
});

test('the package contains what it needs, and no sources or tests', () => {
  const files = readdirSync(join(folder, 'node_modules/field-sandbox'));
  expect(files).toEqual(expect.arrayContaining(['dist', 'scenarios', 'spec', 'LICENSE', 'CHANGELOG.md']));
  expect(files.filter((file) => file === 'src' || file === 'test')).toEqual([]);
  // Compiled code is of the Node that built it.
  expect(existsSync(join(folder, 'node_modules/field-sandbox/dist/compiled'))).toBe(false);
});

test('npx finds the command', () => {
  expect(run('npx', ['field-sandbox', 'start', '--help'], folder)).toContain('--port');
});

test('it starts on a free port, responds, and exits with 0 on SIGTERM', async () => {
  // What npx runs, without npx between: npx passes no signal on.
  const command = join(folder, 'node_modules/.bin/field-sandbox');
  const server = startProcess([command, '--host', '127.0.0.1', '--port', '0', '--json'], { cwd: folder });
  const url = await server.ready;
  expect((await fetch(new URL('/_sandbox/health', url))).status).toBe(200);
  const answer = await fetch(new URL('/projects/demo/locations', url), {
    method: 'POST',
    headers: { apikey: 'sandbox-key', 'content-type': 'application/json' },
    body: JSON.stringify(location),
  });
  expect(answer.status, await answer.text()).toBe(200);

  const askedAt = performance.now();
  expect(await server.stop()).toBe(0);
  expect(performance.now() - askedAt).toBeLessThan(2_000);
});

test('it stores compiled code for the next start', () => {
  const compiled = join(folder, 'node_modules/field-sandbox/dist/compiled');
  expect(readdirSync(compiled, { recursive: true, encoding: 'utf8' }).some((file) => /start-.*\.js$/.test(file))).toBe(
    true,
  );
});

test('import and require return the same module', () => {
  const text =
    "import('field-sandbox').then((m) => console.log(m.startSandbox === require('field-sandbox').startSandbox));";
  writeFileSync(join(folder, 'both.cjs'), text);
  expect(run('node', ['both.cjs'], folder)).toBe('true\n');
});

test.each(['consumer.mts', 'consumer.cts'])('%s compiles against its types', (file) => {
  const text = `import { startSandbox, type Job } from 'field-sandbox';
    export const jobs = async (): Promise<readonly Job[]> => (await startSandbox({ seed: 'x' })).project().jobs.list();
    // @ts-expect-error: a seed is a text
    void startSandbox({ seed: 1 });`;
  writeFileSync(join(folder, file), text);
  const strictness = ['--strict', '--skipLibCheck', 'false', '--types', '', '--target', 'es2022', '--module', 'node16'];
  expect(run(join(project, 'node_modules/.bin/tsc'), [...strictness, '--noEmit', file], folder)).toBe('');
});

test('the recipe for Jest works, also without ES modules', () => {
  const page = readFileSync(join(folder, 'node_modules/field-sandbox/docs/guides/node-kit.md'), 'utf8');
  const [, recipe = ''] = /```js\n([\s\S]*?)```/.exec(page.slice(page.indexOf('### Jest\n'))) ?? [];
  const jest = mkdtempSync(join(tmpdir(), 'field-sandbox-jest-'));
  try {
    writeFileSync(join(jest, 'package.json'), '{ "private": true }\n');
    writeFileSync(join(jest, 'recipe.test.cjs'), recipe);
    run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', 'jest@30.5.2', tarball], jest);
    const report = execFileSync('npx', ['jest', '--json'], { cwd: jest, encoding: 'utf8', stdio: 'pipe' });
    expect(JSON.parse(report)).toMatchObject({ numPassedTests: 1, numFailedTests: 0 });
  } finally {
    rmSync(jest, { recursive: true, force: true });
  }
}, 300_000);

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
