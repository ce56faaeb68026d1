/** What the store of a replica says of a project that it has lost or given up. */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { OwnedStore } from '../../src/cluster/store/owned-store.ts';
import { Journal } from '../../src/journal/journal.ts';
import { createKeyStore } from '../../src/keys/key-store.ts';
import type { Project } from '../../src/project/project.ts';
import { ProjectRegistry } from '../../src/project/registry.ts';
import { createTestWall } from '../harness/wall.ts';
import { createStoredProject, linesOf, toSetting } from '../project/persistence/stored-project.ts';
import { createFakeDatabase, runAtOnce } from './world/fake-database.ts';
import { createTables } from './world/tables.ts';

/** Opens the store of replica A, which owns the project `p`. */
async function open(oldestItem = () => 1) {
  const wall = createTestWall(1000);
  const tables = createTables(wall.now);
  const database = createFakeDatabase(tables, runAtOnce);
  await database.join({ id: 'A', url: 'http://a', leaseMs: 60_000, settings: '' });
  const idle: string[] = [];
  const store = new OwnedStore({
    ...{ database, wall, keys: createKeyStore(), endpoint: undefined },
    warn: expect.unreachable,
    onLost: () => undefined,
    oldestItem,
    onIdle: (project) => void idle.push(project),
  });
  const claim = await database.claim('p', 'A');
  if (claim.owner !== 'me') throw new Error('refused');
  await store.admit('p', claim);
  const projects = new ProjectRegistry({
    ...{ options: toSetting(wall), journal: new Journal(), serverScenarios: [], magicIds: undefined, store },
    reportError: expect.unreachable,
  });
  return { database, tables, claim, store, projects, idle };
}

/** Stores an order. */
function put(project: Project, id: string): void {
  project.nextChangeNumber();
  project.commit([{ put: { id }, into: 'orders', id }], 0);
}

test('a change after the loss is refused, and does not count', async () => {
  const { store, projects } = await open();
  const project = projects.open('p');
  put(project, 'A');
  await project.persisted();
  const claim = store.claimOf('p');
  expect(claim).toMatchObject({ changeCount: 1, isLost: false });
  store.lose('p');
  put(project, 'B');
  await expect(project.persisted()).rejects.toThrow('"p"');
  expect(claim).toMatchObject({ changeCount: 1, isLost: true, isTaken: true });
});

test('a project whose last line is cut off, or lacks its next one, is refused: a database stores all of a write', async () => {
  const { store, claim } = await open();
  const written = createStoredProject();
  const text = written.toText();
  written.put({ id: 'A' });
  const line = written.toLines() ?? '';
  await store.admit('p', { ...claim, lines: [text, line] });
  expect(store.claimOf('p')).toMatchObject({ exists: true });
  written.ask('syncImportOrders', {
    orders: Array.from({ length: 3 }, (_, n) => ({ id: `${n}`, notes: 'x'.repeat(2e5) })),
  });
  const [first = ''] = linesOf(written.toLines() ?? '');
  for (const end of [[line.slice(0, -1)], [line, first]])
    await expect(store.admit('p', { ...claim, lines: [text, ...end] })).rejects.toThrow('cut off');
});

test.each([
  ['given up after a reset', 'reset', 'letGo', false],
  ['given up after it was created again', 'created', 'letGo', true],
  ['lost after a reset', 'reset', 'lose', true],
] as const)('a read of a project that was %s', async (_, before, end, isLost) => {
  const { store, projects } = await open();
  put(projects.open('p'), 'A');
  const claim = store.claimOf('p');
  projects.reset('p');
  if (before === 'created') put(projects.open('p'), 'B');
  store[end]('p');
  expect(claim?.isLost).toBe(isLost);
});

test('what the journal has stored is written before an evicted project is given up', async () => {
  const { database, store, projects, idle } = await open();
  put(projects.open('p'), 'A');
  await projects.persisted();
  const setting = { kind: 'clock', mode: 'real', now: '2026-03-02T09:00:00.000Z' } as const;
  store.noteItem('p', { number: 1, setting: { change: 2, atMs: 1000, setting } });
  projects.evictIdle(Number.POSITIVE_INFINITY);
  await expect.poll(() => idle).toEqual(['p']);
  await database.release('p', store.claimOf('p')?.epoch ?? 1, undefined);
  const claim = await database.claim('p', 'A');
  expect(claim.owner === 'me' && claim.items).toHaveLength(1);
});

test('long items that the journal has dropped are removed with the log, even if the changes are short', async () => {
  let number = 0;
  const { tables, store, projects } = await open(() => number);
  const project = projects.open('p');
  const scenarios = [{ name: 'long', description: 'x'.repeat(100_000), rules: [] }];
  for (const _item of Array(20)) {
    number += 1;
    store.noteItem('p', { number, setting: { change: number, atMs: 1000, setting: { kind: 'scenarios', scenarios } } });
    put(project, `J-${number}`);
    await project.persisted();
  }
  expect(tables.readItems('p').length).toBeLessThan(5);
});

test('a project that was lost and claimed again is not given up by an eviction before', async () => {
  const { claim, store, projects, idle } = await open();
  put(projects.open('p'), 'A');
  projects.evictIdle(Number.POSITIVE_INFINITY);
  // The write before the loss succeeds, and its result arrives after the new claim.
  store.lose('p');
  await store.admit('p', claim);
  await setImmediate();
  expect({ idle, owned: store.owned() }).toEqual({ idle: [], owned: ['p'] });
});
