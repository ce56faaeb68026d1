/** Kept worlds, without a server: what is damaged is told of and stays as it is; those let go come back; writes are few. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createJournal } from '../../../src/journal/journal.ts';
import { createDisk, type Disk } from '../../../src/project/persistence/disk.ts';
import { toFileName } from '../../../src/project/persistence/file-name.ts';
import { openProjectStore, type ProjectStore } from '../../../src/project/persistence/project-store.ts';
import type { Project } from '../../../src/project/project.ts';
import { createProjectRegistry, maxProjects, type ProjectRegistry } from '../../../src/project/registry.ts';
import { toSetting } from '../../harness/test-project.ts';
import { createTestWall } from '../../harness/wall.ts';

const root = mkdtempSync(path.join(tmpdir(), 'field-sandbox-kept-'));
afterAll(() => rmSync(root, { recursive: true }));
const fresh = () => mkdtempSync(path.join(root, 'data-'));

/**
 * Worlds over a folder. `writes`: the files that were written to, each time; `removed`: those taken away; `read`: those whose
 * lines were asked for.
 */
async function open(folder: string, more: { most?: number; changeDisk?: Partial<Disk> } = {}) {
  let elapsedMs = 0;
  // Each look at it is a second later, so that every slice is over.
  const wall = { ...createTestWall(1000), elapsed: () => (elapsedMs += 1000) };
  const { most: max = maxProjects, changeDisk } = more;
  const read: string[] = [];
  const writes: string[] = [];
  const removed: string[] = [];
  const toDisk = (disk: Disk): Disk => ({
    ...disk,
    lines: (file) => {
      read.push(path.basename(file));
      return disk.lines(file);
    },
    ...changeDisk,
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
  });
  const store: ProjectStore = await openProjectStore({
    folder,
    endpoint: undefined,
    wall,
    maxFound: max,
    warn: () => undefined,
    onLockLost: () => undefined,
    toDisk: (hold) => toDisk(createDisk(hold)),
  });
  const options = toSetting(wall, { clock: { mode: 'real' } });
  const parts = { options, journal: createJournal(), serverScenarios: [], magicIds: undefined, bug: () => undefined };
  const projects = createProjectRegistry({ ...parts, store });
  return { worlds: projects, writes, removed, read, keptWorlds: store };
}

/** Something is stored. */
function put(project: Project, id: string): void {
  project.nextChangeNumber();
  project.commit([{ put: { id }, into: 'orders', id }]);
}

const ordersOf = (project: Project | undefined) => project && [...project.state.records.orders.keys()];

const ids = ['p', 'P', 'a/b', '100%', '..', 'über', 'con', `${'x'.repeat(299)}a`, `${'x'.repeat(299)}b`, '__proto__'];

test('each project has a file of its own, whatever its id', async () => {
  const folder = fresh();
  const { worlds: projects, keptWorlds: store } = await open(folder);
  for (const id of ids) put(projects.open(id), `of ${id}`);
  await projects.persisted();
  expect(
    readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .sort(),
  ).toEqual(ids.map(toFileName).sort());
  await store.close();
  const again = await open(folder);
  for (const id of ids) expect(ordersOf(again.worlds.find(id))).toEqual([`of ${id}`]);
});

test('who only looks at a project leaves no file', async () => {
  const folder = fresh();
  const { worlds: projects, keptWorlds: store } = await open(folder);
  expect(projects.find('p')).toBeUndefined();
  projects.open('p');
  expect(projects.persisted()).toBeUndefined();
  await store.close();
  expect(readdirSync(folder)).toEqual([]);
});

test('a hundred changes at once are one write; those that come during it are one more', async () => {
  const { worlds: projects, writes } = await open(fresh());
  const project = projects.open('p');
  for (let n = 0; n < 100; n += 1) put(project, `A-${n}`);
  const first = project.persisted();
  await Promise.resolve();
  for (let n = 0; n < 100; n += 1) put(project, `B-${n}`);
  const second = project.persisted();
  await Promise.all([first, second]);
  expect(writes).toEqual(['p.json', 'p.json.log']);
});

