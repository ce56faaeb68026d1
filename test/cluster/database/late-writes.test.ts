/** Lines that are written twice, and lines that arrive after their writer has given them up. */
import { describe, expect, test } from 'vitest';
import type { ProjectWrite } from '../../../src/cluster/database/cluster-database.ts';
import { openPostgres } from '../../../src/cluster/database/postgres.ts';
import { noItems } from '../../../src/cluster/store/owned-project.ts';
import { createWallClock } from '../../../src/lib/time.ts';
import { postgresIsMissing } from '../harness/postgres-binaries.ts';
import { useDatabase } from '../harness/use-postgres.ts';

const url = useDatabase();

describe.skipIf(postgresIsMissing)('a line with a number that is taken', () => {
  test('is written if it is the same line, and is lost if an earlier one arrived late', async () => {
    const database = await openPostgres(url(), createWallClock());
    await database.join({ id: 'r', url: 'http://r', leaseMs: 60_000, settings: '' });
    const claim = await database.claim('p', 'r');
    const epoch = claim.owner === 'me' ? claim.epoch : 0;
    const line = (change: Partial<ProjectWrite>): ProjectWrite => ({
      ...{ project: 'p', epoch, seq: 1, kind: 'whole', text: 'first', isDue: false, ...noItems },
      ...change,
    });
    const isWritten = async (change: Partial<ProjectWrite>) =>
      (await database.write([line(change)])).get('p') === 'written';
    expect(await isWritten({})).toBe(true);
    expect(await isWritten({})).toBe(true);
    expect(await isWritten({ text: 'second' })).toBe(false);
    expect(await isWritten({ kind: 'removal', text: '' })).toBe(false);
    expect(await isWritten({ seq: 2, kind: 'removal', text: '' })).toBe(true);
    expect(await isWritten({ seq: 2, kind: 'removal', text: '' })).toBe(true);
    expect(await isWritten({ seq: 2, text: 'third' })).toBe(false);
    await database.close();
  });
});
