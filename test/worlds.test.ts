/** Worlds are made when first opened, reset alone or all at once, and let go least recently used first. */
import { expect, test } from 'vitest';
import { createJournal, type NewEntry } from '../src/journal/journal.ts';
import { createWorlds, mostWorlds } from '../src/worlds.ts';
import { createTestWall } from './harness/wall.ts';
import { toSetting } from './harness/world.ts';

function setUp() {
  const wall = createTestWall();
  const journal = createJournal();
  const setting = toSetting(wall, { clock: { mode: 'real' } });
  const worlds = createWorlds({ setting, journal, serverScenarios: [], magicIds: undefined, bug: () => undefined });
  const names = () => worlds.list().map(({ id }) => id);
  const fill = () => {
    for (let n = 0; n < mostWorlds; n += 1) worlds.open(`p-${n}`);
  };
  return { worlds, journal, wall, names, fill };
}

test('a world is made once, and only when it is opened', () => {
  const { worlds, names } = setUp();
  expect(worlds.find('a')).toBeUndefined();
  const world = worlds.open('a');
  expect(worlds.open('a')).toBe(world);
  expect(worlds.find('a')).toBe(world);
  expect(names()).toEqual(['a']);
});

test('a thousand are kept; beyond them the least recently used goes, with its journal and all that is due in it', () => {
  const { worlds, journal, wall, fill } = setUp();
  fill();
  expect(mostWorlds).toBe(1000);
  expect(worlds.list()).toHaveLength(1000);
  for (const project of ['p-1', 'p-2'])
    journal.add({ project, id: project, url: '/', warnings: [], evidence: {} } as unknown as NewEntry);
  const gone = worlds.list().find(({ id }) => id === 'p-1');
  gone?.schedule.add(gone.now() + 5, { kind: 'attempt', callbackId: 'none' });
  worlds.open('p-0');
  worlds.open('new');
  expect(worlds.list()).toHaveLength(1000);
  expect([worlds.find('p-1'), worlds.find('p-0')?.id]).toEqual([undefined, 'p-0']);
  expect(gone?.isDisposed()).toBe(true);
  expect(wall.timers()).toEqual([]);
  expect(journal.list().map(({ id }) => id)).toEqual(['p-2']);
});

test('who looks at a project uses it', () => {
  const { worlds, fill } = setUp();
  fill();
  worlds.find('p-0');
  worlds.open('new');
  expect([worlds.find('p-0')?.id, worlds.find('p-1')]).toEqual(['p-0', undefined]);
});

test('a place in the list stays, whichever others go', () => {
  const { worlds } = setUp();
  const [a, b] = [worlds.open('a'), worlds.open('b')].map(worlds.ordinalOf);
  worlds.reset('a');
  expect(worlds.ordinalOf(worlds.open('b'))).toBe(b);
  expect(worlds.ordinalOf(worlds.open('a'))).toBeGreaterThan(Math.max(a ?? 0, b ?? 0));
});

test('use before the house was full counts as well', () => {
  const { worlds, fill } = setUp();
  for (let n = 0; n < mostWorlds - 1; n += 1) worlds.open(`p-${n}`);
  worlds.open('p-0');
  worlds.open('last');
  worlds.open('one more');
  expect([worlds.find('p-0')?.id, worlds.find('p-1')]).toEqual(['p-0', undefined]);
  fill();
});

test('the list stays in the order in which they were made, whatever is used', () => {
  const { worlds, names, fill } = setUp();
  fill();
  const before = names();
  for (const project of ['p-7', 'p-3', 'p-999']) worlds.open(project);
  expect(names()).toEqual(before);
});

test('a reset leaves no world, says what was cancelled, and tells who waits for that project', () => {
  const { worlds, names } = setUp();
  const told: string[] = [];
  worlds.onReset('a', () => told.push('a'));
  worlds.onReset('b', () => told.push('b'));
  const end = worlds.onReset(undefined, () => told.push('all'));
  worlds.open('a');
  worlds.open('b');
  expect(worlds.reset('a')).toEqual({ instructions: 0, callbacks: 0 });
  expect([told, names()]).toEqual([['a'], ['b']]);
  expect(worlds.reset('never seen')).toEqual({ instructions: 0, callbacks: 0 });
  told.length = 0;
  expect(worlds.resetAll()).toHaveLength(1);
  expect(new Set(told)).toEqual(new Set(['a', 'b', 'all']));
  end();
  told.length = 0;
  worlds.dispose();
  expect(told).toEqual(['a', 'b']);
});
