/** The file box: whole writes, lines of changes, and failures of the disk. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Low, Memory } from 'lowdb';
import { afterAll, describe, expect, test } from 'vitest';
import { createFileBox, type FileBox } from '../../../src/project/persistence/file-box.ts';
import { createDisk, type Disk } from '../../../src/project/persistence/folder/disk.ts';
import { createTestHold } from '../../harness/hold.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-box-'));
const hold = createTestHold(folder);
afterAll(() => rmSync(folder, { recursive: true }));

interface Held {
  readonly words: string[];
}

/** Creates a box of words; each line adds a word. `calls` lists the calls to the disk. */
function createBox(file = path.join(folder, `${crypto.randomUUID()}.json`), disk: Disk = createDisk(hold)) {
  let known: number | undefined;
  let editions = 0;
  const calls: string[] = [];
  const noted: Disk = {
    ...disk,
    replace: (where, text) => {
      calls.push('replace');
      return disk.replace(where, text);
    },
    append: (where, text) => {
      calls.push('append');
      return disk.append(where, text);
    },
  };
  const box = createFileBox<Held>({
    disk: noted,
    file,
    nextEdition: () => {
      editions += 1;
      return String(editions);
    },
    toText: ({ words }, edition) => {
      known = words.length;
      return [JSON.stringify({ edition, words })];
    },
    toLines: ({ words }, edition) => {
      const more = words.slice(known);
      known = words.length;
      return [`${JSON.stringify({ of: edition, more })}\n`];
    },
    fromLines: (text, log) => {
      const { edition, words } = JSON.parse([...text].join('')) as { edition: string; words: string[] };
      const lines = [...log].filter((line) => line.endsWith('\n'));
      const more = lines.map((line) => JSON.parse(line) as { of: string; more: string[] });
      return { words: [...words, ...more.filter(({ of }) => of === edition).flatMap((line) => line.more)] };
    },
  });
  return { box, file, calls };
}

describe.each([
  ['memory', () => new Memory<Held>()],
  ['a file', () => createBox().box],
])('in %s', (_, create) => {
  test('is empty at first', async () => {
    expect(await create().read()).toBeNull();
  });

  test('reads the last written value', async () => {
    const db = new Low<Held>(create(), { words: [] });
    for (const word of ['a', 'b', '__proto__', 'über']) {
      db.data.words.push(word);
      await db.write();
    }
    await db.read();
    expect(db.data).toEqual({ words: ['a', 'b', '__proto__', 'über'] });
  });
});

test('the first write is whole, later ones are lines; only the owner can read the files', async () => {
  const { box, file, calls } = createBox();
  await box.write({ words: ['a'] });
  await box.write({ words: ['a', 'b'] });
  await box.write({ words: ['a', 'b', 'c'] });
  expect(calls).toEqual(['replace', 'append', 'append']);
  expect(readFileSync(`${file}.log`, 'utf8').split('\n')).toHaveLength(3);
  for (const each of [file, `${file}.log`]) expect(statSync(each).mode & 0o777).toBe(0o600);
  expect(createBox(file).box.load()).toEqual({ words: ['a', 'b', 'c'] });
});

test('a long log is merged into the file', async () => {
  const { box, file, calls } = createBox();
  const words: string[] = [];
  for (let n = 0; n < 9; n += 1) {
    words.push('x'.repeat(100 * 1024));
    await box.write({ words });
  }
  expect(calls.filter((call) => call === 'replace').length).toBeGreaterThan(1);
  expect(calls.filter((call) => call === 'append').length).toBeGreaterThan(4);
  expect(createBox(file).box.load()).toEqual({ words });
});

test('a removed value leaves no files, and can be written again', async () => {
  const { box, file } = createBox();
  await box.write({ words: ['a'] });
  await box.write({ words: ['a', 'b'] });
  await box.remove();
  await box.remove();
  expect(readdirSync(folder).filter((name) => name.startsWith(path.basename(file)))).toEqual([]);
  expect(box.load()).toBeUndefined();
  await box.write({ words: ['c'] });
  expect(createBox(file).box.load()).toEqual({ words: ['c'] });
});

/** Creates a disk that fails while the test sets `failing`. */
function createBadDisk() {
  const failing = { replace: false, append: false };
  const good = createDisk(hold);
  const full = () => Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
  const disk: Disk = {
    ...good,
    replace: (file, text) => (failing.replace ? full() : good.replace(file, text)),
    // A part of it is there all the same.
    append: async (file, text) => {
      await good.append(file, failing.append ? [[...text].join('').slice(0, 5)] : text);
      if (failing.append) await full();
    },
  };
  return { disk, failing };
}

test('the write after a failed line is a whole one', async () => {
  const { disk, failing } = createBadDisk();
  const { box, file, calls } = createBox(undefined, disk);
  await box.write({ words: ['a'] });
  failing.append = true;
  await expect(box.write({ words: ['a', 'b'] })).rejects.toThrow('no space');
  expect(createBox(file).box.load()).toEqual({ words: ['a'] });
  failing.replace = true;
  await expect(box.write({ words: ['a', 'b', 'c'] })).rejects.toThrow('no space');
  expect(createBox(file).box.load()).toEqual({ words: ['a'] });
  Object.assign(failing, { append: false, replace: false });
  await box.write({ words: ['a', 'b', 'c'] });
  expect(createBox(file).box.load()).toEqual({ words: ['a', 'b', 'c'] });
  expect(calls).toEqual(['replace', 'append', 'replace', 'replace']);
});

test('the write after somebody has removed the file is a whole one', async () => {
  const { box, file, calls } = createBox();
  await box.write({ words: ['a'] });
  await box.write({ words: ['a', 'b'] });
  for (const name of [file, `${file}.log`]) rmSync(name);
  await box.write({ words: ['a', 'b', 'c'] });
  expect(createBox(file).box.load()).toEqual({ words: ['a', 'b', 'c'] });
  expect(calls).toEqual(['replace', 'append', 'replace']);
});

test('ignores a log of an earlier edition', async () => {
  const { box, file } = createBox();
  await box.write({ words: ['a'] });
  writeFileSync(`${file}.log`, '{"of":"another","more":["z"]}\n{"of":"1","more":["b"]}\n{"of":"1","mo');
  expect(createBox(file).box.load()).toEqual({ words: ['a', 'b'] });
});

test('a file that cannot be replaced stays unchanged, and no unfinished file is left', async () => {
  const { box, file } = createBox();
  await box.write({ words: ['a'] });
  const inPlace = path.join(folder, 'taken.json');
  mkdirSync(inPlace);
  const other: FileBox<Held> = createBox(inPlace).box;
  await expect(other.write({ words: ['b'] })).rejects.toThrow();
  expect(() => other.load()).toThrow('EISDIR');
  expect(readdirSync(hold.workFolder)).toEqual([]);
  expect(createBox(file).box.load()).toEqual({ words: ['a'] });
});
