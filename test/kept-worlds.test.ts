/** Kept worlds, without a server: what is damaged is told of and stays as it is; those let go come back; writes are few. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createJournal } from '../src/journal/journal.ts';
import { type KeptWorlds, openKeptWorlds } from '../src/kept-worlds.ts';
import { createDisk, type Disk } from '../src/store/disk.ts';
import { toFileName } from '../src/store/file-name.ts';
import type { World } from '../src/world.ts';
import { createWorlds, mostWorlds } from '../src/worlds.ts';
import { createTestWall } from './harness/wall.ts';
import { toSetting } from './harness/world.ts';

const root = mkdtempSync(path.join(tmpdir(), 'field-sandbox-kept-'));
afterAll(() => rmSync(root, { recursive: true }));
const fresh = () => mkdtempSync(path.join(root, 'data-'));

/** Worlds over a folder. `writes`: the files that were written to, each time; `removed`: those taken away. */
async function open(folder: string, more: { most?: number; disk?: Disk } = {}) {
  const wall = createTestWall(1000);
  const { most = mostWorlds, disk = createDisk() } = more;
  const writes: string[] = [];
  const removed: string[] = [];
  const counted: Disk = {
    ...disk,
    remove: (file) => {
      removed.push(path.basename(file));
      return disk.remove(file);
    },
    replace: (file, text) => {
      writes.push(path.basename(file));
      return disk.replace(file, text);
    },
    append: (file, text) => {
      writes.push(path.basename(file));
      return disk.append(file, text);
    },
  };
  const keptWorlds: KeptWorlds = await openKeptWorlds({
    folder,
    endpoint: undefined,
    wall,
    most,
    remark: () => undefined,
    disk: counted,
  });
  const setting = toSetting(wall, { clock: { mode: 'real' } });
  const parts = { setting, journal: createJournal(), serverScenarios: [], magicIds: undefined, bug: () => undefined };
  const worlds = createWorlds({ ...parts, keptWorlds });
  return { worlds, writes, removed, keptWorlds };
}

/** Something is stored. */
function put(world: World, id: string): void {
  world.nextChange();
  world.commit([{ put: { id }, into: 'orders', id }]);
}

const ordersOf = (world: World | undefined) => world && [...world.data.records.orders.keys()];

const ids = ['p', 'P', 'a/b', '100%', '..', 'über', 'con', `${'x'.repeat(299)}a`, `${'x'.repeat(299)}b`, '__proto__'];

test('each project has a file of its own, whatever its id', async () => {
  const folder = fresh();
  const { worlds, keptWorlds } = await open(folder);
  for (const id of ids) put(worlds.open(id), `of ${id}`);
  await worlds.kept();
  expect(
    readdirSync(folder)
      .filter((name) => name !== '.lock')
      .sort(),
  ).toEqual(ids.map(toFileName).sort());
  await keptWorlds.close();
  const again = await open(folder);
  for (const id of ids) expect(ordersOf(again.worlds.find(id))).toEqual([`of ${id}`]);
});

test('who only looks at a project leaves no file', async () => {
  const folder = fresh();
  const { worlds, keptWorlds } = await open(folder);
  expect(worlds.find('p')).toBeUndefined();
  worlds.open('p');
  expect(worlds.kept()).toBeUndefined();
  await keptWorlds.close();
  expect(readdirSync(folder)).toEqual([]);
});

test('a hundred changes at once are one write; those that come during it are one more', async () => {
  const { worlds, writes } = await open(fresh());
  const world = worlds.open('p');
  for (let n = 0; n < 100; n += 1) put(world, `A-${n}`);
  const first = world.kept();
  await Promise.resolve();
  for (let n = 0; n < 100; n += 1) put(world, `B-${n}`);
  const second = world.kept();
  await Promise.all([first, second]);
  expect(writes).toEqual(['p.json', 'p.json.log']);
});

