/** Lists of all projects and all requests, at any replica. */
import { describe, expect, test, vi } from 'vitest';
import { query } from '../harness/databases.ts';
import { postgresIsMissing } from '../harness/postgres-binaries.ts';
import { useDatabase } from '../harness/use-postgres.ts';
import { importDone, importJobs, startThree as startReplicas, type TestReplica, useReplicas } from './replicas.ts';

describe.skipIf(postgresIsMissing)('lists', () => {
  const database = useDatabase();
  const start = useReplicas(database);

  const startThree = (options = {}) => startReplicas(start, options);

  const idsOf = (body: { items: { id: string }[] }): string[] => body.items.map(({ id }) => id);

  test('every replica lists the projects of all in order of creation, in pages', async () => {
    const replicas = await startThree();
    const names = ['delta', 'alpha', 'echo', 'bravo', 'charlie'];
    for (const [index, name] of names.entries()) await importDone(replicas[index % 3] as TestReplica, name, 'J-1');
    for (const replica of replicas) {
      expect(idsOf((await replica.control('GET', '/projects')).body)).toEqual(names);
      const first = await replica.control('GET', '/projects?limit=2');
      const second = await replica.control('GET', `/projects?limit=2&cursor=${first.body.next}`);
      const third = await replica.control('GET', `/projects?limit=2&cursor=${second.body.next}`);
      expect([first, second, third].map(({ body }) => idsOf(body))).toEqual([
        ['delta', 'alpha'],
        ['echo', 'bravo'],
        ['charlie'],
      ]);
      expect(third.body.next).toBeUndefined();
    }
    const { body } = await replicas[1].control('GET', '/projects');
    const shown = await replicas[0].control('GET', '/projects/echo');
    expect(body.items[2]).toEqual({ ...shown.body, clock: body.items[2].clock });
    expect(body.items[2].counts).toMatchObject({ jobs: 1, requests: 1 });
    expect((await replicas[0].control('GET', '/projects?cursor=x')).status).toBe(400);
  });

  test('a key sees its own projects only', async () => {
    const options = { adminToken: 'secret', apiKeys: ['sandbox-key', 'acme-key=acme'] };
    const [one, two] = await startThree(options);
    for (const name of ['acme', 'foreign', 'other']) await importJobs(one, name, 'J-1');
    const asKey = { apikey: 'acme-key' };
    expect(idsOf((await two.control('GET', '/projects?limit=1', undefined, asKey)).body)).toEqual(['acme']);
    expect((await two.control('GET', '/projects', undefined, { apikey: '' })).status).toBe(401);
    const { body } = await two.control('GET', '/requests', undefined, asKey);
    expect(body.items.map(({ project }: { project: string }) => project)).toEqual(['acme']);
  });

  test('every replica adds up the problems of all', async () => {
    const options = { adminToken: 'secret', apiKeys: ['sandbox-key', 'acme-key=acme'] };
    const [one, two, three] = await startThree(options);
    const order = (replica: TestReplica, project: string, ...ids: readonly string[]) =>
      replica.api('POST', `/sync/projects/${project}/orders`, { orders: ids.map((id) => ({ id })) });
    for (const _time of [1, 2]) {
      await order(one, 'acme', 'ORDER-1');
      await order(two, 'other', 'ORDER-1', 'ORDER-12');
    }
    const problems = async (headers: Record<string, string>) =>
      (await three.control('GET', '/requests?view=problems&groups=true', undefined, headers)).body.items;
    expect(await problems({ authorization: 'Bearer secret' })).toMatchObject([
      { kind: 'duplicate', count: 3, requests: 2, latest: { project: 'other' } },
    ]);
    expect(await problems({ apikey: 'acme-key' })).toMatchObject([
      { count: 1, requests: 1, latest: { project: 'acme' } },
    ]);
    // Only problems have groups.
    expect((await three.control('GET', '/requests?groups=true', undefined, { apikey: 'acme-key' })).status).toBe(400);
  });

  test('every replica adds up how often the scenarios of all projects fired', async () => {
    const [one, two, three] = await startThree();
    const scenario = { name: 'down', rules: [{ when: { operation: 'async*' }, then: { respond: { status: 503 } } }] };
    expect((await one.control('PUT', '/server-scenarios', { scenarios: [scenario] })).status).toBe(200);
    await importJobs(one, 'a', 'J-1');
    for (const name of ['b', 'c']) await importJobs(two, name, 'J-1');
    const rows = await Promise.all(
      [one, two, three].map(async (replica) => (await replica.control('GET', '/scenarios?view=rows&limit=1')).body),
    );
    expect(rows[0]).toMatchObject({ items: [{ name: 'down', fired: 3 }] });
    expect(rows[0].next).toBeDefined();
    expect(rows.map(({ items }) => items)).toEqual(rows.map(() => rows[0].items));
  });

  test('a project that was given up is listed from its summary', async () => {
    const [one, two, three] = await startThree();
    await importDone(one, 'kept', 'J-1', 'J-2');
    const before = (await one.control('GET', '/projects/kept')).body;
    await one.close();
    const { body } = await two.control('GET', '/projects');
    expect(body.items).toEqual([before]);
    const [row] = await query(database(), 'SELECT owner FROM field_sandbox.project');
    expect(row).toEqual({ owner: null });
    expect((await two.control('GET', '/projects/kept')).body.counts.jobs).toBe(2);
    const after = (await three.control('GET', '/projects/kept')).body;
    expect(body.items[0].usage).toEqual(after.usage);
  });

  test('a project whose owner has ended without giving it up is loaded', async () => {
    const [one, two] = await startThree();
    await importDone(one, 'orphan', 'J-1');
    await one.close();
    await query(database(), 'UPDATE field_sandbox.project SET summary = NULL');
    const { body } = await two.control('GET', '/projects');
    expect(body.items).toMatchObject([{ id: 'orphan', counts: { jobs: 1 } }]);
  });

  test('ten thousand projects are listed page by page and searched, without being loaded', async () => {
    const [one, two] = await startThree();
    await importDone(one, 'first', 'J-1');
    await one.close();
    await query(
      database(),
      `INSERT INTO field_sandbox.project (id, ordinal, epoch, seq, summary)
        SELECT 'many-' || n, nextval('field_sandbox.ordinals'), nextval('field_sandbox.epochs'), 1, summary
          FROM generate_series(1, 10000) n, field_sandbox.project WHERE id = 'first'`,
    );
    await query(
      database(),
      `INSERT INTO field_sandbox.project_log (project, seq, epoch, whole, body, items, at)
        SELECT id, 1, epoch, true, '', '', now() FROM field_sandbox.project WHERE id LIKE 'many-%'`,
    );
    let count = 0;
    let next = '';
    do {
      const { body } = await two.control('GET', `/projects?limit=1000${next}`);
      count += body.items.length;
      next = body.next === undefined ? '' : `&cursor=${body.next}`;
    } while (next !== '');
    expect(count).toBe(10_001);
    const find = async (text: string) => idsOf((await two.control('GET', `/search?q=${text}`)).body);
    expect(await find('any-10000')).toEqual(['many-10000']);
    // As another server leaves it while it looks whether the project exists.
    await query(database(), "DELETE FROM field_sandbox.project_log WHERE project = 'many-10000'");
    expect(await find('any-10000')).toEqual([]);
    expect(two.sandbox.projects.list()).toEqual([]);
  });

  test('requests of all replicas are listed in order of time, in pages, without a repetition', async () => {
    const replicas = await startThree();
    for (const [index, path] of ['/a', '/b', '/c', '/d', '/e'].entries()) {
      await (replicas[index % 3] as TestReplica).api('GET', path);
      // Requests of one millisecond at several replicas have no order.
      const answered = Date.now();
      await vi.waitUntil(() => Date.now() > answered, { interval: 1 });
    }
    await importJobs(replicas[2], 'last', 'J-1');
    const pathsOf = (body: { items: { path: string }[] }): string[] => body.items.map(({ path }) => path);
    const expected = ['/a', '/b', '/c', '/d', '/e', '/async/projects/last/jobs'];
    for (const replica of replicas) {
      const all = await replica.control('GET', '/requests');
      expect(pathsOf(all.body)).toEqual(expected);
      expect(new Set(idsOf(all.body)).size).toBe(expected.length);
      const paged: string[] = [];
      let next = '';
      do {
        const page = await replica.control('GET', `/requests?limit=2${next}`);
        paged.push(...pathsOf(page.body));
        next = page.body.next === undefined ? '' : `&cursor=${encodeURIComponent(page.body.next)}`;
      } while (next !== '');
      expect(paged).toEqual(expected);
      const third = all.body.items[2];
      const since = await replica.control('GET', `/requests?since=${third.id}`);
      expect(pathsOf(since.body)).toEqual(expected.slice(3));
      expect((await replica.control('GET', '/requests?status=2xx')).body.items).toHaveLength(1);
      expect((await replica.control('GET', `/requests/${third.id}`)).body.path).toBe('/c');
      expect((await replica.control('GET', '/requests/req_none')).status).toBe(404);
      expect((await replica.control('GET', '/requests?since=req_none')).status).toBe(400);
      expect((await replica.control('GET', '/requests?cursor=x')).status).toBe(400);
    }
  });

  test('rows of all replicas are sorted, newest first among equal ones, in pages, with counts of all', async () => {
    const replicas = await startThree();
    for (const [index, project] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
      const replica = replicas[index % 3] as TestReplica;
      if ('be'.includes(project)) await replica.api('GET', `/projects/${project}/nowhere`);
      else await importJobs(replica, project, project === 'd' ? 'FAIL-1' : 'J-1');
      const answered = Date.now();
      await vi.waitUntil(() => Date.now() > answered, { interval: 1 });
    }
    for (const replica of replicas) {
      const list = async (query: string) =>
        (await replica.control('GET', `/requests?view=rows&order=newest${query}`)).body;
      const pagesOf = async (query: string): Promise<string[]> => {
        const pages: string[] = [];
        let next = '';
        do {
          const body = await list(`${query}&limit=2${next}`);
          pages.push(body.items.map(({ project }: { project: string }) => project).join(' '));
          next = body.next === undefined ? '' : `&cursor=${encodeURIComponent(body.next)}`;
        } while (next !== '');
        return pages;
      };
      expect(await pagesOf('')).toEqual(['f e', 'd c', 'b a']);
      expect(await pagesOf('&sort=-status')).toEqual(['e b', 'f d', 'c a']);
      expect(await pagesOf('&entity=FAIL-1')).toEqual(['d']);
      const { counts, items } = await list('&counts=true&status=2xx');
      expect(counts).toMatchObject({ total: 4, operation: { asyncImportJobs: 4 }, scenario: { 'magic-ids': 1 } });
      expect(items[0]).toMatchObject({ ids: ['J-1'], idCount: 1, status: 202 });
      expect((await replica.control('GET', '/requests?sort=status&cursor=1')).status).toBe(400);
      expect((await replica.control('GET', '/requests?sort=stats')).status).toBe(400);
    }
  });

  test('a request counts once in the coverage of all, however often its project moves', async () => {
    const [one, two] = [await start(), await start()];
    for (const id of ['J-1', 'J-2', 'J-3']) await importJobs(one, 'moved', id);
    const callsOf = async (path: string): Promise<number> => {
      const items: readonly { readonly calls: number }[] = (await one.control('GET', path)).body.items;
      return items.reduce((sum, { calls }) => sum + calls, 0);
    };
    for (const next of [two, one, two]) {
      await query(database(), "UPDATE field_sandbox.project SET wanted_by = 'another'");
      const owned = 'SELECT 1 FROM field_sandbox.project WHERE owner IS NOT NULL';
      await expect.poll(() => query(database(), owned), { timeout: 10_000 }).toEqual([]);
      await next.control('GET', '/projects/moved');
    }
    expect(await callsOf('/projects/moved/coverage')).toBe(3);
    expect(await callsOf('/coverage')).toBe(3);
  });

  test('the metrics and the settings name the replica', async () => {
    const [one, two] = await startThree();
    await importJobs(one, 'one', 'J-1');
    await importJobs(two, 'two', 'J-1');
    const texts = await Promise.all([one, two].map(async ({ url }) => (await fetch(`${url}/_sandbox/metrics`)).text()));
    const labels = texts.map((text) => /sandbox_worlds\{replica="([^"]+)"\} 1/.exec(text)?.[1]);
    expect(new Set(labels).size).toBe(2);
    for (const [index, text] of texts.entries())
      expect(text).toMatch(new RegExp(`sandbox_request_duration_seconds_count\\{.*replica="${labels[index]}"`));
    const { replica } = (await one.control('GET', '/settings')).body;
    expect(replica).toEqual({ id: labels[0], others: 2 });
  });
});
