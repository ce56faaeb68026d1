/** The database of the simulation does what the real one does: test/cluster/database.test.ts. */
import { createFakeDatabase, runAtOnce } from '../world/fake-database.ts';
import { createTables } from '../world/tables.ts';
import { describeClusterDatabase } from './cluster-database.ts';

describeClusterDatabase('in memory', async () => {
  let nowMs = 1000;
  const tables = createTables(() => nowMs);
  return {
    database: createFakeDatabase(tables, runAtOnce),
    pass: async (ms) => {
      nowMs += ms;
    },
  };
});
