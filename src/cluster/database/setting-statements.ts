/** The statements about settings that all replicas share. */
import type { ClusterDatabase } from './cluster-database.ts';
import type { Connection } from './connection.ts';

export function settingStatements({ query }: Connection): Pick<ClusterDatabase, 'read' | 'store'> {
  return {
    read: async (key, after = 0) => {
      const text = 'SELECT version, value FROM field_sandbox.cluster WHERE key = $1 AND version > $2';
      const [row] = await query({ name: 'setting', text, values: [key, after] });
      return row && { version: Number(row['version']), value: String(row['value']) };
    },
    store: async (key, version, value) => {
      const [row] = await query({
        name: 'store-setting',
        text: `INSERT INTO field_sandbox.cluster AS c (key, version, value) SELECT $1, $2::bigint + 1, $3
          WHERE $2 = 0 OR EXISTS (SELECT 1 FROM field_sandbox.cluster WHERE key = $1)
          ON CONFLICT (key) DO UPDATE SET version = excluded.version, value = excluded.value WHERE c.version = $2
          RETURNING 1`,
        values: [key, version, value],
      });
      if (row) return true;
      // It was stored if the connection broke after the statement.
      const text = 'SELECT 1 FROM field_sandbox.cluster WHERE key = $1 AND version = $2 AND value = $3';
      return (await query({ name: 'is-stored', text, values: [key, version + 1, value] })).length > 0;
    },
  };
}
