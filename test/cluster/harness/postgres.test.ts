/** The PostgreSQL servers that the tests of replicas use. */
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { startCuttingProxy } from './cutting-proxy.ts';
import { query } from './databases.ts';
import { startPostgres } from './postgres.ts';
import { postgresIsMissing } from './postgres-binaries.ts';
import { useDatabase, useOwnPostgres } from './use-postgres.ts';

describe.skipIf(postgresIsMissing)('PostgreSQL', () => {
  const database = useDatabase();
  const server = useOwnPostgres();

  async function connect(url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    onTestFinished(() => client.end().catch(() => undefined));
    await client.connect();
    return client;
  }

  test('each file has its own database on the shared server, which flushes to disk', async () => {
    const [row] = await query(database(), "SELECT current_database() AS name, current_setting('fsync') AS fsync");
    expect(row).toEqual({ name: new URL(database()).pathname.slice(1), fsync: 'on' });
    expect(server().url).not.toContain(`:${new URL(database()).port}/`);
  });

  test.each(['fast', 'immediate'] as const)(
    'a restart (%s) ends connections, and keeps what was committed',
    async (mode) => {
      const url = await server().createDatabase(`restart ${mode}`);
      await query(url, 'CREATE TABLE kept (id int)');
      const client = await connect(url);
      await client.query('INSERT INTO kept VALUES (1)');
      await client.query('BEGIN; INSERT INTO kept VALUES (2)');
      const ended = new Promise((done) => client.once('end', done));
      await server().restart(mode);
      await ended;
      expect(await query(url, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
    },
  );

  test('a paused server answers only after it resumes', async () => {
    const client = await connect(server().url);
    await server().pause();
    const answer = client.query('SELECT 1 AS one').then(({ rows }) => rows);
    expect(await Promise.race([answer, setTimeout(300, 'nothing')])).toBe('nothing');
    server().resume();
    expect(await answer).toEqual([{ one: 1 }]);
  });

  test('a proxy cuts connections to the server, while others work', async () => {
    const proxy = await startCuttingProxy(database());
    onTestFinished(proxy.close);
    const client = await connect(proxy.url);
    const broken = expect(client.query('SELECT pg_sleep(60)')).rejects.toThrow();
    await proxy.cut();
    await broken;
    await expect(query(proxy.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(await query(database(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await proxy.restore();
    expect(await query(proxy.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('settings apply, and stop ends a paused server and deletes its folder', async () => {
    const template = inject('postgres')?.template ?? '';
    const own = await startPostgres({ template, settings: { fsync: 'off', lock_timeout: '7s' } });
    const [row] = await query(
      own.url,
      "SELECT current_setting('fsync') AS fsync, current_setting('data_directory') AS data",
    );
    expect(row).toMatchObject({ fsync: 'off' });
    await own.pause();
    await own.stop();
    await expect(query(own.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(existsSync(String(Object(row).data))).toBe(false);
  });
});
