/** Creates and deletes databases of a PostgreSQL server. */
import pg from 'pg';

/** Creates an empty database on the server of a URL, and returns the database's URL. */
export async function createDatabase(server: string, name: string): Promise<string> {
  await query(server, `CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  return Object.assign(new URL(server), { pathname: encodeURIComponent(name) }).href;
}

/** Deletes a database, and ends its connections. */
export async function dropDatabase(server: string, name: string): Promise<void> {
  await query(server, `DROP DATABASE ${pg.escapeIdentifier(name)} WITH (FORCE)`);
}

/** Runs one statement on a connection of its own, and returns the rows. */
export async function query(url: string, text: string, values: readonly unknown[] = []): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
