/** The code cache loads saved code only if it is intact, and works without it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCodeCache } from '../../../src/cli/process/code-cache.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-pieces-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);

/** Returns the only saved file. */
function keptFile(): string {
  const [name] = readdirSync(path.join(folder, 'compiled'), { recursive: true, encoding: 'utf8' }).filter((one) =>
    one.endsWith('.js'),
  );
  return path.join(folder, 'compiled', name ?? 'none');
}

/** V8 identifies saved code by the length of the source, so the old word shows that the saved code was used. */
function keepOldThenWriteNew(): void {
  write('say.js', "exports.word = 'old';");
  const cache = createCodeCache(folder);
  expect(cache.load('./say.js')).toEqual({ word: 'old' });
  cache.keep();
  write('say.js', "exports.word = 'new';");
}

test('the next process uses the saved code', () => {
  keepOldThenWriteNew();
  expect(createCodeCache(folder).load('./say.js')).toEqual({ word: 'old' });
});

describe('saved code is compiled again if', () => {
  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['a byte is wrong', (bytes) => bytes.fill(bytes[60] === 1 ? 2 : 1, 60, 61)],
    ['its end is missing', (bytes) => bytes.subarray(0, -1)],
    ['it is empty', () => Buffer.alloc(0)],
  ])('%s', (_, damage) => {
    keepOldThenWriteNew();
    writeFileSync(keptFile(), damage(readFileSync(keptFile())));
    const cache = createCodeCache(folder);
    expect(cache.load('./say.js')).toEqual({ word: 'new' });
    cache.keep();
    write('say.js', "exports.word = 'odd';");
    expect(createCodeCache(folder).load('./say.js')).toEqual({ word: 'new' });
  });

  test('V8 rejects it for a changed source', () => {
    keepOldThenWriteNew();
    write('say.js', "exports.word = 'longer';");
    expect(createCodeCache(folder).load('./say.js')).toEqual({ word: 'longer' });
  });
});

test('a piece that could not be loaded is loaded again, and so are the pieces that require it', () => {
  write('a.js', "exports.state = 'begun'; exports.word = require('./b.js').word; exports.state = 'whole';");
  const { load } = createCodeCache(folder);
  expect(() => load('./a.js')).toThrow('ENOENT');
  expect(() => load('./a.js')).toThrow('ENOENT');
  write('b.js', "exports.word = 'well';");
  expect(load('./a.js')).toEqual({ state: 'whole', word: 'well' });
});
