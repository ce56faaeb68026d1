/** The store of projects in PostgreSQL: what it must do as every other store does. */
import { describe } from 'vitest';
import { openPostgres } from '../../src/cluster/database/postgres.ts';
import { createWallClock } from '../../src/lib/time.ts';
import { createOwnedPlace } from '../project/persistence/contract/owned-place.ts';
import { describeProjectStore } from '../project/persistence/contract/store-contract.ts';
import { query } from './harness/databases.ts';
import { postgresIsMissing } from './harness/postgres-binaries.ts';
import { useDatabase } from './harness/use-postgres.ts';

describe.skipIf(postgresIsMissing)('PostgreSQL', () => {
  const url = useDatabase();
  describeProjectStore('PostgreSQL', true, async () => {
    const database = await openPostgres(url(), createWallClock());
    // All tests use the same projects.
    await database.removeAll();
    return {
      ...createOwnedPlace(database),
      damage: async (project) => {
        const text = "UPDATE field_sandbox.project_log SET body = '{' || chr(10) WHERE project = $1";
        await query(url(), text, [project]);
      },
    };
  });
});
