/** A replica that stops still answers until load balancers have noticed, and one that has left claims nothing any more. */
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { ClusterDatabase } from '../../src/cluster/database/cluster-database.ts';
import { createPlacement } from '../../src/cluster/placement.ts';
import { ProjectLost } from '../../src/project/persistence/store-errors.ts';
import { postgresIsMissing } from './harness/postgres-binaries.ts';
import { type Replica, startReplicas } from './harness/replicas.ts';
import { useDatabase } from './harness/use-postgres.ts';

describe.skipIf(postgresIsMissing)('a replica that stops', () => {
  const database = useDatabase();

  test('accepts connections after it is not ready', async () => {
    const replicas = await startReplicas({ count: 2, postgresUrl: database(), program: inject('program') });
    onTestFinished(replicas.stop);
    const [stopping, other] = replicas.all as [Replica, Replica];
    const create = (to: Replica, id: string): Promise<Response> =>
      fetch(`${to.url}/sync/projects/stopping/jobs`, {
        method: 'POST',
        // Each request has a connection of its own.
        headers: { apikey: 'sandbox-key', 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify({ id, status: 'PENDING', address: { locality: 'Brisbane' } }),
      });
    expect((await create(stopping, 'JOB-1')).status).toBe(201);
    const ended = stopping.terminate();
    await expect.poll(async () => (await fetch(`${stopping.url}/_sandbox/ready`)).status).toBe(503);
    expect((await create(stopping, 'JOB-2')).status).toBe(201);
    expect(await ended).toBe(0);
    expect((await create(other, 'JOB-2')).status).toBe(409);
  });
});

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
