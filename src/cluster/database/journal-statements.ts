/** The statements about the journals of projects. */
import type { ClusterDatabase } from './cluster-database.ts';
import type { Connection } from './connection.ts';

export function journalStatements({ query }: Connection): Pick<ClusterDatabase, 'writeJournal' | 'readJournal'> {
  return {
    writeJournal: async (lines, oldest) => {
      await query({
        name: 'write-journal',
        text: `INSERT INTO field_sandbox.journal (project, number, body)
          SELECT i.project, i.number, i.body
            FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) AS i (project, epoch, number, body)
            JOIN field_sandbox.project p ON p.id = i.project AND p.epoch = i.epoch
          ON CONFLICT (project, number) DO UPDATE SET body = excluded.body`,
        values: [
          lines.map(({ project }) => project),
          lines.map(({ epoch }) => epoch),
          lines.map(({ number }) => number),
          lines.map(({ text }) => text),
        ],
      });
      await query({
        name: 'trim-journal',
        text: `DELETE FROM field_sandbox.journal j
          USING unnest($1::text[], $2::bigint[], $3::bigint[]) AS i (project, epoch, number), field_sandbox.project p
          WHERE p.id = i.project AND p.epoch = i.epoch AND j.project = i.project AND j.number < i.number`,
        values: [
          oldest.map(({ project }) => project),
          oldest.map(({ epoch }) => epoch),
          oldest.map(({ number }) => number),
        ],
      });
    },
    readJournal: async (project) => {
      const text = 'SELECT body FROM field_sandbox.journal WHERE project = $1 ORDER BY number';
      return (await query({ name: 'journal', text, values: [project] })).map(({ body }) => String(body));
    },
  };
}