describe('more than a thousand', () => {
  test('what was let go is there again when it is asked for, also before it was written', async () => {
    const { worlds: projects, keptWorlds: store } = await open(fresh());
    put(projects.open('first'), 'A');
    await projects.persisted();
    put(projects.open('second'), 'B');
    for (let n = 0; n < maxProjects; n += 1) projects.open(`p-${n}`);
    expect(projects.list().some(({ id }) => id === 'first' || id === 'second')).toBe(false);
    expect(ordersOf(projects.find('first'))).toEqual(['A']);
    expect(ordersOf(projects.find('second'))).toEqual(['B']);
    expect(projects.list()).toHaveLength(maxProjects);
    await store.close();
  });

  test('one that is handed over unwritten is written whole, since what was under way in it is due again', async () => {
    const { worlds: projects, writes, keptWorlds: store } = await open(fresh());
    put(projects.open('p'), 'A');
    await projects.persisted();
    put(projects.open('p'), 'B');
    for (let n = 0; n < maxProjects; n += 1) projects.open(`p-${n}`);
    put(projects.open('p'), 'C');
    await projects.persisted('p');
    expect(writes).toEqual(['p.json', 'p.json']);
    await store.close();
  });

  test('a request that outlived its world goes on in the one that was loaded in its place', async () => {
    const folder = fresh();
    const { worlds: projects, keptWorlds: store } = await open(folder);
    const old = projects.open('p');
    put(old, 'A');
    await projects.persisted();
    for (let n = 0; n < maxProjects; n += 1) projects.open(`p-${n}`);
    expect(old.isDisposed()).toBe(true);
    const project = projects.current(old);
    expect(project).not.toBe(old);
    put(project, 'B');
    await projects.persisted('p');
    expect(projects.current(project)).toBe(project);
    await store.close();
    expect(ordersOf((await open(folder)).worlds.find('p'))).toEqual(['A', 'B']);
  });

  test('at a start those that were written last are found; the others are read when they are used', async () => {
    const folder = fresh();
    const first = await open(folder);
    for (const id of ['a', 'b', 'c']) {
      put(first.worlds.open(id), id);
      await first.worlds.persisted();
    }
    await first.keptWorlds.close();
    const { worlds: projects } = await open(folder, { most: 2 });
    projects.resumeSaved();
    expect(projects.list().map(({ id }) => id)).toEqual(['b', 'c']);
    expect(ordersOf(projects.find('a'))).toEqual(['a']);
  });
});

describe('read ahead', () => {
  /** A server that has kept a project and read nothing of it yet, since another one was written later. */
  async function openUnread() {
    const folder = fresh();
    const first = await open(folder);
    for (const id of ['p', 'q']) {
      put(first.worlds.open(id), `of ${id}`);
      await first.worlds.persisted();
    }
    await first.keptWorlds.close();
    return { ...(await open(folder, { most: 1 })), folder };
  }

  test('a project is read once, however many wait for it, and opened without another look at its file', async () => {
    const { worlds: projects, read } = await openUnread();
    read.length = 0;
    await Promise.all([projects.readAhead('p'), projects.readAhead('p')]);
    expect(projects.readAhead('p')).toBeUndefined();
    expect(ordersOf(projects.find('p'))).toEqual(['of p']);
    expect(read).toEqual(['p.json', 'p.json.log']);
    expect(projects.readAhead('p')).toBeUndefined();
    expect(projects.readAhead('nobody')).toBeUndefined();
  });

  test.each([
    ['changed and evicted', (projects: ProjectRegistry) => put(projects.open('p'), 'later'), ['of p', 'later']],
    ['reset', (projects: ProjectRegistry) => projects.reset('p'), undefined],
  ])('one that is %s meanwhile is not what it was', async (_, change, orders) => {
    const { worlds: projects, keptWorlds: store } = await openUnread();
    const reading = projects.readAhead('p');
    change(projects);
    for (let n = 0; n < maxProjects; n += 1) projects.open(`p-${n}`);
    await projects.persisted();
    await reading;
    expect(ordersOf(projects.find('p'))).toEqual(orders);
    await store.close();
  });

  test('one that is damaged is told of by whoever opens it', async () => {
    const { worlds: projects, folder } = await openUnread();
    writeFileSync(path.join(folder, 'p.json'), '{');
    await projects.readAhead('p');
    expect(() => projects.open('p')).toThrow('p.json');
  });
});

