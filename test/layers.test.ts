/** The layers of `src/`: each folder imports only from the folders that the table names. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** Folder → folders that it may import from, beside itself. The files at the top of src/ (`src`) may import from all. */
const mayImport: Readonly<Record<string, string>> = {
  lib: '',
  diagnostics: 'lib',
  'sweep-report': 'lib diagnostics',
  records: 'lib',
  openapi: 'lib diagnostics',
  callbacks: 'lib openapi',
  usage: 'lib records callbacks',
  operations: 'lib records openapi callbacks',
  scenarios: 'lib diagnostics callbacks operations',
  config: 'lib diagnostics openapi callbacks usage operations scenarios',
  keys: 'lib openapi usage scenarios config',
  journal: 'lib records callbacks usage scenarios',
  project: 'lib records callbacks usage operations scenarios config keys journal',
  coverage: 'sweep-report callbacks scenarios journal',
  samples: 'lib openapi operations',
  mcp: 'lib client diagnostics openapi operations samples http',
  http: 'lib records openapi callbacks usage operations scenarios config keys journal project',
  client: 'lib callbacks config',
  replay: 'lib records openapi callbacks scenarios config keys journal project http src',
  'control-api':
    'lib records openapi callbacks usage operations scenarios keys journal project coverage samples http replay mcp',
  cluster: 'lib callbacks scenarios config keys journal project coverage http control-api',
  console: 'lib openapi',
  cli: 'lib client diagnostics sweep-report records openapi callbacks operations scenarios config keys journal project coverage samples http replay control-api mcp src',
  'test-kit': 'lib client diagnostics openapi callbacks operations scenarios config cli src',
};

/** Code that some folders must not use. `lib/time.ts`, `lib/timers.ts` and the browser have a real clock and timers. */
const forbidden: readonly (readonly [code: RegExp, isChecked: (file: string) => boolean])[] = [
  [/\bDate\b|from 'express'|from 'node:|\bfetch\(/, (file) => folderOf(file) === 'operations'],
  [
    /Date\.now\(|performance\.now\(|Math\.random\(/,
    (file) => file !== path.join('lib', 'time.ts') && folderOf(file) !== 'console',
  ],
  [
    /(?<![.\w'])(?:set|clear)(?:Timeout|Interval|Immediate)\(|globalThis\.set|from 'node:timers/,
    (file) => file !== path.join('lib', 'timers.ts') && !/^(?:console|cli.verify-receiver)\b/.test(file),
  ],
];

/** The folder that a file is in; `src` for files at the top. */
const folderOf = (file: string): string => (file.includes(path.sep) ? (file.split(path.sep)[0] ?? '') : 'src');

function importedFolders(file: string, text: string): readonly string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    .map(([, target = '']) => path.join(path.dirname(file), target))
    .filter((target) => !target.startsWith('..'))
    .map(folderOf);
}

test('each folder imports only from the folders in the table, and few files are in none', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const mistakes = files.flatMap((file) => {
    const text = readFileSync(path.join('src', file), 'utf8');
    const code = forbidden.filter(([pattern, isChecked]) => isChecked(file) && pattern.test(text));
    const mistakesInCode = code.map(([pattern]) => `${file} contains ${pattern}`);
    const folder = folderOf(file);
    if (folder === 'src') return mistakesInCode;
    const allowed = mayImport[folder];
    if (allowed === undefined) return [...mistakesInCode, `${folder} is not in the table`];
    const imported = importedFolders(file, text).filter((one) => one !== folder && !allowed.split(' ').includes(one));
    return [...mistakesInCode, ...imported.map((one) => `${file} imports from ${one}`)];
  });
  expect(mistakes).toEqual([]);
  expect(files.filter((file) => folderOf(file) === 'src').length).toBeLessThanOrEqual(4);
  expect(Object.keys(mayImport).filter((folder) => !files.some((file) => folderOf(file) === folder))).toEqual([]);
});
