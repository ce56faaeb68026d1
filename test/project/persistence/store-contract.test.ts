/** The stores that need no server: memory, a folder, and the database of the simulation. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { openProjectStore } from '../../../src/project/persistence/project-store.ts';
import { maxProjects } from '../../../src/project/registry.ts';
import { createFolder } from '../../harness/folder.ts';
import { createFakeDatabase, runAtOnce } from '../../simulation/world/fake-database.ts';
import { createTables } from '../../simulation/world/tables.ts';
import { createOwnedPlace } from './contract/owned-place.ts';
import { describeProjectStore, endpoint } from './contract/store-contract.ts';

describeProjectStore('memory', false, async () => ({ open: async () => ({}) }));

describeProjectStore('folder', true, async () => {
  const folder = createFolder();
  const parts = { folder, endpoint, maxFound: maxProjects, warn: () => undefined, onLockLost: () => undefined };
  return {
    open: async (wall) => ({ store: await openProjectStore({ ...parts, wall }) }),
    damage: async (project) => writeFileSync(path.join(folder, `${project}.json`), '{'),
  };
});

describeProjectStore('database in memory', true, async () => {
  const tables = createTables(() => 1000);
  const database = createFakeDatabase(
    {
      ...tables,
      readLog: (project) =>
        tables.readLog(project).map((line) => (damaged.has(project) ? { ...line, text: '{\n' } : line)),
    },
    runAtOnce,
  );
  const damaged = new Set<string>();
  return { ...createOwnedPlace(database), damage: async (project) => void damaged.add(project) };
});
