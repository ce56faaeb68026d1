/** The statement that writes lines of projects: one for each number of lines, which PostgreSQL prepares. */

const texts = new Map<number, string>();

/** Returns the statement that writes this number of lines, of projects whose position is the one before. */
export function toWriteText(count: number): string {
  const known = texts.get(count);
  if (known !== undefined) return known;
  const types = ['text', 'bigint', 'bigint', 'text', 'text', 'text[]', 'boolean'];
  const rows = Array.from(
    { length: count },
    (_, row) => `(${types.map((type, column) => `$${row * types.length + column + 1}::${type}`).join(', ')})`,
  );
  const text = `WITH input (project, epoch, seq, kind, body, tokens, is_due) AS (VALUES ${rows.join(', ')}),
    moved AS (
      UPDATE field_sandbox.project p SET seq = i.seq,
        due_at = CASE WHEN i.is_due THEN coalesce(p.due_at, clock_timestamp()) END,
        ordinal = CASE WHEN i.kind = 'removal' THEN nextval('field_sandbox.ordinals') ELSE p.ordinal END
      FROM input i WHERE p.id = i.project AND p.epoch = i.epoch AND p.seq = i.seq - 1 RETURNING p.id
    ),
    pruned AS (
      DELETE FROM field_sandbox.project_log l USING input i, moved m
        WHERE m.id = i.project AND l.project = m.id AND i.kind <> 'changes'
    ),
    forgotten AS (
      DELETE FROM field_sandbox.journal j USING input i, moved m
        WHERE m.id = i.project AND j.project = m.id AND i.kind = 'removal'
    ),
    added AS (
      INSERT INTO field_sandbox.project_log (project, seq, epoch, whole, body, tokens, at)
        SELECT i.project, i.seq, i.epoch, i.kind = 'whole', i.body, i.tokens, clock_timestamp()
          FROM input i JOIN moved m ON m.id = i.project WHERE i.kind <> 'removal'
    )
    SELECT id FROM moved`;
  texts.set(count, text);
  return text;
}
