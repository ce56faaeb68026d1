/** Worlds are made when first opened, reset alone or all at once, and let go least recently used first. */
import { expect, test } from 'vitest';
import type { NewEntry } from '../../src/journal/entry.ts';
import { createJournal } from '../../src/journal/journal.ts';
import { createProjectRegistry, maxProjects } from '../../src/project/registry.ts';
import { toSetting } from '../harness/test-project.ts';
import { createTestWall } from '../harness/wall.ts';

function setUp(more: { readonly evictsWithoutFiles?: boolean } = {}) {
  const wall = createTestWall();
  const journal = createJournal();
  const options = toSetting(wall, { clock: { mode: 'real' } });
  const projects = createProjectRegistry({
    options,
    journal,
    serverScenarios: [],
    magicIds: undefined,
    reportError: () => undefined,
    ...more,
  });
  const names = () => projects.list().map(({ id }) => id);
  const fill = () => {
    for (let n = 0; n < maxProjects; n += 1) projects.open(`p-${n}`);
  };
  return { worlds: projects, journal, wall, names, fill };
}

test('a world is made once, and only when it is opened', () => {
  const { worlds: projects, names } = setUp();
  expect(projects.find('a')).toBeUndefined();
  const project = projects.open('a');
  expect(projects.open('a')).toBe(project);
  expect(projects.find('a')).toBe(project);
  expect(names()).toEqual(['a']);
});

test('a thousand are kept; beyond them the least recently used goes, with its journal and all that is due in it', () => {
  const { worlds: projects, journal, wall, fill } = setUp();
  fill();
  expect(maxProjects).toBe(1000);
  expect(projects.list()).toHaveLength(1000);
  for (const project of ['p-1', 'p-2'])
    journal.add({ project, id: project, url: '/', warnings: [], evidence: {} } as unknown as NewEntry);
  const gone = projects.list().find(({ id }) => id === 'p-1');
  gone?.schedule.add(gone.now() + 5, { kind: 'attempt', callbackId: 'none' });
  projects.open('p-0');
  projects.open('new');
  expect(projects.list()).toHaveLength(1000);
  expect([projects.find('p-1'), projects.find('p-0')?.id]).toEqual([undefined, 'p-0']);
  expect(gone?.isDisposed()).toBe(true);
  expect(wall.timers()).toEqual([]);
  expect(journal.list().map(({ id }) => id)).toEqual(['p-2']);
});

test('with tenants and without files, no idle project is dropped for a new one', () => {
  const { worlds: projects, fill } = setUp({ evictsWithoutFiles: false });
  fill();
  expect(projects.checkCapacity('p-0')).toBeUndefined();
  expect(projects.checkCapacity('new')).toEqual({
    kind: 'full',
    message:
      'the server holds 1,000 projects, the maximum, and drops none, because their data would be lost; reset projects that are no longer needed',
  });
  expect(projects.list()).toHaveLength(1000);
  projects.reset('p-0');
  expect(projects.checkCapacity('new')).toBeUndefined();
});

test('who looks at a project uses it', () => {
  const { worlds: projects, fill } = setUp();
  fill();
  projects.find('p-0');
  projects.open('new');
  expect([projects.find('p-0')?.id, projects.find('p-1')]).toEqual(['p-0', undefined]);
});

test('a place in the list stays, whichever others go', () => {
  const { worlds: projects } = setUp();
  const [a, b] = [projects.open('a'), projects.open('b')].map(projects.creationIndexOf);
  projects.reset('a');
  expect(projects.creationIndexOf(projects.open('b'))).toBe(b);
  expect(projects.creationIndexOf(projects.open('a'))).toBeGreaterThan(Math.max(a ?? 0, b ?? 0));
});

test('use before the house was full counts as well', () => {
  const { worlds: projects, fill } = setUp();
  for (let n = 0; n < maxProjects - 1; n += 1) projects.open(`p-${n}`);
  projects.open('p-0');
  projects.open('last');
  projects.open('one more');
  expect([projects.find('p-0')?.id, projects.find('p-1')]).toEqual(['p-0', undefined]);
  fill();
});

test('the list stays in the order in which they were made, whatever is used', () => {
  const { worlds: projects, names, fill } = setUp();
  fill();
  const before = names();
  for (const project of ['p-7', 'p-3', 'p-999']) projects.open(project);
  expect(names()).toEqual(before);
});

test('a reset leaves no world, says what was cancelled, and tells who waits for that project', () => {
  const { worlds: projects, names } = setUp();
  const told: string[] = [];
  projects.onReset('a', () => told.push('a'));
  projects.onReset('b', () => told.push('b'));
  const end = projects.onReset(undefined, () => told.push('all'));
  projects.open('a');
  projects.open('b');
  expect(projects.reset('a')).toEqual({ instructions: 0, callbacks: 0 });
  expect([told, names()]).toEqual([['a'], ['b']]);
  expect(projects.reset('never seen')).toEqual({ instructions: 0, callbacks: 0 });
  told.length = 0;
  expect(projects.resetAll()).toHaveLength(1);
  expect(new Set(told)).toEqual(new Set(['a', 'b', 'all']));
  end();
  told.length = 0;
  projects.dispose();
  expect(told).toEqual(['a', 'b']);
});
