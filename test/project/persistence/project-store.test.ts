/** The store of a data folder without a server: its files, reading ahead, damaged files. contract/ has what every store does. */
import { readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Journal } from '../../../src/journal/journal.ts';
import { createDisk, type Disk } from '../../../src/project/persistence/folder/disk.ts';
import { openProjectStore, type ProjectStore } from '../../../src/project/persistence/project-store.ts';
import { toSavedProject } from '../../../src/project/persistence/saved-project.ts';
import type { Project } from '../../../src/project/project.ts';
import { maxProjects, ProjectRegistry } from '../../../src/project/registry.ts';
import { loadExpressions } from '../../../src/scenarios/matcher.ts';
import { createFolder } from '../../harness/folder.ts';
import { createTestWall } from '../../harness/wall.ts';
import { createStoredProject, readProject, toSetting } from './stored-project.ts';

/** Creates a registry over a folder. `writes` and `read` list the files of each such call to the disk. */
async function open(folder: string, more: { max?: number; warn?: (text: string) => void } = {}) {
  let elapsedMs = 0;
  // Every call returns a second more, so that every slice is over.
  const wall = { ...createTestWall(1000), elapsed: () => (elapsedMs += 1000) };
  const { max = maxProjects, warn = () => undefined } = more;
  const read: string[] = [];
  const writes: string[] = [];
  const toDisk = (disk: Disk): Disk => ({
    ...disk,
    lines: (file) => {
      read.push(path.basename(file));
      return disk.lines(file);
    },
    replace: (file, text) => {
      writes.push(`replace ${path.basename(file)}`);
      return disk.replace(file, text);
    },
    append: (file, text) => {
      writes.push(`append ${path.basename(file)}`);
      return disk.append(file, text);
    },
  });
  const store: ProjectStore = await openProjectStore({
    folder,
    endpoint: undefined,
    wall,
    maxFound: max,
    warn,
    onLockLost: () => undefined,
    toDisk: (hold) => toDisk(createDisk(hold)),
  });
  const options = toSetting(wall, { clock: { mode: 'real' } });
  const parts = {
    options,
    journal: new Journal(),
    serverScenarios: [],
    magicIds: undefined,
    reportError: () => undefined,
  };
  const projects = new ProjectRegistry({ ...parts, store });
  return { projects, writes, read, store, wall };
}

/** Stores an order. */
function put(project: Project, id: string): void {
  project.nextChangeNumber();
  project.commit([{ put: { id }, into: 'orders', id }], 0);
}

/** Returns the files of a folder that this process has open. */
function openFilesIn(folder: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)].filter((file) => file.startsWith(folder));
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
}

const ordersOf = (project: Project | undefined) => project && [...project.state.records.orders.keys()];

test('merges parallel changes into one write, and changes during that write into the next one', async () => {
  const { projects, writes } = await open(createFolder());
  const project = projects.open('p');
  for (let n = 0; n < 100; n += 1) put(project, `A-${n}`);
  const first = project.persisted();
  await Promise.resolve();
  for (let n = 0; n < 100; n += 1) put(project, `B-${n}`);
  const second = project.persisted();
  await Promise.all([first, second]);
  expect(writes).toEqual(['replace p.json', 'append p.json']);
});

/** Creates a folder with projects that each have orders, all written one by one. */
async function write(orders: Readonly<Record<string, readonly string[]>>): Promise<string> {
  const folder = createFolder();
  const { projects, store } = await open(folder);
  for (const [project, ids] of Object.entries(orders)) {
    for (const id of ids) {
      put(projects.open(project), id);
      await projects.persisted();
    }
  }
  await store.close();
  return folder;
}

