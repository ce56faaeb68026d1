/** Creates the tables of the replicas, and migrates those of older versions. */
import type { ClientBase } from 'pg';

/** Every statement may run again, because a later version runs those of all versions. */
const statements = [
  // A database whose encoding lacks characters refuses it now, and not one day the change of a project.
  "SELECT '\u{10ffff}'",
  'CREATE SCHEMA IF NOT EXISTS field_sandbox',
  'SET LOCAL search_path TO field_sandbox',
  'CREATE SEQUENCE IF NOT EXISTS ordinals',
  // Epochs are unique over all projects, so that a project that was removed and created again has a new one.
  'CREATE SEQUENCE IF NOT EXISTS epochs',
  `CREATE TABLE IF NOT EXISTS replica (
    id text PRIMARY KEY,
    url text NOT NULL,
    renewed_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    fenced boolean NOT NULL DEFAULT false,
    settings_hash text NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS project (
    id text COLLATE "C" PRIMARY KEY,
    ordinal bigint NOT NULL,
    owner text,
    epoch bigint NOT NULL,
    seq bigint NOT NULL,
    due_at timestamptz,
    wanted_by text,
    summary text
  )`,
  // No index has a column that ordinary writes change, so that they stay within the page of the row.
  'ALTER TABLE project SET (fillfactor = 70)',
  'CREATE INDEX IF NOT EXISTS project_owner ON project (owner)',
  'CREATE INDEX IF NOT EXISTS project_ordinal ON project (ordinal)',
  'CREATE INDEX IF NOT EXISTS project_due ON project (owner) WHERE due_at IS NOT NULL',
  'CREATE INDEX IF NOT EXISTS project_wanted ON project (owner) WHERE wanted_by IS NOT NULL',
  `CREATE TABLE IF NOT EXISTS project_log (
    project text COLLATE "C" NOT NULL REFERENCES project ON DELETE CASCADE,
    seq bigint NOT NULL,
    epoch bigint NOT NULL,
    whole boolean NOT NULL,
    body text NOT NULL,
    items text NOT NULL,
    newest bigint,
    at timestamptz NOT NULL,
    PRIMARY KEY (project, seq)
  )`,
  // A server without lz4 compresses in another way.
  `DO $$ BEGIN
    EXECUTE 'ALTER TABLE project_log ALTER COLUMN body SET COMPRESSION lz4, ALTER COLUMN items SET COMPRESSION lz4';
  EXCEPTION WHEN OTHERS THEN NULL;
  END $$`,
  'CREATE TABLE IF NOT EXISTS cluster (key text PRIMARY KEY, version bigint NOT NULL, value text NOT NULL)',
] as const;

/** Number of the lock under which replicas migrate one after another. */
const lockNumber = 4_600_019;

export async function migrate(client: ClientBase): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
    for (const statement of statements) await client.query(statement);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
