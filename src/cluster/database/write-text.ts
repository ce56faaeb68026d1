/** The statements that write lines of projects whose position is the one before. */

/** The lines as a table: of one line, whose text is not parsed, and of many. */
const one = 'VALUES ($1, $2::bigint, $3::bigint, $4, $5, $6::boolean)';
const many = `SELECT project, epoch, seq, kind, text, "isDue" FROM json_to_recordset($1)
  AS line (project text, epoch bigint, seq bigint, kind text, text text, "isDue" boolean)`;

/** Writes one line; a value for each of its fields. */
export const writeOne: string = toWriteText(one);

/** Writes lines; one value, which is JSON. */
export const writeMany: string = toWriteText(many);

function toWriteText(lines: string): string {
  return `WITH input (project, epoch, seq, kind, body, is_due) AS MATERIALIZED (${lines}),
    moved AS (
      UPDATE field_sandbox.project p SET seq = i.seq,
        due_at = CASE WHEN i.is_due THEN coalesce(p.due_at, clock_timestamp()) END,
        ordinal = CASE WHEN i.kind = 'removal' THEN nextval('field_sandbox.ordinals') ELSE p.ordinal END
      FROM input i WHERE p.id = i.project AND p.epoch = i.epoch AND p.seq = i.seq - 1 RETURNING p.id
    ),
    pruned AS (
      DELETE FROM field_sandbox.project_log WHERE project = ANY(ARRAY(
        SELECT m.id FROM moved m JOIN input i ON i.project = m.id WHERE i.kind <> 'changes'))
    ),
    forgotten AS (
      DELETE FROM field_sandbox.journal WHERE project = ANY(ARRAY(
        SELECT m.id FROM moved m JOIN input i ON i.project = m.id WHERE i.kind = 'removal'))
    ),
    added AS (
      INSERT INTO field_sandbox.project_log (project, seq, epoch, whole, body, at)
        SELECT i.project, i.seq, i.epoch, i.kind = 'whole', i.body, clock_timestamp()
          FROM input i JOIN moved m ON m.id = i.project WHERE i.kind <> 'removal'
    )
    SELECT id FROM moved`;
}
