/** The statements about projects: who owns them, and their logs. */
import type { Claim, Place, ProjectTables, ProjectWrite, StoredLog, WriteResult } from './cluster-database.ts';
import type { Connection, Row } from './connection.ts';
import { fromTextId, toTextId, toTextPattern } from './text-ids.ts';
import { toWriteValues, writeLines } from './write-text.ts';

/** A replica that may own projects: `r.id` is null otherwise. */
const livingOwner = 'LEFT JOIN field_sandbox.replica r ON r.id = p.owner AND NOT r.fenced';

const isWritten = 'EXISTS (SELECT 1 FROM field_sandbox.project_log l WHERE l.project = p.id)';

const toProject = ({ id }: Row): string => fromTextId(String(id));

export async function isUnfenced({ run }: Connection, replica: string): Promise<boolean> {
  return (
    (await run('unfenced', 'SELECT 1 FROM field_sandbox.replica WHERE id = $1 AND NOT fenced', replica)).length > 0
  );
}

export function projectStatements(connection: Connection): ProjectTables {
  const { run } = connection;

  async function locate(project: string): Promise<Place | undefined> {
    const [row] = await run(
      'locate',
      `SELECT r.id, r.url, p.epoch, p.seq, ${isWritten} AS written
        FROM field_sandbox.project p ${livingOwner} WHERE p.id = $1`,
      toTextId(project),
    );
    if (!row) return undefined;
    const replica = row['id'] === null ? undefined : { id: String(row['id']), url: String(row['url']) };
    return { replica, epoch: Number(row['epoch']), seq: Number(row['seq']), isWritten: row['written'] === true };
  }

  async function claim(project: string, replica: string): Promise<Claim> {
    const rows = await run(
      'claim',
      `INSERT INTO field_sandbox.project AS p (id, ordinal, owner, epoch, seq)
        SELECT $1, nextval('field_sandbox.ordinals'), r.id, nextval('field_sandbox.epochs'), 0
          FROM field_sandbox.replica r WHERE r.id = $2 AND NOT r.fenced FOR SHARE
        ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, epoch = excluded.epoch, wanted_by = NULL,
            summary = NULL
          WHERE p.owner IS NULL OR p.owner = excluded.owner
            OR NOT EXISTS (SELECT 1 FROM field_sandbox.replica o WHERE o.id = p.owner AND NOT o.fenced)
        RETURNING p.epoch, p.seq`,
      ...[toTextId(project), replica],
    );
    const [row] = rows;
    if (row) {
      const log = await readLog(project);
      return { owner: 'me', epoch: Number(row['epoch']), seq: Number(row['seq']), ...log };
    }
    const { replica: owner, epoch = 0 } = (await locate(project)) ?? {};
    if (owner && owner.id !== replica) return { owner: 'other', replica: owner, epoch };
    // The project was given up meanwhile, so it can be claimed now.
    return (await isUnfenced(connection, replica)) ? claim(project, replica) : { owner: 'fenced' };
  }

  /** Without a whole project, all lines are returned, which are damage then. */
  async function readLog(project: string): Promise<StoredLog> {
    const rows = await run(
      'log',
      `SELECT items, CASE WHEN seq >= coalesce(max(seq) FILTER (WHERE whole) OVER (), 0) THEN body END AS body
        FROM field_sandbox.project_log WHERE project = $1 ORDER BY seq`,
      toTextId(project),
    );
    return {
      lines: rows.flatMap(({ body }) => (body === null ? [] : String(body))),
      items: rows.flatMap(({ items }) => (items === '' ? [] : String(items))),
    };
  }

  async function write(lines: readonly ProjectWrite[]): Promise<ReadonlyMap<string, WriteResult>> {
    let attempts = 0;
    const onAttempt = (): void => {
      attempts += 1;
    };
    const rows = await connection.runNoting(onAttempt, 'write', writeLines, ...toWriteValues(lines));
    const results = new Map<string, WriteResult>(rows.map((row) => [toProject(row), 'written']));
    const doubtful = lines.filter(({ project }) => !results.has(project));
    if (doubtful.length === 0) return results;
    // A statement whose connection broke may have been done, and is refused when it is sent again. An earlier one with
    // another text, which was given up, may also have arrived late: then these lines are not written.
    const current = await run(
      'positions',
      `SELECT p.id, p.epoch, p.seq, l.body FROM field_sandbox.project p
        LEFT JOIN field_sandbox.project_log l ON l.project = p.id AND l.seq = p.seq WHERE p.id = ANY($1)`,
      doubtful.map(({ project }) => toTextId(project)),
    );
    const positions = new Map(
      current.map((row) => [toProject(row), `${row['epoch']}/${row['seq']}/${row['body'] ?? ''}`]),
    );
    for (const { project, epoch, seq, text } of doubtful) {
      const isThere = positions.get(project) === `${epoch}/${seq}/${text}`;
      // The next owner may have written all anew since an earlier attempt.
      results.set(project, isThere ? 'written' : attempts > 1 ? 'unknown' : 'lost');
    }
    return results;
  }

  return {
    locate,
    claim,
    write,
    release: async (project, epoch, summary) => {
      await run(
        'release',
        `WITH gone AS (
          DELETE FROM field_sandbox.project p WHERE p.id = $1 AND p.epoch = $2
            AND NOT ${isWritten} RETURNING p.id
        )
        UPDATE field_sandbox.project
          SET owner = NULL, epoch = nextval('field_sandbox.epochs'), wanted_by = NULL, summary = $3
          WHERE id = $1 AND epoch = $2 AND id NOT IN (SELECT id FROM gone)`,
        ...[toTextId(project), epoch, summary ?? null],
      );
    },
    want: async (project, replica) => {
      await run('want', 'UPDATE field_sandbox.project SET wanted_by = $2 WHERE id = $1', toTextId(project), replica);
    },
    listWanted: async (replica) => {
      const text =
        'SELECT id FROM field_sandbox.project WHERE owner = $1 AND wanted_by IS NOT NULL AND wanted_by <> $1 ORDER BY id';
      return (await run('wanted', text, replica)).map(toProject);
    },
    listOrphans: async (max) => {
      const rows = await run(
        'orphans',
        `SELECT p.id FROM field_sandbox.project p ${livingOwner}
          WHERE p.due_at IS NOT NULL AND r.id IS NULL ORDER BY p.due_at LIMIT $1`,
        max,
      );
      return rows.map(toProject);
    },
    removeAll: async () => {
      const rows = await run(
        'remove-all',
        `DELETE FROM field_sandbox.project p RETURNING p.id, ${isWritten} AS written`,
      );
      return rows.flatMap((row) => (row['written'] === true ? toProject(row) : []));
    },
    listProjects: async (after, max) => {
      const rows = await run(
        'projects',
        `SELECT p.id, p.ordinal, p.summary FROM field_sandbox.project p WHERE p.ordinal > $1 AND ${isWritten}
          ORDER BY p.ordinal LIMIT $2`,
        ...[after, max],
      );
      return rows.map((row) => ({
        id: toProject(row),
        ordinal: Number(row['ordinal']),
        summary: row['summary'] === null ? undefined : String(row['summary']),
      }));
    },
    listEarlier: async (globs, project) => {
      const rows = await run(
        'earlier',
        `SELECT p.id FROM field_sandbox.project p WHERE p.id LIKE ANY($1)
          AND p.ordinal < (SELECT o.ordinal FROM field_sandbox.project o WHERE o.id = $2)
          AND ${isWritten}`,
        ...[globs.map(toTextPattern), toTextId(project)],
      );
      return rows.map(toProject);
    },
  };
}
