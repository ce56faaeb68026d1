/** The journal of a project moves with it: after a handover, and after a crash. */
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { runCommand } from '../harness/cli.ts';
import { query } from './harness/databases.ts';
import { postgresIsMissing } from './harness/postgres-binaries.ts';
import { type Replica, startReplicas } from './harness/replicas.ts';
import { useDatabase } from './harness/use-postgres.ts';

const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };

describe.skipIf(postgresIsMissing)('the journal of a project', () => {
  const database = useDatabase();

  async function startTwo() {
    const replicas = await startReplicas({ count: 2, postgresUrl: database(), program: inject('program') });
    onTestFinished(replicas.stop);
    return replicas.all as [Replica, Replica];
  }

  const send = (replica: Replica, path: string, body: object, method = 'POST') =>
    fetch(`${replica.url}${path}`, { method, headers, body: JSON.stringify(body) });
  const read = async (replica: Replica, path: string) => (await fetch(`${replica.url}/_sandbox${path}`)).json();

  /** Makes requests of every kind, and a change of a setting. */
  async function makeHistory(replica: Replica, project: string): Promise<void> {
    await send(replica, `/_sandbox/projects/${project}/clock`, { mode: 'frozen' }, 'PUT');
    await send(replica, `/async/projects/${project}/jobs`, { jobs: [{ id: 'JOB-1' }, { id: 'FAIL-1' }] });
    await send(replica, `/async/projects/${project}/jobs`, { jobs: [{ id: 'JOB-1', status: 'NONE' }] });
    await send(replica, `/_sandbox/projects/${project}/clock/advance`, { by: '10s' });
  }

  const factsOf = async (replica: Replica, project: string) => {
    const { items } = (await read(replica, `/projects/${project}/requests`)) as { items: readonly { id: string }[] };
    const details = await Promise.all(items.map(({ id }) => read(replica, `/projects/${project}/requests/${id}`)));
    const coverage = await read(replica, `/projects/${project}/coverage`);
    return { items, details, coverage, recording: await read(replica, `/projects/${project}/recording`) };
  };

  test('is the same at the replica that takes over when its owner stops', async () => {
    const [first, second] = await startTwo();
    await makeHistory(first, 'moved');
    const before = await factsOf(second, 'moved');
    expect(before.items).toHaveLength(2);
    await first.terminate();
    const after = await factsOf(second, 'moved');
    expect(after).toEqual(before);
    expect(after.recording).toMatchObject({ complete: true });
    await second.restart();
    expect((await runCommand(['logs', '--status', '2xx', '--url', second.url])).out.match(/req_/g)).toHaveLength(2);
  });

  test('survives a crash but for its last second', async () => {
    const [first, second] = await startTwo();
    await makeHistory(first, 'crashed');
    const before = await factsOf(second, 'crashed');
    await expect
      .poll(async () => (await rowsOf('crashed')).length, { timeout: 5000 })
      .toBe((before.recording as { changes: unknown[] }).changes.length - 1);
    await first.kill();
    expect((await factsOf(second, 'crashed')).recording).toEqual(before.recording);
  });

  test('ends with a reset', async () => {
    const [first, second] = await startTwo();
    await makeHistory(first, 'reset');
    await send(second, '/_sandbox/projects/reset/reset', {});
    expect((await factsOf(second, 'reset')).items).toEqual([]);
    await makeHistory(second, 'reset');
    await first.terminate();
    await second.terminate();
    expect(await rowsOf('reset')).toHaveLength(4);
  });

  test('needs no lines of its own while requests go on', async () => {
    const [first] = await startTwo();
    const count = 30;
    for (let n = 0; n < count; n += 1) await send(first, '/sync/projects/busy/jobs', { id: `JOB-${n}` });
    await expect.poll(async () => (await rowsOf('busy')).length, { timeout: 5000 }).toBe(count);
    // The items of a request go with the next one, but where a pause was long.
    const lines = await query(database(), "SELECT 1 FROM field_sandbox.project_log WHERE project = 'busy'");
    expect(lines.length).toBeLessThan(1.5 * count);
  });

  async function rowsOf(project: string) {
    const items = `SELECT DISTINCT (item::json ->> 'number')::bigint FROM field_sandbox.project_log,
      regexp_split_to_table(trim(trailing chr(10) FROM items), chr(10)) AS item WHERE project = $1 AND items <> ''`;
    return query(database(), items, [project]);
  }
});
