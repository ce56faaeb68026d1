/** Projects beyond the maximum: which one is evicted, and when none is. Flows over HTTP have the rest. */
import { expect, test } from 'vitest';
import type { NewEntry } from '../../src/journal/entry.ts';
import { createJournal } from '../../src/journal/journal.ts';
import { createProjectRegistry, maxProjects } from '../../src/project/registry.ts';
import { toSetting } from '../harness/test-project.ts';
import { createTestWall } from '../harness/wall.ts';

/** Creates a registry with as many projects as it may have. */
function setUp(more: { readonly evictsWithoutFiles?: boolean } = {}) {
  const wall = createTestWall();
  const journal = createJournal();
  const options = toSetting(wall, { clock: { mode: 'real' } });
  const parts = { options, journal, serverScenarios: [], magicIds: undefined, reportError: () => undefined };
  const projects = createProjectRegistry({ ...parts, ...more });
  for (let n = 0; n < maxProjects; n += 1) projects.open(`p-${n}`);
  return { projects, journal, wall };
}

test('the least recently used of 1,000 is evicted, with its journal and timers; the others keep their order', () => {
  const { projects, journal, wall } = setUp();
  for (const project of ['p-1', 'p-2'])
    journal.add({ project, id: project, url: '/', warnings: [], evidence: {} } as unknown as NewEntry);
  const evicted = projects.list().find(({ id }) => id === 'p-1');
  evicted?.schedule.add(evicted.now() + 5, { kind: 'attempt', callbackId: 'none' });
  // Looking at a project counts as using it.
  projects.find('p-0');
  projects.open('new');
  expect(projects.list()).toHaveLength(1000);
  expect([projects.find('p-1'), projects.find('p-0')?.id]).toEqual([undefined, 'p-0']);
  expect(
    projects
      .list()
      .slice(0, 2)
      .map(({ id }) => id),
  ).toEqual(['p-0', 'p-2']);
  expect([evicted?.isDisposed(), wall.timers()]).toEqual([true, []]);
  expect(journal.list().map(({ id }) => id)).toEqual(['p-2']);
});

test('with tenants and without files, no project is evicted for a new one', () => {
  const { projects } = setUp({ evictsWithoutFiles: false });
  expect(projects.checkCapacity('p-0')).toBeUndefined();
  expect(projects.checkCapacity('new')).toMatchObject({ kind: 'full', message: expect.stringContaining('drops none') });
  projects.reset('p-0');
  expect(projects.checkCapacity('new')).toBeUndefined();
});