describe('more than a thousand', () => {
  test('what was let go is there again when it is asked for, also before it was written', async () => {
    const { worlds, keptWorlds } = await open(fresh());
    put(worlds.open('first'), 'A');
    await worlds.kept();
    put(worlds.open('second'), 'B');
    for (let n = 0; n < mostWorlds; n += 1) worlds.open(`p-${n}`);
    expect(worlds.list().some(({ id }) => id === 'first' || id === 'second')).toBe(false);
    expect(ordersOf(worlds.find('first'))).toEqual(['A']);
    expect(ordersOf(worlds.find('second'))).toEqual(['B']);
    expect(worlds.list()).toHaveLength(mostWorlds);
    await keptWorlds.close();
  });

  test('one that is handed over unwritten is written whole, since what was under way in it is due again', async () => {
    const { worlds, writes, keptWorlds } = await open(fresh());
    put(worlds.open('p'), 'A');
    await worlds.kept();
    put(worlds.open('p'), 'B');
    for (let n = 0; n < mostWorlds; n += 1) worlds.open(`p-${n}`);
    put(worlds.open('p'), 'C');
    await worlds.kept('p');
    expect(writes).toEqual(['p.json', 'p.json']);
    await keptWorlds.close();
  });

  test('a request that outlived its world goes on in the one that was loaded in its place', async () => {
    const folder = fresh();
    const { worlds, keptWorlds } = await open(folder);
    const old = worlds.open('p');
    put(old, 'A');
    await worlds.kept();
    for (let n = 0; n < mostWorlds; n += 1) worlds.open(`p-${n}`);
    expect(old.isDisposed()).toBe(true);
    const world = worlds.current(old);
    expect(world).not.toBe(old);
    put(world, 'B');
    await worlds.kept('p');
    expect(worlds.current(world)).toBe(world);
    await keptWorlds.close();
    expect(ordersOf((await open(folder)).worlds.find('p'))).toEqual(['A', 'B']);
  });

  test('at a start those that were written last are found; the others are read when they are used', async () => {
    const folder = fresh();
    const first = await open(folder);
    for (const id of ['a', 'b', 'c']) {
      put(first.worlds.open(id), id);
      await first.worlds.kept();
    }
    await first.keptWorlds.close();
    const { worlds } = await open(folder, { most: 2 });
    worlds.wake();
    expect(worlds.list().map(({ id }) => id)).toEqual(['b', 'c']);
    expect(ordersOf(worlds.find('a'))).toEqual(['a']);
  });
});

test('a world that was reset and changes all the same touches nothing of the one in its place', async () => {
  const folder = fresh();
  const { worlds, removed, keptWorlds } = await open(folder);
  const old = worlds.open('p');
  put(old, 'A');
  worlds.reset('p');
  await worlds.kept();
  put(worlds.open('p'), 'B');
  await worlds.kept();
  const before = removed.length;
  put(old, 'late');
  expect(old.kept()).toBeUndefined();
  await new Promise((turn) => setImmediate(turn));
  expect(removed).toHaveLength(before);
  put(worlds.open('p'), 'C');
  await worlds.kept();
  await keptWorlds.close();
  expect(ordersOf((await open(folder)).worlds.find('p'))).toEqual(['B', 'C']);
});

