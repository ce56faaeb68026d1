/** The control API shows the journal of a project, and the documents. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { sendPipelined } from '../pipeline.ts';

const sandbox = useSandbox();
const get = (project: string, path = '') => sandbox.control('GET', `/projects/${project}${path}`);
const idsOf = (answer: { body: { items: { id: string }[] } }) => answer.body.items.map(({ id }) => id);

describe('the journal', () => {
  test('filters by operation and status, and lists entries after an id', async () => {
    const project = freshProject();
    const path = `/sync/projects/${project}/orders`;
    const ids: string[] = [];
    for (const body of [{ orders: [] }, { orders: 5 }, { orders: [{ id: 'O' }] }]) {
      ids.push(String((await sandbox.api('POST', path, body)).headers['x-request-id']));
    }
    await sandbox.api('POST', `/async/projects/${project}/orders`, { orders: [] });
    expect(idsOf(await get(project, '/requests?operation=syncImportOrders'))).toEqual(ids);
    expect(idsOf(await get(project, '/requests?status=400'))).toEqual([ids[1]]);
    expect(idsOf(await get(project, '/requests?operation=syncImportOrders&status=200'))).toEqual([ids[0], ids[2]]);
    expect(idsOf(await get(project, `/requests?operation=syncImportOrders&since=${ids[1]}`))).toEqual([ids[2]]);
    expect((await get(project, '/requests?since=req_none')).body.errors[0].path).toBe('query:since');
    expect(idsOf(await get(project, '/requests?status=4xx'))).toEqual([ids[1]]);
    expect(idsOf(await get(project, '/requests?operation=syncImportOrders&status=2xx'))).toEqual([ids[0], ids[2]]);
    expect(idsOf(await get(project, '/requests?operation=syncImportOrders&status=200,4xx'))).toEqual(ids);
    expect(idsOf(await get(project, '/requests?status=5xx,404'))).toEqual([]);
    const one = await get(project, `/requests/${ids[1]}`);
    expect(one.body).toMatchObject({
      id: ids[1],
      project,
      operation: 'syncImportOrders',
      method: 'POST',
      path,
      status: 400,
    });
    expect((await get(freshProject(), `/requests/${ids[1]}`)).status).toBe(404);
  });

  test.each(['nope', '2', '6xx', '099', '2x', '20', '200,', ',4xx', '200 404', '200;404', ''])(
    'rejects the status "%s"',
    async (status) => {
      const expected = 'expected an HTTP status from 100 to 599, a class such as 2xx, or several, separated by commas';
      for (const path of ['/requests', '/projects/p/requests']) {
        const { body } = await sandbox.control('GET', `${path}?status=${encodeURIComponent(status)}`);
        expect(body.errors).toEqual([{ path: 'query:status', message: `${expected}, got ${JSON.stringify(status)}` }]);
      }
    },
  );

  test('truncates bodies over 256 kB and marks them', async () => {
    const project = freshProject();
    const jobs = Array.from({ length: 3000 }, (_, n) => ({ id: `JÖB-${n}`, tags: ['x'.repeat(80)] }));
    const response = await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
    const id = response.headers['x-request-id'];
    const { request, response: answered } = (await get(project, `/requests/${id}`)).body;
    const size = Buffer.byteLength(JSON.stringify({ jobs }));
    expect(request.bodyCut).toBe(size);
    expect(request.body.length).toBeLessThan(257 * 1024);
    expect(request.body).toMatch(/… \(truncated: [\d,]+ bytes in total\)$/);
    expect(request.body.startsWith('{"jobs":[{"id":"JÖB-0"')).toBe(true);
    expect(answered).not.toHaveProperty('bodyCut');
    expect(JSON.parse(answered.body).jobsReceived).toBe(3000);
  });

  test('stores 1,000 requests per project', async () => {
    const project = freshProject();
    const path = `/sync/projects/${project}/orders`;
    const toRequest = (_: unknown, n: number) => ({ method: 'POST', path, body: { orders: [{ id: `${n}` }] } });
    await sendPipelined(sandbox.url(), Array.from({ length: 1010 }, toRequest));
    const { items } = (await get(project, '/requests?limit=1000')).body;
    expect(items).toHaveLength(1000);
    expect((await get(project)).body.counts).toMatchObject({ requests: 1000, orders: 1010 });
  });
});

describe('documents', () => {
  test('health and readiness', async () => {
    expect((await sandbox.control('GET', '/health')).body).toEqual({ status: 'ok' });
    expect((await sandbox.control('GET', '/ready')).body).toEqual({ status: 'ready' });
  });

  test('serves the documents of the API and the control API, with every operation', async () => {
    const count = ({ paths }: { paths: Record<string, object> }) =>
      Object.values(paths).flatMap((path) =>
        Object.keys(path).filter((key) => /^(get|put|post|patch|delete)$/.test(key)),
      );
    const api = (await sandbox.control('GET', '/openapi.json')).body;
    expect([api.openapi.slice(0, 3), count(api).length]).toEqual(['3.1', 29]);
    const control = (await sandbox.control('GET', '/control.json')).body;
    expect(control.openapi.slice(0, 3)).toBe('3.1');
    expect(Object.keys(control.paths)).toContain('/_sandbox/projects/{projectId}/clock/advance');
  });

  test.each(['localhost:4600', 'au.localhost:9'])("the document has the sandbox's URL, as %s", async (host) => {
    const { body } = await sandbox.control('GET', '/openapi.json', undefined, { host });
    expect(body.servers[0].url).toBe(`http://${host}`);
    expect(body.servers[1].url).toContain('{region}');
    const control = await sandbox.control('GET', '/control.json', undefined, { host });
    expect(control.body.servers.map(({ url }: { url: string }) => url)).toEqual([`http://${host}`]);
  });

  test("serves the API's document as OpenAPI 3.0 too", async () => {
    const ask = async (version: string) => await sandbox.control('GET', `/openapi.json?version=${version}`);
    expect((await ask('3.0')).body.openapi).toBe('3.0.3');
    expect((await ask('3.1')).body).toEqual((await sandbox.control('GET', '/openapi.json')).body);
    const wrong = await ask('2.0');
    expect(wrong).toMatchObject({ status: 400, body: { errors: [{ path: 'query:version' }] } });
    expect(wrong.body.message).toContain('expected one of 3.1, 3.0');
  });

  test('serves the schema of scenarios', async () => {
    const { body } = await sandbox.control('GET', '/scenario.schema.json');
    expect(body.required).toEqual(expect.arrayContaining(['name', 'rules']));
    expect(Object.keys(body.properties)).toEqual(expect.arrayContaining(['name', 'description', 'seed', 'rules']));
  });
});
