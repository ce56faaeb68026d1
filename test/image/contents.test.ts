/** The image as files and as what it says of itself: what must be in it, and that nothing else is. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { canary } from './build.ts';

const { log, root, baseRoot } = inject('built');
const megabyte = 1_000_000;
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const app = path.join(root, 'app');

interface Entry {
  readonly isFile: boolean;
  readonly size: number;
  /** Its kind, rights and owner, and of all but folders its size. */
  readonly told: string;
}

/** Everything that the image adds to its base or changes in it. */
const added: ReadonlyMap<string, Entry> = findAdded();

function findAdded(): Map<string, Entry> {
  const base = listAll(baseRoot);
  return new Map([...listAll(root)].filter(([file, { told }]) => told !== base.get(file)?.told));
}

function listAll(folder: string): Map<string, Entry> {
  const lines = execFileSync('find', [folder, '-mindepth', '1', '-printf', '%P\\t%M %U:%G\\t%s\\n'], {
    encoding: 'utf8',
    maxBuffer: 16 * megabyte,
  });
  const entries = lines
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  return new Map(
    entries.map(([file = '', rights = '', size = '']) => {
      const told = rights.startsWith('d') ? rights : `${rights} ${size}`;
      return [file, { isFile: rights.startsWith('-'), size: Number(size), told }];
    }),
  );
}

/** Names below /app, without what is installed. */
const own = [...added.keys()].filter((file) => file.startsWith('app/') && !file.startsWith('app/node_modules/'));

test('the Dockerfile builds to its last line', () => {
  expect(log).toMatch(/\[2\/2\] STEP (\d+)\/\1: ENTRYPOINT/);
});

test('it adds only /app to its base, and changes nothing else', () => {
  const folders = [...added.keys()].map((file) => file.split('/').slice(0, 2).join('/'));
  expect([...new Set(folders)].filter((folder) => !/^app(\/|$)/.test(folder))).toEqual([]);
});

test('it is at most 45 MB more than its base', () => {
  const size = [...added.values()].reduce((sum, file) => sum + (file.isFile ? file.size : 0), 0);
  console.info(`The image is ${(size / megabyte).toFixed(1)} MB more than its base.`);
  expect(size).toBeGreaterThan(megabyte);
  expect(size).toBeLessThan(45 * megabyte);
});

test('/app contains what it needs to run', () => {
  const wanted = [
    '.npmrc',
    'LICENSE',
    'dist',
    // The server sends its pages as Markdown.
    'docs',
    'node_modules',
    'package-lock.json',
    'package.json',
    'scenarios',
    'spec',
  ];
  expect(readdirSync(app).sort()).toEqual(wanted);
});

test('it contains all production packages and no development packages', () => {
  const { dependencies, devDependencies } = readJson('package.json');
  const { packages } = readJson('package-lock.json') as { packages: Record<string, { dev?: boolean }> };
  const installed = Object.keys(readJson(path.join(app, 'node_modules/.package-lock.json')).packages);
  expect(installed).toEqual(expect.arrayContaining(Object.keys(dependencies).map((name) => `node_modules/${name}`)));
  expect(installed.filter((name) => !packages[name] || packages[name].dev)).toEqual([]);
  const folders = readdirSync(path.join(app, 'node_modules'));
  expect(folders.filter((name) => name in devDependencies)).toEqual([]);
});

test('it contains no tests and no sources', () => {
  const isSource = (file: string): boolean => /\.tsx?$/.test(file) && !/\.d\.c?ts$/.test(file);
  expect(own.filter((file) => isSource(file) || /\.test\.|\/test\/|\/bench\/|\.map$/.test(file))).toEqual([]);
  expect(own).toContain('app/dist/main.js');
});

test('it contains the compiled code, because nothing can be stored at run time', () => {
  const compiled = own.filter((file) => file.startsWith('app/dist/compiled/'));
  for (const piece of ['start', 'health']) expect(compiled).toContainEqual(expect.stringMatching(`/${piece}-.+\\.js$`));
});

test('it contains no secret from the build folder', () => {
  const mayHold = own.filter((file) => added.get(file)?.isFile);
  expect(mayHold.filter((file) => readFileSync(path.join(root, file), 'utf8').includes(canary))).toEqual([]);
  expect(
    [...added.keys()].filter((file) => /(^|\/)(\.env[^/]*|\.git|foreign|[^/]*\.(pem|key|log))$/.test(file)),
  ).toEqual([]);
});
