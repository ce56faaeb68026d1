/** The database of replicas in PostgreSQL. The one of the simulation passes the same tests. */
import { describe } from 'vitest';
import { openPostgres } from '../../src/cluster/database/postgres.ts';
import { createWallClock } from '../../src/lib/time.ts';
import { describeClusterDatabase } from '../simulation/conformance/cluster-database.ts';
import { query } from './harness/databases.ts';
import { postgresIsMissing } from './harness/postgres-binaries.ts';
import { useDatabase } from './harness/use-postgres.ts';

describe.skipIf(postgresIsMissing)('PostgreSQL', () => {
  const url = useDatabase();
  describeClusterDatabase('PostgreSQL', async () => ({
    database: await openPostgres(url(), createWallClock()),
    pass: async (ms) => void (await query(url(), 'SELECT pg_sleep($1)', [ms / 1000])),
  }));
});
