/** A database that is slow: no callback and no response leaves before the change that it tells of is stored. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import { useReceiver } from '../harness/receiver.ts';
import { query } from './harness/databases.ts';
import { postgresIsMissing } from './harness/postgres-binaries.ts';
import { type Replicas, startReplicas } from './harness/replicas.ts';
import { useDatabase } from './harness/use-postgres.ts';

const url = useDatabase();
const receiver = useReceiver();

describe.skipIf(postgresIsMissing)('while the database stores nothing', () => {
  let replicas: Replicas;
  let client: pg.Client;
  beforeAll(async () => {
    replicas = await startReplicas({
      count: 1,
      program: inject('program'),
      postgresUrl: url(),
      args: ['--clock', 'frozen'],
    });
    client = new pg.Client({ connectionString: url() });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await replicas?.stop();
  });
  const api = (path: string, ids: readonly string[]) =>
    ask(`${replicas.all[0]?.url}${path}`, 'POST', { jobs: ids.map((id) => ({ id })) });
  const control = (method: string, path: string, body?: unknown) =>
    ask(`${replicas.all[0]?.url}/_sandbox${path}`, method, body);

  /** Locks the log of changes, does something, and waits until a change waits for the lock. Then gives the server time. */
  async function whileLocked<Result>(act: () => Promise<Result>, check: () => void): Promise<Result> {
    await client.query('BEGIN; LOCK TABLE field_sandbox.project_log IN SHARE MODE');
    const done: string[] = [];
    const acting = act().finally(() => done.push('done'));
    try {
      while (!(await isWaiting()));
      for (let n = 0; n < 10; n += 1) expect((await control('GET', '/health')).status).toBe(200);
      expect(done).toEqual([]);
      check();
    } finally {
      await client.query('COMMIT');
    }
    return acting;
  }

  const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'field_sandbox.project_log'::regclass";
  const isWaiting = async (): Promise<boolean> => (await query(url(), waiting)).length > 0;

  test('a response waits', async () => {
    await api('/sync/projects/p/jobs/batch', ['FIRST']);
    const { status } = await whileLocked(
      () => api('/sync/projects/p/jobs/batch', ['A']),
      () => undefined,
    );
    expect(status).toBe(200);
  });

  test('callbacks wait, and arrive in their order', async () => {
    await control('PUT', '/projects/p/callback-endpoint', { url: receiver.url() });
    for (const id of ['FAIL-1', 'FAIL-2']) expect((await api('/async/projects/p/jobs', [id])).status).toBe(202);
    const { body } = await whileLocked(
      () => control('POST', '/projects/p/clock/advance', { until: 'idle' }),
      () => expect(receiver.received).toEqual([]),
    );
    expect(body).toMatchObject({ processed: 2, delivered: 2 });
    const sent = receiver.received.map((one) => JSON.parse(one.body).data.failed[0].id);
    expect(sent).toEqual(['FAIL-1', 'FAIL-2']);
  });
});
