/** The statements about the journals of projects. */
import type { ClusterDatabase } from './cluster-database.ts';
import type { Connection } from './connection.ts';

export function journalStatements({ query }: Connection): Pick<ClusterDatabase, 'writeJournal' | 'readJournal'> {
  return {
    writeJournal: async (lines, oldest) => {
      await query({
        name: 'write-journal',
        text: `INSERT INTO field_sandbox.journal (project, number, body)
          SELECT i.project, i.number, i.text
            FROM json_to_recordset($1) AS i (project text, epoch bigint, number bigint, text text)
            JOIN field_sandbox.project p ON p.id = i.project AND p.epoch = i.epoch
          ON CONFLICT (project, number) DO UPDATE SET body = excluded.body`,
        values: [JSON.stringify(lines)],
      });
      if (oldest.length === 0) return;
      // Sorted, so that the rows are found by the index.
      await query({
        name: 'trim-journal',
        text: `DELETE FROM field_sandbox.journal WHERE ctid = ANY(ARRAY(
          SELECT j.ctid FROM json_to_recordset($1) AS i (project text, epoch bigint, number bigint)
            JOIN field_sandbox.project p ON p.id = i.project AND p.epoch = i.epoch
            CROSS JOIN LATERAL (
              SELECT ctid FROM field_sandbox.journal
                WHERE project = i.project AND number < i.number ORDER BY number
            ) j))`,
        values: [JSON.stringify(oldest)],
      });
    },
    readJournal: async (project) => {
      const text = 'SELECT body FROM field_sandbox.journal WHERE project = $1 ORDER BY number';
      return (await query({ name: 'journal', text, values: [project] })).map(({ body }) => String(body));
    },
  };
}