describe('evicted projects', () => {
  test('are written as a whole file if they are loaded before they were written', async () => {
    const { projects, writes, store } = await open(createFolder());
    put(projects.open('p'), 'A');
    await projects.persisted();
    put(projects.open('p'), 'B');
    for (let n = 0; n < maxProjects; n += 1) projects.open(`p-${n}`);
    put(projects.open('p'), 'C');
    await projects.persisted('p');
    expect(writes).toEqual(['replace p.json', 'replace p.json']);
    await store.close();
  });

  test('are discarded by a reset of all projects', async () => {
    const folder = await write({ p: ['A'], q: ['B'] });
    const { projects, store } = await open(folder, { max: 1 });
    projects.resetAll();
    await projects.persisted();
    await store.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a start loads the last written projects, and the others at their first use', async () => {
    const { projects } = await open(await write({ a: ['A'], b: ['B'], c: ['C'] }), { max: 2 });
    projects.resumeSaved();
    expect(projects.list().map(({ id }) => id)).toEqual(['b', 'c']);
    expect(ordersOf(projects.find('a'))).toEqual(['A']);
  });

  test('a start finds projects in the order of their creation, and those that were changed last', async () => {
    const folder = createFolder();
    const { projects, store, wall } = await open(folder);
    for (const [order, project] of ['late', 'early', 'late'].entries()) {
      wall.pass(1000);
      put(projects.open(project), `O-${order}`);
      await projects.persisted();
    }
    await store.close();
    const all = await open(folder);
    expect(all.store.found).toEqual(['late', 'early']);
    await all.store.close();
    expect((await open(folder, { max: 1 })).store.found).toEqual(['late']);
  });

  test('are listed before and after their first write, and leave memory after it', async () => {
    const { projects, store, read } = await open(await write({ stored: ['A'] }), { max: 0 });
    put(projects.open('p'), 'B');
    for (let n = 0; n < maxProjects; n += 1) projects.open(`p-${n}`);
    expect(projects.list().map(({ id }) => id)).not.toContain('p');
    expect([...projects.ids()]).toEqual(expect.arrayContaining(['stored', 'p']));
    await projects.persisted();
    expect([...projects.ids()]).toEqual(expect.arrayContaining(['stored', 'p']));
    read.length = 0;
    expect(ordersOf(projects.find('p'))).toEqual(['B']);
    expect(read).toEqual(['p.json']);
    await store.close();
  });
});

describe('reading ahead', () => {
  /** Opens a folder with two projects and loads only the later one, `q`. */
  const openUnread = async () => open(await write({ p: ['A'], q: ['B'] }), { max: 1 });

  test('reads the file once for parallel callers, and opening the project does not read it again', async () => {
    const { projects, read } = await openUnread();
    read.length = 0;
    await Promise.all([projects.enter('p'), projects.enter('p')]);
    expect(projects.enter('p')).toBeUndefined();
    expect(ordersOf(projects.find('p'))).toEqual(['A']);
    expect(read).toEqual(['p.json']);
    expect(projects.enter('p')).toBeUndefined();
    expect(projects.enter('nobody')).toBeUndefined();
  });

  test.each([
    ['changed and evicted', (projects: ProjectRegistry) => put(projects.open('p'), 'later'), ['A', 'later']],
    ['reset', (projects: ProjectRegistry) => projects.reset('p'), undefined],
  ])('discards the read state if the project is %s meanwhile', async (_, change, orders) => {
    const { projects, store } = await openUnread();
    const reading = projects.enter('p');
    projects.leave('p');
    change(projects);
    for (let n = 0; n < maxProjects; n += 1) projects.open(`p-${n}`);
    await projects.persisted();
    await reading;
    expect(ordersOf(projects.find('p'))).toEqual(orders);
    await store.close();
  });
});

