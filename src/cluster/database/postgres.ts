/** Implements the replicas' database with PostgreSQL. */
import type { WallClock } from '../../lib/time.ts';
import type { Claim, ClusterDatabase, LogLine, Place, ProjectWrite } from './cluster-database.ts';
import { type Connection, connect, type Row } from './connection.ts';
import type { DatabaseNotices } from './patience.ts';
import { withTextIds } from './text-ids.ts';

/** Version of the lines in the log. Neighbouring versions read each other's. */
const format = 1;

/** Opens the database at a URL `postgres://…`. @throws StoreUnavailable, or the refusal of the server */
export async function openPostgres(
  url: string,
  wall: WallClock,
  notices: DatabaseNotices = {},
): Promise<ClusterDatabase> {
  return withTextIds(createStatements(await connect(url, wall, notices)));
}

function createStatements(connection: Connection): ClusterDatabase {
  const run = (name: string, text: string, ...values: readonly unknown[]): Promise<readonly Row[]> =>
    connection.query({ name, text, values });
  const toMs = (seconds: unknown): number => Math.round(Number(seconds) * 1000);

  return {
    join: async ({ id, url: ownUrl, leaseMs, settings }) => {
      await run(
        'join',
        `INSERT INTO field_sandbox.replica (id, url, renewed_at, expires_at, format, settings_hash)
          VALUES ($1, $2, clock_timestamp(), clock_timestamp() + make_interval(secs => $3), $4, $5)
          ON CONFLICT (id) DO UPDATE SET renewed_at = excluded.renewed_at, expires_at = excluded.expires_at`,
        ...[id, ownUrl, leaseMs / 1000, format, settings],
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
        SELECT id, url, extract(epoch FROM clock_timestamp() - renewed_at) AS silent FROM field_sandbox.replica
          WHERE NOT fenced AND id NOT IN (SELECT id FROM ended) ORDER BY id`,
        leaseMs / 1000,
      );
      return rows.map(({ id, url: at, silent }) => ({ id: String(id), url: String(at), silentMs: toMs(silent) }));
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
    isUnfenced: async (replica) => {
      const text = 'SELECT 1 FROM field_sandbox.replica WHERE id = $1 AND NOT fenced';
      return (await run('unfenced', text, replica)).length > 0;
    },
    leave: async (replica) => {
      await run('leave', 'DELETE FROM field_sandbox.replica WHERE id = $1', replica);
    },
    ...projectStatements(connection),
    ...settingStatements(connection),
    ...journalStatements(connection),
    close: connection.close,
  };
}

/** A replica that may own projects: `r.id` is null otherwise. */
const livingOwner = 'LEFT JOIN field_sandbox.replica r ON r.id = p.owner AND NOT r.fenced';

type ProjectStatements = Pick<
  ClusterDatabase,
  | 'locate'
  | 'claim'
  | 'write'
  | 'findSeq'
  | 'release'
  | 'want'
  | 'listWanted'
  | 'listOrphans'
  | 'hasToken'
  | 'removeAll'
  | 'listProjects'
  | 'listEarlier'
  | 'describe'
>;

function projectStatements({ query }: Connection): ProjectStatements {
  const run = (name: string, text: string, ...values: readonly unknown[]): Promise<readonly Row[]> =>
    query({ name, text, values });

  async function locate(project: string): Promise<Place> {
    const rows = await run(
      'locate',
      `SELECT r.id, r.url FROM field_sandbox.project p ${livingOwner} WHERE p.id = $1`,
      project,
    );
    const [row] = rows;
    if (!row) return { owner: 'none' };
    return row['id'] === null
      ? { owner: 'free' }
      : { owner: 'replica', replica: { id: String(row['id']), url: String(row['url']) } };
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
        RETURNING p.epoch, p.seq, p.ordinal`,
      ...[project, replica],
    );
    const [row] = rows;
    if (row) {
      const lines = await readLog(project);
      const [epoch, seq, ordinal] = ['epoch', 'seq', 'ordinal'].map((name) => Number(row[name]));
      return { owner: 'me', epoch: epoch ?? 0, seq: seq ?? 0, ordinal: ordinal ?? 0, lines };
    }
    const place = await locate(project);
    if (place.owner === 'replica' && place.replica.id !== replica) return { owner: 'other', replica: place.replica };
    const unfenced = await run('unfenced', 'SELECT 1 FROM field_sandbox.replica WHERE id = $1 AND NOT fenced', replica);
    // The project was given up meanwhile, so it can be claimed now.
    return unfenced.length > 0 ? claim(project, replica) : { owner: 'fenced' };
  }

  async function readLog(project: string): Promise<readonly LogLine[]> {
    const rows = await run(
      'log',
      'SELECT whole, body, tokens FROM field_sandbox.project_log WHERE project = $1 ORDER BY seq',
      project,
    );
    return rows.map(({ whole, body, tokens }) => ({
      isWhole: whole === true,
      text: String(body),
      tokens: tokens as readonly string[],
    }));
  }

  async function write(lines: readonly ProjectWrite[]): Promise<ReadonlySet<string>> {
    const rows = await run(
      `write-${lines.length}`,
      toWriteText(lines.length),
      ...lines.flatMap(({ project, epoch, seq, kind, text, tokens, isDue }) => [
        ...[project, epoch, seq, kind, text, tokens, isDue],
      ]),
    );
    const written = new Set(rows.map(({ id }) => String(id)));
    const doubtful = lines.filter(({ project }) => !written.has(project));
    if (doubtful.length === 0) return written;
    // A statement whose connection broke may have been done, and is refused when it is sent again. An earlier one with
    // another text, which was given up, may also have arrived late: then these lines are not written.
    const current = await run(
      'positions',
      `SELECT p.id, p.epoch, p.seq, l.body FROM field_sandbox.project p
        LEFT JOIN field_sandbox.project_log l ON l.project = p.id AND l.seq = p.seq WHERE p.id = ANY($1)`,
      doubtful.map(({ project }) => project),
    );
    const positions = new Map(current.map(({ id, epoch, seq, body }) => [String(id), `${epoch}/${seq}/${body ?? ''}`]));
    for (const { project, epoch, seq, text } of doubtful)
      if (positions.get(project) === `${epoch}/${seq}/${text}`) written.add(project);
    return written;
  }

  return {
    locate,
    claim,
    write,
    findSeq: async (project, epoch) => {
      const text = 'SELECT seq FROM field_sandbox.project WHERE id = $1 AND epoch = $2';
      const [row] = await run('seq', text, project, epoch);
      return row && Number(row['seq']);
    },
    release: async (project, epoch, summary) => {
      await run(
        'release',
        `WITH gone AS (
          DELETE FROM field_sandbox.project p WHERE p.id = $1 AND p.epoch = $2
            AND NOT EXISTS (SELECT 1 FROM field_sandbox.project_log l WHERE l.project = p.id) RETURNING p.id
        )
        UPDATE field_sandbox.project SET owner = NULL, wanted_by = NULL, summary = $3
          WHERE id = $1 AND epoch = $2 AND id NOT IN (SELECT id FROM gone)`,
        ...[project, epoch, summary ?? null],
      );
    },
    want: async (project, replica) => {
      await run('want', 'UPDATE field_sandbox.project SET wanted_by = $2 WHERE id = $1', project, replica);
    },
    listWanted: async (replica) => {
      const text =
        'SELECT id FROM field_sandbox.project WHERE owner = $1 AND wanted_by IS NOT NULL AND wanted_by <> $1 ORDER BY id';
      return (await run('wanted', text, replica)).map(({ id }) => String(id));
    },
    listOrphans: async (max) => {
      const rows = await run(
        'orphans',
        `SELECT p.id FROM field_sandbox.project p ${livingOwner}
          WHERE p.due_at IS NOT NULL AND r.id IS NULL ORDER BY p.due_at LIMIT $1`,
        max,
      );
      return rows.map(({ id }) => String(id));
    },
    hasToken: async (project, token) => {
      const text = 'SELECT 1 FROM field_sandbox.project_log WHERE project = $1 AND $2 = ANY(tokens) LIMIT 1';
      return (await run('token', text, project, token)).length > 0;
    },
    removeAll: async () => {
      const rows = await run(
        'remove-all',
        `DELETE FROM field_sandbox.project p
          RETURNING p.id, EXISTS (SELECT 1 FROM field_sandbox.project_log l WHERE l.project = p.id) AS written`,
      );
      return rows.flatMap(({ id, written }) => (written === true ? String(id) : []));
    },
    listProjects: async (after, max) => {
      const text = 'SELECT id, ordinal FROM field_sandbox.project WHERE ordinal > $1 ORDER BY ordinal LIMIT $2';
      const rows = await run('projects', text, after, max);
      return rows.map(({ id, ordinal }) => ({ id: String(id), ordinal: Number(ordinal) }));
    },
    listEarlier: async (patterns, project) => {
      const rows = await run(
        'earlier',
        `SELECT p.id FROM field_sandbox.project p WHERE p.id LIKE ANY($1)
          AND p.ordinal < (SELECT o.ordinal FROM field_sandbox.project o WHERE o.id = $2)
          AND EXISTS (SELECT 1 FROM field_sandbox.project_log l WHERE l.project = p.id)`,
        ...[patterns, project],
      );
      return rows.map(({ id }) => String(id));
    },
    describe: async (projects) => {
      const rows = await run(
        'describe',
        `SELECT p.id, p.summary, r.id AS owner, r.url FROM field_sandbox.project p ${livingOwner} WHERE p.id = ANY($1)
          AND (r.id IS NOT NULL OR EXISTS (SELECT 1 FROM field_sandbox.project_log l WHERE l.project = p.id))`,
        projects,
      );
      return rows.map(({ id, summary, owner, url }) =>
        owner === null
          ? { id: String(id), owner: undefined, summary: summary === null ? undefined : String(summary) }
          : { id: String(id), owner: { id: String(owner), url: String(url) } },
      );
    },
  };
}

const texts = new Map<number, string>();

/** Returns the statement that writes this number of lines, of projects whose position is the one before. */
function toWriteText(count: number): string {
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

function settingStatements({ query }: Connection): Pick<ClusterDatabase, 'read' | 'store'> {
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

function journalStatements({ query }: Connection): Pick<ClusterDatabase, 'writeJournal' | 'readJournal'> {
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
