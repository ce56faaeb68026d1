/** PostgreSQL for one test file: a database on the shared server, or a server that the tests may disturb. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, inject } from 'vitest';
import { createDatabase, dropDatabase } from './databases.ts';
import { type Postgres, type PostgresOptions, startPostgres } from './postgres.ts';
import { postgresIsMissing } from './postgres-binaries.ts';

/** Creates a database on the shared server. The returned function gives its URL. */
export function useDatabase(): () => string {
  const name = `test-${randomUUID()}`;
  let url: string | undefined;
  beforeAll(async () => {
    if (!postgresIsMissing) url = await createDatabase(sharedServer().url, name);
  });
  afterAll(async () => {
    if (url !== undefined) await dropDatabase(sharedServer().url, name);
  });
  return () => present(url);
}

/** Starts a server for this file only. */
export function useOwnPostgres(options: Pick<PostgresOptions, 'settings'> = {}): () => Postgres {
  let server: Postgres | undefined;
  beforeAll(async () => {
    if (!postgresIsMissing) server = await startPostgres({ ...options, template: sharedServer().template });
  });
  afterAll(() => server?.stop());
  return () => present(server);
}

function sharedServer(): { readonly url: string; readonly template: string } {
  return present(inject('postgres'));
}

function present<T>(value: T | undefined): T {
  if (value === undefined)
    throw new Error('needs PostgreSQL: npm run test:cluster, and describe.skipIf(postgresIsMissing)');
  return value;
}
