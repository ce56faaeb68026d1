/**
 * What an earlier version has written to a database is read by this one. Where the format has a new version, its file is
 * written here, to be committed. A database of another format is refused.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { databaseFormat } from '../../src/cluster/settings.ts';
import { type KeptSandbox, startWith } from '../flows/data-steps.ts';
import { keptOptions, play, show } from '../kept/traffic.ts';
import { dropDatabase, query } from './harness/databases.ts';
import { postgresIsMissing } from './harness/postgres-binaries.ts';
import { useDatabase } from './harness/use-postgres.ts';

/** In the order in which their rows refer to each other. */
const tables = ['cluster', 'project', 'project_log'] as const;

interface Kept {
  readonly rows: Readonly<Record<(typeof tables)[number], readonly object[]>>;
  readonly shown: object;
}

describe.skipIf(postgresIsMissing)('a database', () => {
  const database = useDatabase();
  let started: KeptSandbox | undefined;
  const start = async (): Promise<KeptSandbox> => {
    started = await startWith({ ...keptOptions, postgres: database(), clusterPort: '0' });
    return started;
  };
  afterEach(async () => {
    await started?.close();
    started = undefined;
  });

  test.each(Array.from({ length: Number(databaseFormat) - 2 }, (_, index) => index + 3))(
    'of format %i shows what it showed',
    async (format) => {
      const file = path.join(import.meta.dirname, '../kept', `database-${format}.json`);
      if (!existsSync(file)) await writeVersion(file);
      const { rows, shown } = JSON.parse(readFileSync(file, 'utf8')) as Kept;
      await (await start()).close();
      for (const table of tables) await fill(table, rows[table]);
      expect(await show(await start(), { journal: true })).toEqual(shown);
      expect(started?.remarks).toEqual([]);
    },
  );

  test('of servers with other settings names each option', async () => {
    await start();
    const other = { seed: 'another', apiKeys: ['other'], postgres: database(), clusterPort: '0' };
    const differs = 'differs from that of the servers that share this database';
    await expect(startWith({ ...keptOptions, ...other })).rejects.toMatchObject({
      mistakes: [`--seed: ${differs}`, `--api-key: ${differs}; --rolling permits it during an update`],
    });
  });

  test('of another format is refused', async () => {
    await query(database(), `UPDATE field_sandbox.cluster SET value = '1' WHERE key = 'format'`);
    await query(database(), 'ALTER TABLE field_sandbox.project_log DROP COLUMN items, DROP COLUMN newest');
    await expect(start()).rejects.toThrow('the projects in this database have format 1, expected 3');
  });

  test('of an encoding that lacks characters is refused', async () => {
    await query(database(), `CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    const postgres = Object.assign(new URL(database()), { pathname: 'latin' }).href;
    await expect(startWith({ ...keptOptions, postgres, clusterPort: '0' })).rejects.toThrow(
      'equivalent in encoding "LATIN1"',
    );
    await dropDatabase(database(), 'latin');
  });

  /** Writes the rows of a database, and what is shown of it. */
  async function writeVersion(file: string): Promise<void> {
    const sandbox = await start();
    await play(sandbox);
    const shown = await show(sandbox, { journal: true });
    await sandbox.close();
    // The next start creates another one.
    await query(database(), `DELETE FROM field_sandbox.cluster WHERE key = 'secret'`);
    const rows: Record<string, unknown> = {};
    for (const table of tables)
      rows[table] = await query(database(), `SELECT * FROM field_sandbox.${table} ORDER BY 1, 2`);
    writeFileSync(file, `${JSON.stringify({ rows, shown }, null, 1)}\n`);
    throw new Error(`${file} did not exist, and was written: commit it`);
  }

  async function fill(table: string, rows: readonly object[]): Promise<void> {
    await query(database(), `DELETE FROM field_sandbox.${table}`);
    await query(
      database(),
      `INSERT INTO field_sandbox.${table} SELECT * FROM json_populate_recordset(NULL::field_sandbox.${table}, $1)`,
      [JSON.stringify(rows)],
    );
  }
});
