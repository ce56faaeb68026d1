/** Changes that concern all projects, at any replica. */
import { describe, expect, test } from 'vitest';
import { query } from '../harness/databases.ts';
import { postgresIsMissing } from '../harness/postgres-binaries.ts';
import { useDatabase } from '../harness/use-postgres.ts';
import { importDone, importJobs, startThree as startReplicas, type TestReplica, useReplicas } from './replicas.ts';

const broken = {
  name: 'all-broken',
  rules: [{ when: { operation: 'asyncImportJobs' }, then: { respond: { status: 503 } } }],
};

describe.skipIf(postgresIsMissing)('changes of all', () => {
  const database = useDatabase();
  const start = useReplicas(database);
  const startThree = (options = {}) => startReplicas(start, options);

  test('a reset removes the projects of all replicas, and server scenarios', async () => {
    const [one, two, three] = await startThree();
    await importDone(one, 'first', 'J-1');
    await importDone(two, 'second', 'J-2');
    await three.control('PUT', '/projects/third/clock', { mode: 'frozen' });
    await importJobs(three, 'third', 'J-3');
    await one.control('PUT', '/server-scenarios', { scenarios: [broken] });
    const { body, status } = await two.control('POST', '/reset');
    expect(status).toBe(200);
    expect(body.projects).toBe(3);
    expect(body.cancelled.instructions).toBe(1);
    for (const replica of [one, two, three]) {
      expect((await replica.control('GET', '/projects')).body.items).toEqual([]);
      expect((await replica.control('GET', '/projects/second/jobs')).body.items).toEqual([]);
      expect((await replica.control('GET', '/server-scenarios')).body.scenarios).toEqual([]);
    }
    expect(await query(database(), 'SELECT project FROM field_sandbox.project_log')).toEqual([]);
    expect((await importJobs(three, 'second', 'J-4')).status).toBe(202);
  });

  test('writes during a reset are refused or belong to a new project, so that memory and database agree', async () => {
    const [one, two, three] = await startThree();
    await one.control('PUT', '/projects/busy/clock', { mode: 'frozen' });
    const writing = Array.from({ length: 30 }, (_, index) =>
      importJobs([one, two, three][index % 3] as TestReplica, 'busy', `J-${index}`),
    );
    const reset = two.control('POST', '/reset');
    const statuses = (await Promise.all(writing)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([202]));
    expect((await reset).status).toBe(200);
    const shown = await Promise.all(
      [one, two, three].map(async (replica) => (await replica.control('GET', '/projects')).body.items.length),
    );
    expect(new Set(shown).size).toBe(1);
    const [row] = await query(
      database(),
      'SELECT count(DISTINCT project)::int AS count FROM field_sandbox.project_log',
    );
    expect(row).toEqual({ count: shown[0] });
  });

  test('server scenarios and the library are those of all at a replica that joins', async () => {
    const one = await start();
    const scenario = { scenarios: [broken] };
    expect((await one.control('PUT', '/server-scenarios', scenario)).status).toBe(200);
    expect((await one.control('PUT', '/scenarios/all-broken', broken)).status).toBe(200);
    const two = await start();
    expect((await importJobs(two, 'new', 'J-1')).status).toBe(503);
    expect((await two.control('GET', '/server-scenarios')).body.scenarios).toEqual(['all-broken']);
    expect((await two.control('GET', '/scenarios/all-broken')).body).toMatchObject({ source: 'control', rules: 1 });
    expect((await two.control('PUT', '/server-scenarios', { scenarios: [] })).status).toBe(200);
    expect((await importJobs(one, 'new', 'J-1')).status).toBe(202);
    expect((await two.control('DELETE', '/scenarios/all-broken')).status).toBe(204);
    expect((await one.control('GET', '/scenarios/all-broken')).status).toBe(404);
  });

  test('a fork is refused if its project has no owner, and one that fails leaves nothing behind', async () => {
    const [one, two, three] = await startThree();
    await importDone(one, 'original', 'J-1');
    await importDone(three, 'kept', 'J-1');
    await three.close();
    const fork = async (replica: TestReplica, more: object) =>
      (await replica.control('POST', '/projects/original/fork', more)).status;
    expect(await fork(two, { to: 'kept' })).toBe(409);
    expect((await two.control('GET', '/projects/kept/jobs')).body.items).toHaveLength(1);
    expect(await fork(one, { to: 'late', atChange: 99 })).toBe(400);
    await expect.poll(() => query(database(), "SELECT id FROM field_sandbox.project WHERE id = 'late'")).toEqual([]);
  });

  test('the projects of a key are counted at all replicas', async () => {
    const replicas = await startThree({ adminToken: 'secret' });
    const asAdmin = { authorization: 'Bearer secret' };
    const [one] = replicas;
    const limits = { projects: 4 };
    const { body } = await one.control('POST', '/keys', { projects: ['acme-*', 'exact'], limits }, asAdmin);
    const asKey = { apikey: body.key as string };
    const create = async (index: number, project: string): Promise<number> => {
      const jobs = [{ id: 'J-1' }];
      const replica = replicas[index % 3] as TestReplica;
      return (await replica.api('POST', `/async/projects/${project}/jobs`, { jobs }, asKey)).status;
    };
    for (let index = 0; index < 4; index += 1) expect(await create(index, `acme-${index}`)).toBe(202);
    for (let index = 0; index < 3; index += 1) {
      expect(await create(index, `acme-more-${index}`)).toBe(507);
      expect(await create(index, 'exact')).toBe(202);
      expect(await create(index, 'acme-0')).toBe(202);
    }
    const clock = await replicas[2].control('PUT', '/projects/acme-x/clock', { mode: 'frozen' }, asKey);
    expect(clock.status).toBe(507);
    const fork = await replicas[1].control('POST', '/projects/acme-1/fork', { to: 'acme-y' }, asKey);
    expect(fork.status).toBe(507);
    await replicas[2].control('POST', '/projects/acme-1/reset', undefined, asKey);
    await expect.poll(() => create(0, 'acme-new')).toBe(202);
  });
});
