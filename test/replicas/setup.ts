/** Starts one PostgreSQL for all tests. */
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../cluster/harness/postgres.ts';
import { postgresIsMissing } from '../cluster/harness/postgres-binaries.ts';

export default async function setUp({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (postgresIsMissing) {
    console.warn('SKIPPED: the stories against replicas, since PostgreSQL is not installed.');
    return undefined;
  }
  // Each sandbox of a test has three replicas with several connections each.
  const { url, stop } = await startPostgres({ settings: { fsync: 'off', max_connections: '500' } });
  provide('flows', url);
  return stop;
}
