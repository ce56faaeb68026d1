/** Implements the replicas' database with PostgreSQL. */
import type { WallClock } from '../../lib/time.ts';
import type { ClusterDatabase } from './cluster-database.ts';
import { connect } from './connection.ts';
import type { DatabaseNotices } from './patience.ts';
import { isUnfenced, projectStatements } from './project-statements.ts';

/** Opens the database at a URL `postgres://…`. @throws StoreUnavailable, or the refusal of the server */
export async function openPostgres(
  url: string,
  wall: WallClock,
  notices: DatabaseNotices = {},
): Promise<ClusterDatabase> {
  const connection = await connect(url, wall, notices);
  const { run } = connection;

  return {
    join: async ({ id, url: ownUrl, leaseMs, settings }) => {
      await run(
        'join',
        `INSERT INTO field_sandbox.replica (id, url, renewed_at, expires_at, settings_hash)
          VALUES ($1, $2, clock_timestamp(), clock_timestamp() + make_interval(secs => $3), $4)
          ON CONFLICT (id) DO UPDATE SET renewed_at = excluded.renewed_at, expires_at = excluded.expires_at`,
        ...[id, ownUrl, leaseMs / 1000, settings],
      );
      const rows = await run(
        'settings',
        `SELECT DISTINCT settings_hash AS settings FROM field_sandbox.replica
          WHERE id <> $1 AND NOT fenced AND expires_at > clock_timestamp()`,
        id,
      );
      return rows.map((row) => String(row['settings']));
    },
    renew: async (replica, leaseMs) => {
      const rows = await run(
        'renew',
        `UPDATE field_sandbox.replica
          SET renewed_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => $2)
          WHERE id = $1 AND NOT fenced RETURNING id`,
        ...[replica, leaseMs / 1000],
      );
      return rows.length > 0;
    },
    listLiving: async (leaseMs) => {
      // While the database was away nobody could renew, so its start counts as a renewal.
      const rows = await run(
        'living',
        `WITH ended AS (
          UPDATE field_sandbox.replica SET fenced = true WHERE NOT fenced AND expires_at < clock_timestamp()
            AND pg_postmaster_start_time() < clock_timestamp() - make_interval(secs => $1) RETURNING id
        )
        SELECT id, url, round(extract(epoch FROM clock_timestamp() - renewed_at) * 1000) AS silent_ms FROM field_sandbox.replica
          WHERE NOT fenced AND id NOT IN (SELECT id FROM ended) ORDER BY id`,
        leaseMs / 1000,
      );
      return rows.map(({ id, url: at, silent_ms: ms }) => ({ id: String(id), url: String(at), silentMs: Number(ms) }));
    },
    fenceSilent: async (replica, silentMs) => {
      const rows = await run(
        'fence',
        `WITH silenced AS (
          UPDATE field_sandbox.replica SET fenced = true
            WHERE id = $1 AND (fenced OR renewed_at < clock_timestamp() - make_interval(secs => $2)) RETURNING id
        )
        SELECT 1 WHERE EXISTS (SELECT 1 FROM silenced)
          OR NOT EXISTS (SELECT 1 FROM field_sandbox.replica WHERE id = $1)`,
        ...[replica, silentMs / 1000],
      );
      return rows.length > 0;
    },
    isUnfenced: (replica) => isUnfenced(connection, replica),
    leave: async (replica) => {
      await run('leave', 'DELETE FROM field_sandbox.replica WHERE id = $1', replica);
    },
    ...projectStatements(connection),
    read: async (key, after = 0) => {
      const text = 'SELECT version, value FROM field_sandbox.cluster WHERE key = $1 AND version > $2';
      const [row] = await run('setting', text, key, after);
      return row && { version: Number(row['version']), value: String(row['value']) };
    },
    store: async (key, version, value) => {
      // It also returns a row if an attempt before has stored the value, whose connection broke after that.
      const rows = await run(
        'store-setting',
        `INSERT INTO field_sandbox.cluster AS c (key, version, value) SELECT $1, $2::bigint + 1, $3
          WHERE $2 = 0 OR EXISTS (SELECT 1 FROM field_sandbox.cluster WHERE key = $1)
          ON CONFLICT (key) DO UPDATE SET version = excluded.version, value = excluded.value
            WHERE c.version = $2 OR (c.version, c.value) = (excluded.version, excluded.value)
          RETURNING 1`,
        ...[key, version, value],
      );
      return rows.length > 0;
    },
    close: connection.close,
  };
}
