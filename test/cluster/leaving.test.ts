/** A replica that has left claims nothing any more. */
import { expect, test } from 'vitest';
import type { ClusterDatabase } from '../../src/cluster/database/cluster-database.ts';
import { createPlacement } from '../../src/cluster/placement.ts';
import { ProjectLost } from '../../src/project/persistence/store-errors.ts';

test('a request for a free project is not tried for ever', async () => {
  const database: Pick<ClusterDatabase, 'locate' | 'claim'> = {
    locate: async () => ({ owner: 'free' }),
    claim: async () => ({ owner: 'fenced' }),
  };
  const placement = createPlacement({
    database: database as ClusterDatabase,
    membership: {
      id: () => 'this',
      others: () => [],
      rejoined: async () => undefined,
      verify: async () => undefined,
      onGone: () => () => undefined,
    },
    store: { owns: () => false, admit: async () => undefined, lose: () => undefined },
    loadJournal: async () => undefined,
    dropJournal: () => undefined,
    flushJournals: async () => undefined,
    reportError: (error) => {
      throw error;
    },
  });
  placement.leave();
  await expect(placement.locate('p', false)).rejects.toThrow(ProjectLost);
});