test('a world that was reset and changes all the same touches nothing of the one in its place', async () => {
  const folder = fresh();
  const { worlds: projects, removed, keptWorlds: store } = await open(folder);
  const old = projects.open('p');
  put(old, 'A');
  projects.reset('p');
  await projects.persisted();
  put(projects.open('p'), 'B');
  await projects.persisted();
  const before = removed.length;
  put(old, 'late');
  expect(old.persisted()).toBeUndefined();
  await new Promise((turn) => setImmediate(turn));
  expect(removed).toHaveLength(before);
  put(projects.open('p'), 'C');
  await projects.persisted();
  await store.close();
  expect(ordersOf((await open(folder)).worlds.find('p'))).toEqual(['B', 'C']);
});

describe('a damaged file', () => {
  /** A folder with a whole world `p`, and a log of it. */
  async function write() {
    const folder = fresh();
    const { worlds: projects, keptWorlds: store } = await open(folder);
    for (const id of ['A', 'B', 'C']) {
      put(projects.open('p'), id);
      await projects.persisted();
    }
    await store.close();
    return { folder, file: path.join(folder, 'p.json'), text: readFileSync(path.join(folder, 'p.json'), 'utf8') };
  }

  test.each<[string, (text: string) => string, string]>([
    ['empty', () => '', 'not JSON: cut off at line 1, column 1'],
    ['cut off', (text) => text.slice(0, 100), 'not JSON: cut off at line 1, column 101'],
    ['no JSON', () => '{\n  "a": 1,\n  b: 2}', 'not JSON at line 3, column 3'],
    ['of something else', () => '{"name":"p"}', 'not a world: expected "format": "field-sandbox world"'],
    ['a list', () => '[]', 'not a world'],
    ['null', () => 'null', 'not a world'],
    ['of a newer version', (text) => text.replace('"version":2', '"version":3'), 'unknown version: expected 2, got 3'],
    ['of no version', (text) => text.replace('"version":2,', ''), 'unknown version: expected 2, got none'],
    [
      'of another project',
      (text) => text.replace('"project":"p"', '"project":"P"'),
      'of another project, "P", whose file is %50.json',
    ],
    ['without its last line', (text) => text.replace('{"end":true}\n', ''), 'cut off after line 2'],
    ['cut off in a later line', (text) => text.slice(0, -20), 'not JSON: cut off at line 2, column'],
    ['no JSON in a later line', (text) => text.replace('{"orders":', '{orders:'), 'not JSON at line 2, column 2'],
    [
      'with another list',
      (text) => text.replace('"orders":', '"odres":'),
      'line 2: /odres: expected one of the lists jobs, orders, routes',
    ],
    [
      'with a list that is none',
      (text) => text.replace(/"orders":.*(?=\}\n)/, '"orders":5'),
      'line 2: /orders: expected one of the lists jobs, orders, routes',
    ],
    [
      'with a list of no pairs',
      (text) => text.replace('"orders":[', '"orders":[{},'),
      '/world/records/orders: expected a list of pairs',
    ],
    [
      'with a count that is none',
      (text) => text.replace('"dueCount":0', '"dueCount":"0"'),
      '/world/dueCount: expected',
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
    const { worlds: projects } = await open(folder);
    expect(ordersOf(projects.find('p'))).toEqual(['A', 'B']);
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
    const lines = () => {
      throw Object.assign(new Error('denied'), { code: 'EACCES' });
    };
    const opening = open(folder, { changeDisk: { lines } });
    await expect(opening).rejects.toThrow(`--data: ${file}: can't be read (EACCES)`);
  });

  test('one that is damaged while the server runs is an error for whoever asks, and is not written over', async () => {
    const { folder, file } = await write();
    const { worlds: projects } = await open(folder, { most: 0 });
    writeFileSync(file, '{');
    expect(() => projects.open('p')).toThrow(`${file}: not JSON`);
    expect(() => projects.find('p')).toThrow(`${file}: not JSON`);
    await projects.persisted();
    expect(readFileSync(file, 'utf8')).toBe('{');
    expect(projects.list()).toEqual([]);
  });
});

test('what was left of a write that did not end, and a log without its file, are cleared away', async () => {
  const folder = fresh();
  for (const name of ['p.json.tmp', 'q.json.log', 'notes.txt']) writeFileSync(path.join(folder, name), 'x');
  const { keptWorlds: store } = await open(folder);
  await store.close();
  expect(readdirSync(folder)).toEqual(['notes.txt']);
});