describe('a damaged file', () => {
  /** A folder with a whole world `p`, and a log of it. */
  async function write() {
    const folder = fresh();
    const { worlds, keptWorlds } = await open(folder);
    for (const id of ['A', 'B', 'C']) {
      put(worlds.open('p'), id);
      await worlds.kept();
    }
    await keptWorlds.close();
    return { folder, file: path.join(folder, 'p.json'), text: readFileSync(path.join(folder, 'p.json'), 'utf8') };
  }

  test.each<[string, (text: string) => string, string]>([
    ['empty', () => '', 'not JSON: cut off at line 1, column 1'],
    ['cut off', (text) => text.slice(0, 100), 'not JSON: cut off at line 1, column 101'],
    ['no JSON', () => '{\n  "a": 1,\n  b: 2}', 'not JSON at line 3, column 3'],
    ['of something else', () => '{"name":"p"}', 'not a world: expected "format": "field-sandbox world"'],
    ['a list', () => '[]', 'not a world'],
    ['null', () => 'null', 'not a world'],
    ['of a newer version', (text) => text.replace('"version":1', '"version":2'), 'unknown version: expected 1, got 2'],
    ['of no version', (text) => text.replace('"version":1,', ''), 'unknown version: expected 1, got none'],
    [
      'of another project',
      (text) => text.replace('"project":"p"', '"project":"P"'),
      'of another project, "P", whose file is %50.json',
    ],
    [
      'without records',
      (text) => text.replace('"orders":', '"odres":'),
      '/world/records/orders: expected a list of pairs',
    ],
    [
      'with a list of no pairs',
      (text) => text.replace('"callbacks":[]', '"callbacks":[{}]'),
      '/world/callbacks: expected a list of pairs',
    ],
    [
      'with a clock that is none',
      (text) => text.replace(/"clock":\{.*?\}/, '"clock":5'),
      '/world/clock: expected an object',
    ],
  ])('that is %s is told of, and left as it is', async (_, damage, mistake) => {
    const { folder, file, text } = await write();
    const damaged = damage(text);
    expect(damaged).not.toBe(text);
    writeFileSync(file, damaged);
    await expect(open(folder)).rejects.toThrow(`--data: ${file}: ${mistake}`);
    expect(readFileSync(file, 'utf8')).toBe(damaged);
    // The folder is not held by who could not use it.
    expect(readdirSync(folder)).not.toContain('.lock');
  });

  test('a log that is damaged is told of by its line; one that was cut off lacks what nobody was told', async () => {
    const { folder, file } = await write();
    const log = readFileSync(`${file}.log`, 'utf8');
    expect(log.split('\n')).toHaveLength(3);
    writeFileSync(`${file}.log`, log.replace('\n', 'x\n'));
    await expect(open(folder)).rejects.toThrow(`${file}: its log, p.json.log, is damaged at line 1`);
    writeFileSync(`${file}.log`, log.slice(0, -3));
    const { worlds } = await open(folder);
    expect(ordersOf(worlds.find('p'))).toEqual(['A', 'B']);
  });

  test('all of them are told of at once; a folder in the place of a file is one', async () => {
    const { folder, file } = await write();
    writeFileSync(file, '');
    mkdirSync(path.join(folder, 'q.json'));
    await expect(open(folder)).rejects.toMatchObject({
      mistakes: expect.arrayContaining([
        expect.stringContaining('p.json: not JSON'),
        `--data: ${folder}/q.json: is a folder, in the place of a file`,
      ]),
    });
  });

  test('one that may not be read is told of', async () => {
    const { folder, file } = await write();
    const read = () => {
      throw Object.assign(new Error('denied'), { code: 'EACCES' });
    };
    const opening = open(folder, { disk: { ...createDisk(), read } });
    await expect(opening).rejects.toThrow(`--data: ${file}: can't be read (EACCES)`);
  });

  test('one that is damaged while the server runs is an error for whoever asks, and is not written over', async () => {
    const { folder, file } = await write();
    const { worlds } = await open(folder, { most: 0 });
    writeFileSync(file, '{');
    expect(() => worlds.open('p')).toThrow(`${file}: not JSON`);
    expect(() => worlds.find('p')).toThrow(`${file}: not JSON`);
    await worlds.kept();
    expect(readFileSync(file, 'utf8')).toBe('{');
    expect(worlds.list()).toEqual([]);
  });
});

test('what was left of a write that did not end, and a log without its file, are cleared away', async () => {
  const folder = fresh();
  for (const name of ['p.json.tmp', 'q.json.log', 'notes.txt']) writeFileSync(path.join(folder, name), 'x');
  const { keptWorlds } = await open(folder);
  await keptWorlds.close();
  expect(readdirSync(folder)).toEqual(['notes.txt']);
});
