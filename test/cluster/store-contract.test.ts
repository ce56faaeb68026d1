/** The store of projects in PostgreSQL: what it must do as every other store does. */
import { describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/cluster/database/postgres.ts';
import { createWallClock } from '../../src/lib/time.ts';
import { createOwnedPlace } from '../project/persistence/contract/owned-place.ts';
import { describeProjectStore } from '../project/persistence/contract/store-contract.ts';
import { query } from './harness/databases.ts';
import { postgresIsMissing } from './harness/postgres-binaries.ts';
import { useDatabase } from './harness/use-postgres.ts';

describe.skipIf(postgresIsMissing)('PostgreSQL', () => {
  const url = useDatabase();
  describeProjectStore('PostgreSQL', true, async () => {
    const database = await openPostgres(url(), createWallClock());
    // All tests use the same projects.
    await database.removeAll();
    return {
      ...createOwnedPlace(database),
      damage: async (project) => {
        const text = "UPDATE field_sandbox.project_log SET body = '{' || chr(10) WHERE project = $1";
        await query(url(), text, [project]);
      },
    };
  });

  test('a project whose first lines are gone is refused, and not empty', async () => {
    const database = await openPostgres(url(), createWallClock());
    const replica = 'r'.repeat(8);
    await database.removeAll();
    await query(
      url(),
      `INSERT INTO field_sandbox.replica (id, url, renewed_at, expires_at, settings_hash)
        VALUES ($1, 'http://r', now(), now() + interval '1 hour', '') ON CONFLICT DO NOTHING`,
      [replica],
    );
    const claim = await database.claim('p', replica);
    if (claim.owner !== 'me') throw new Error('not claimed');
    const text = '{"set":{}}\n';
    const line = { project: 'p', epoch: claim.epoch, text, items: '', newest: null, oldest: 0, isDue: false };
    await database.write([{ ...line, seq: claim.seq + 1, kind: 'whole' }]);
    await database.write([{ ...line, seq: claim.seq + 2, kind: 'changes' }]);
    await query(url(), 'DELETE FROM field_sandbox.project_log WHERE whole');
    expect(await database.claim('p', replica)).toMatchObject({ lines: [text] });
    await database.close();
  });
});
