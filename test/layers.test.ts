/** The layers of `src/`: each folder imports only from the folders that the table names. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Folder → folders that it may import from, beside itself. The files at the top of src/ put the folders together. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  diagnostics: ['lib'],
  records: ['lib'],
  openapi: ['lib', 'diagnostics'],
  callbacks: ['lib'],
  usage: ['lib', 'records', 'callbacks'],
  operations: ['lib', 'records', 'openapi', 'callbacks'],
  scenarios: ['lib', 'diagnostics', 'operations'],
  config: ['lib', 'diagnostics', 'openapi', 'callbacks', 'usage', 'operations', 'scenarios'],
  journal: ['lib', 'callbacks', 'usage', 'scenarios'],
  project: ['lib', 'records', 'callbacks', 'usage', 'operations', 'scenarios', 'config', 'journal'],
  coverage: ['callbacks', 'scenarios', 'journal'],
  samples: ['lib', 'openapi', 'operations'],
  http: ['lib', 'openapi', 'usage', 'operations', 'scenarios', 'config', 'journal', 'project'],
  'control-api': [
    'lib',
    'records',
    'openapi',
    'callbacks',
    'usage',
    'operations',
    'scenarios',
    'journal',
    'project',
    'coverage',
    'http',
  ],
  console: ['openapi'],
  cli: [
    'lib',
    'diagnostics',
    'records',
    'openapi',
    'callbacks',
    'operations',
    'scenarios',
    'config',
    'journal',
    'project',
    'coverage',
    'samples',
    'http',
    'src',
  ],
  'test-kit': ['lib', 'diagnostics', 'openapi', 'callbacks', 'operations', 'scenarios', 'config', 'cli', 'src'],
};

const source = path.resolve('src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** The folder that a file is in; those at the top are in none. */
const folderOf = (file: string): string => (file.includes(path.sep) ? (file.split(path.sep)[0] ?? '') : 'src');

test('every folder is in the table', () => {
  const folders = new Set(files.map(folderOf));
  folders.delete('src');
  expect([...folders].sort()).toEqual(Object.keys(mayImport).sort());
});

test.each(files.filter((file) => folderOf(file) !== 'src'))('%s imports downwards only', (file) => {
  const text = readFileSync(path.join(source, file), 'utf8');
  const imported = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    .map((match) => path.relative(source, path.resolve(source, path.dirname(file), match[1] ?? '')))
    .filter((target) => !target.startsWith('..'))
    .map(folderOf);
  const folder = folderOf(file);
  const allowed = new Set([folder, ...(mayImport[folder] ?? [])]);
  expect(imported.filter((target) => !allowed.has(target))).toEqual([]);
});

test('the domain knows no express, no network, no time', () => {
  for (const file of files.filter((name) => folderOf(name) === 'operations')) {
    const text = readFileSync(path.join(source, file), 'utf8');
    expect(text, file).not.toMatch(/\bDate\b|from 'express'|from 'node:|\bfetch\(|Math\.random/);
  }
});

test('time and chance are read in one place', () => {
  // A page in a browser is no part of a world: it has the browser's clock.
  for (const file of files.filter((name) => name !== path.join('lib', 'time.ts') && folderOf(name) !== 'console')) {
    expect(readFileSync(path.join(source, file), 'utf8'), file).not.toMatch(
      /Date\.now\(|performance\.now\(|Math\.random\(/,
    );
  }
});