// cli/golden/start.txt has the messages.
describe('damaged files', () => {
  /** Creates a folder with a project `p` that has changed. */
  async function writeOne() {
    const folder = await write({ p: ['A', 'B', 'C'] });
    const file = path.join(folder, 'p.json');
    return { folder, file, text: readFileSync(file, 'utf8') };
  }

  test('a damaged file is reported, and not changed', async () => {
    const { folder, file, text } = await writeOne();
    writeFileSync(file, `${text}{}\n`);
    await expect(open(folder)).rejects.toThrow(`--data: ${file}: line 5: it has no checksum`);
    expect(readFileSync(file, 'utf8')).toBe(`${text}{}\n`);
    // A failed start releases the folder.
    expect(readdirSync(folder)).not.toContain('.lock');
  });

  test('a damaged change is reported with the line number; a truncated file loses only the unconfirmed change', async () => {
    const { folder, file, text } = await writeOne();
    expect(text.split('\n')).toHaveLength(5);
    writeFileSync(file, text.replace('"B"', '"X"'));
    await expect(open(folder)).rejects.toThrow(`${file}: line 3: its checksum does not fit`);
    writeFileSync(file, text.slice(0, -3));
    const warnings: string[] = [];
    const { projects } = await open(folder, { warn: (text) => warnings.push(text) });
    expect(ordersOf(projects.find('p'))).toEqual(['A', 'B']);
    expect(warnings).toEqual([
      `--data: ${file}: its last write is incomplete, and was never answered: the project is as before it`,
    ]);
  });

  test('a file damaged while the server runs causes an error for its callers, and is not overwritten', async () => {
    const { folder, file } = await writeOne();
    const { projects } = await open(folder, { max: 0 });
    writeFileSync(file, '{');
    // Reading ahead leaves the error to the caller that opens the project.
    await projects.enter('p');
    expect(() => projects.open('p')).toThrow(`${file}: line 1: invalid JSON`);
    expect(() => projects.find('p')).toThrow(`${file}: line 1: invalid JSON`);
    await projects.persisted();
    expect(readFileSync(file, 'utf8')).toBe('{');
    expect(projects.list()).toEqual([]);
  });

  test.skipIf(process.platform !== 'linux')('no file stays open, whether it is damaged or not', async () => {
    const { folder, file } = await writeOne();
    const { store } = await open(folder, { max: 0 });
    const before = openFilesIn(folder);
    for (let n = 0; n < 20; n += 1) expect(store.take('p')).toBeDefined();
    writeFileSync(file, '{');
    for (let n = 0; n < 20; n += 1) expect(() => store.take('p')).toThrow('invalid JSON');
    expect(openFilesIn(folder)).toEqual(before);
  });
});

test('a change after the end is not written, and not said to be', async () => {
  const folder = await write({ p: ['A'] });
  const { projects, store } = await open(folder);
  const project = projects.open('p');
  await store.close();
  const before = readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]);
  put(project, 'B');
  await expect(project.persisted()).rejects.toThrow('the folder is released');
  expect(readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')])).toEqual(before);
});

test('a start ignores what is no file of a project', async () => {
  const folder = createFolder();
  for (const name of ['report.json.log', 'notes.txt']) writeFileSync(path.join(folder, name), 'x');
  const { store } = await open(folder);
  await store.close();
  expect(readdirSync(folder).sort()).toEqual(['notes.txt', 'report.json.log']);
});

test('an interrupted attempt comes first among those that are due at the same time', async () => {
  const { project, state, toText } = createStoredProject();
  const trigger = () => {
    project.nextChangeNumber();
    return project.trigger({ type: 'jobs.import.failed', operation: 'asyncImportJobs', failed: [] }, 0);
  };
  const interrupted = trigger();
  state.due.removeWhere(({ what }) => what.kind === 'attempt' && what.callbackId === interrupted.id);
  const { id: callbackId } = trigger();
  for (let n = 0; n < 100; n += 1) project.schedule.add(project.now(), { kind: 'attempt', callbackId });
  const { due } = toSavedProject(readProject(toText()).state, await loadExpressions()).state;
  expect(due.size).toBe(102);
  expect(due.first()?.what).toMatchObject({ callbackId: interrupted.id });
});

test('a link to nothing in place of a project file is named', async () => {
  const folder = createFolder();
  symlinkSync('no-such-file', path.join(folder, 'p.json'));
  await expect(open(folder)).rejects.toThrow('p.json is a link to a file that does not exist');
});
