/** The statement that writes lines of projects whose position is the one before. */
import type { ProjectWrite } from './cluster-database.ts';
import { toTextId } from './text-ids.ts';

/** Writes lines; a list of values for each of their fields, as `toWriteValues` gives them. */
export const writeLines: string = `WITH input (project, epoch, seq, kind, body, items, newest, oldest, is_due) AS MATERIALIZED (
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[],
        $8::bigint[], $9::boolean[])
    ),
    moved AS (
      UPDATE field_sandbox.project p SET seq = i.seq,
        due_at = CASE WHEN i.is_due THEN coalesce(p.due_at, clock_timestamp()) END,
        ordinal = CASE WHEN i.kind = 'removal' THEN nextval('field_sandbox.ordinals') ELSE p.ordinal END
      FROM input i WHERE p.id = i.project AND p.epoch = i.epoch AND p.seq = i.seq - 1 RETURNING p.id
    ),
    pruned AS (
      DELETE FROM field_sandbox.project_log WHERE ctid = ANY(ARRAY(
        SELECT l.ctid FROM input i JOIN moved m ON m.id = i.project CROSS JOIN LATERAL (
          SELECT ctid FROM field_sandbox.project_log WHERE project = i.project
            AND (i.kind = 'removal' OR whole OR newest IS NULL OR newest < i.oldest)
        ) l WHERE i.kind <> 'changes'))
    ),
    added AS (
      INSERT INTO field_sandbox.project_log (project, seq, epoch, whole, body, items, newest, at)
        SELECT i.project, i.seq, i.epoch, i.kind = 'whole', i.body, i.items, i.newest, clock_timestamp()
          FROM input i JOIN moved m ON m.id = i.project WHERE i.kind <> 'removal'
    )
    SELECT id FROM moved`;

export function toWriteValues(lines: readonly ProjectWrite[]): readonly unknown[] {
  return [
    toTexts(lines.map(({ project }) => toTextId(project))),
    lines.map(({ epoch }) => epoch),
    lines.map(({ seq }) => seq),
    lines.map(({ kind }) => kind),
    toTexts(lines.map(({ text }) => text)),
    toTexts(lines.map(({ items }) => items)),
    lines.map(({ newest }) => newest),
    lines.map(({ oldest }) => oldest),
    lines.map(({ isDue }) => isDue),
  ];
}

/** Number of the type `text` in PostgreSQL. */
const textType = 25;

/**
 * Returns the binary form of `text[]`: its numbers of dimensions and of nulls, its type, its length and first index, then
 * each text after its size. Escaping long texts in a list or in JSON takes longer than all the rest of a write.
 */
function toTexts(texts: readonly string[]): Buffer {
  const head = [1, 0, textType, texts.length, 1];
  const sizes = texts.map((text) => Buffer.byteLength(text));
  const bytes = Buffer.allocUnsafe(4 * (head.length + texts.length) + sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const number of head) at = bytes.writeInt32BE(number, at);
  for (const [index, text] of texts.entries()) {
    at = bytes.writeInt32BE(sizes[index] ?? 0, at);
    at += bytes.write(text, at);
  }
  return bytes;
}
