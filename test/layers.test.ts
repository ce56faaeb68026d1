/** The rooms of the house: each imports only from the rooms below it that the table names. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Room → rooms that it may import from, beside itself. The files at the top of src/ put the rooms together. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  base: [],
  store: ['base'],
  contract: ['base'],
  callbacks: ['base'],
  tls: ['base', 'contract'],
  operations: ['base', 'store', 'contract', 'callbacks'],
  scenarios: ['base', 'operations'],
  downstream: ['base', 'store', 'callbacks', 'operations', 'scenarios'],
  journal: ['base', 'callbacks', 'scenarios'],
  coverage: ['base', 'callbacks', 'journal', 'scenarios'],
  sample: ['base', 'contract', 'operations'],
  http: [
    'base',
    'store',
    'contract',
    'callbacks',
    'operations',
    'scenarios',
    'downstream',
    'journal',
    'coverage',
    'src',
  ],
  replay: ['base', 'store', 'contract', 'callbacks', 'operations', 'scenarios', 'journal', 'http', 'src'],
  verdict: ['base', 'callbacks', 'downstream', 'scenarios', 'journal', 'src'],
  console: ['contract'],
  'receiver-check': ['base', 'callbacks'],
  listen: ['base', 'contract', 'callbacks'],
  cli: [
    'base',
    'contract',
    'callbacks',
    'operations',
    'scenarios',
    'journal',
    'coverage',
    'sample',
    'replay',
    'verdict',
    'receiver-check',
    'listen',
    'src',
  ],
  kit: ['base', 'contract', 'callbacks', 'operations', 'scenarios', 'cli', 'src'],
};

const source = path.resolve('src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** The room that a file is in; those at the top are in none. */
const roomOf = (file: string): string => (file.includes(path.sep) ? (file.split(path.sep)[0] ?? '') : 'src');

test('every folder is a room of the table', () => {
  const rooms = new Set(files.map(roomOf));
  rooms.delete('src');
  expect([...rooms].sort()).toEqual(Object.keys(mayImport).sort());
});

test.each(files.filter((file) => roomOf(file) !== 'src'))('%s imports downwards only', (file) => {
  const text = readFileSync(path.join(source, file), 'utf8');
  const imported = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    .map((match) => path.relative(source, path.resolve(source, path.dirname(file), match[1] ?? '')))
    .filter((target) => !target.startsWith('..'))
    .map(roomOf);
  const room = roomOf(file);
  const allowed = new Set([room, ...(mayImport[room] ?? [])]);
  expect(imported.filter((target) => !allowed.has(target))).toEqual([]);
});

test('the domain knows no express, no network, no time', () => {
  for (const file of files.filter((name) => roomOf(name) === 'operations')) {
    const text = readFileSync(path.join(source, file), 'utf8');
    expect(text, file).not.toMatch(/\bDate\b|from 'express'|from 'node:|\bfetch\(|Math\.random/);
  }
});

test('time and chance are read in one place', () => {
  // A page in a browser is no part of a world: it has the browser's clock.
  for (const file of files.filter((name) => name !== path.join('base', 'time.ts') && roomOf(name) !== 'console')) {
    expect(readFileSync(path.join(source, file), 'utf8'), file).not.toMatch(
      /Date\.now\(|performance\.now\(|Math\.random\(/,
    );
  }
});
