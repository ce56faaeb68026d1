/** Starts one PostgreSQL for all tests. */
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../cluster/harness/postgres.ts';

export default async function setUp({ provide }: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await startPostgres({ settings: { fsync: 'off', max_connections: '500' } });
  provide('flows', url);
  return stop;
}
