/** Pieces are loaded with the code that was kept of them, where that is sound; nothing depends on it. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCodeCache } from '../../src/cli/code-cache.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-pieces-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);

/** The one file that was kept. */
function keptFile(): string {
  const [name] = readdirSync(path.join(folder, 'compiled'), { recursive: true, encoding: 'utf8' }).filter((one) =>
    one.endsWith('.js'),
  );
  return path.join(folder, 'compiled', name ?? 'none');
}

/** V8 knows its own code by the length of the source alone, which shows whether it was taken. */
function keepOldThenWriteNew(): void {
  write('say.js', "exports.word = 'old';");
  const cache = createCodeCache(folder);
  expect(cache.load('./say.js')).toEqual({ word: 'old' });
  cache.keep();
  write('say.js', "exports.word = 'new';");
}

test('a piece is loaded once, and finds the pieces beside it, packages and Node', () => {
  write(
    'a.js',
    "exports.b = require('./b.js'); exports.path = require('node:path'); exports.again = require('./b.js');",
  );
  write('b.js', 'module.exports = { at: [__filename, __dirname] };');
  const { load } = createCodeCache(folder);
  const piece = load('./a.js') as Record<string, unknown>;
  expect(piece['b']).toEqual({ at: [path.join(folder, 'b.js'), folder] });
  expect(piece['again']).toBe(piece['b']);
  expect(piece['path']).toBe(path);
  expect(load('./a.js')).toBe(piece);
});

test('what was compiled is taken by the next process', () => {
  keepOldThenWriteNew();
  expect(createCodeCache(folder).load('./say.js')).toEqual({ word: 'old' });
});

describe('what is kept is compiled anew where', () => {
  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['a byte is wrong', (bytes) => bytes.fill(bytes[60] === 1 ? 2 : 1, 60, 61)],
    ['its end is missing', (bytes) => bytes.subarray(0, -1)],
    ['nothing is in it', () => Buffer.alloc(0)],
  ])('%s', (_, damage) => {
    keepOldThenWriteNew();
    writeFileSync(keptFile(), damage(readFileSync(keptFile())));
    const cache = createCodeCache(folder);
    expect(cache.load('./say.js')).toEqual({ word: 'new' });
    cache.keep();
    write('say.js', "exports.word = 'odd';");
    expect(createCodeCache(folder).load('./say.js')).toEqual({ word: 'new' });
  });

  test('V8 knows the source for another', () => {
    keepOldThenWriteNew();
    write('say.js', "exports.word = 'longer';");
    expect(createCodeCache(folder).load('./say.js')).toEqual({ word: 'longer' });
  });
});

test('where nothing can be written, nothing is kept, and nothing is said', () => {
  write('compiled', 'a file where the folder would be');
  write('say.js', "exports.word = 'well';");
  const cache = createCodeCache(folder);
  expect(cache.load('./say.js')).toEqual({ word: 'well' });
  expect(cache.keep()).toBeUndefined();
  expect(readdirSync(folder).sort()).toEqual(['compiled', 'say.js']);
});

test('nothing half written stays', () => {
  write('say.js', "exports.word = 'well';");
  const cache = createCodeCache(folder);
  cache.load('./say.js');
  const other = createCodeCache(folder);
  other.load('./say.js');
  other.keep();
  rmSync(keptFile());
  mkdirSync(keptFile());
  cache.keep();
  expect(readdirSync(path.dirname(keptFile()))).toEqual(['say.js']);
});

test('a piece that breaks while it is loaded says so', () => {
  write('bad.js', "throw new Error('at once');");
  expect(() => createCodeCache(folder).load('./bad.js')).toThrow('at once');
});

test('a piece that could not be loaded is loaded again, and all that needs it', () => {
  write('a.js', "exports.state = 'begun'; exports.word = require('./b.js').word; exports.state = 'whole';");
  const { load } = createCodeCache(folder);
  expect(() => load('./a.js')).toThrow('ENOENT');
  expect(() => load('./a.js')).toThrow('ENOENT');
  write('b.js', "exports.word = 'well';");
  expect(load('./a.js')).toEqual({ state: 'whole', word: 'well' });
});
