/** Lists of requests as rows of a table: what each row shows, the filters, their counts, and the order. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { components } from '../../../src/openapi/control.gen.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { frozenProject } from '../callbacks/steps.ts';

type Row = components['schemas']['RequestRow'];

const sandbox = useSandbox({ clock: 'frozen' });

async function list(project: string, query = ''): Promise<{ items: Row[]; next?: string; counts?: object }> {
  const { status, body } = await sandbox.control('GET', `/projects/${project}/requests?view=rows${query}`);
  expect(status).toBe(200);
  return body;
}

const statusesOf = async (project: string, query: string) =>
  (await list(project, query)).items.map(({ status }) => status);

const toJobs = (...ids: string[]) => ({ jobs: ids.map((id) => ({ id })) });

test('a row shows what came of a request, without headers, bodies and rules', async () => {
  const project = await frozenProject(sandbox);
  const path = `/async/projects/${project}/jobs`;
  const jobs = [{ id: 'J-1' }, { id: 'FAIL-2' }, { id: 'J-3' }, { id: 'J-4', status: 'NONE' }, { id: 'J-5' }];
  const { headers } = await sandbox.api('POST', `${path}?x=1`, { jobs });
  const [pending] = (await list(project)).items;
  expect(pending).toMatchObject({ entries: { accepted: 4, refused: 1, failed: 0, pending: 4 }, callbackCount: 0 });
  await sandbox.advance(project);
  const [callback] = await sandbox.items(project, 'callbacks');
  const { items } = await list(project);
  expect(items).toEqual([
    {
      id: headers['x-request-id'],
      at: pending?.at,
      project,
      change: 2,
      operation: 'asyncImportJobs',
      method: 'POST',
      path,
      status: 202,
      fault: null,
      durationMs: expect.any(Number),
      ids: ['J-1', 'FAIL-2', 'J-3'],
      idCount: 5,
      entries: { accepted: 3, refused: 1, failed: 1, pending: 0 },
      warnings: 1,
      scenarios: ['magic-ids'],
      callbacks: [{ id: callback?.['id'], state: 'inbox' }],
      callbackCount: 1,
      reason: expect.stringContaining('got "NONE"'),
    },
  ]);
});

test('a problem has the reasons of failures and warnings, without bodies', async () => {
  const project = await frozenProject(sandbox);
  const path = `/async/projects/${project}/jobs`;
  const jobs = [{ id: 'J-1', colour: 'red' }, { id: 'FAIL-2' }, { id: 'J-4', status: 'NONE' }];
  const partial = await sandbox.api('POST', path, { jobs });
  const rejected = await sandbox.api('POST', path, { jobs: 1 });
  await sandbox.advance(project);
  const [callback] = (await sandbox.control('GET', `/projects/${project}/callbacks`)).body.items;
  const { body } = await sandbox.control('GET', `/projects/${project}/requests?view=problems&outcome=rejected,failed`);
  const head = { at: expect.any(String), project, operation: 'asyncImportJobs', method: 'POST', path, fault: null };
  const { timestamp, data } = callback.body;
  expect(body.items).toEqual([
    {
      ...head,
      id: partial.headers['x-request-id'],
      status: 202,
      warnings: ['/jobs/0/colour: unknown field "colour"; it is ignored'],
      rules: [
        { scenario: 'magic-ids', rule: expect.any(String), fired: true, stage: 'fired', why: expect.any(String) },
      ],
      message: '',
      errors: [],
      failed: [{ id: 'J-4', reason: expect.stringContaining('expected one of PENDING') }],
      failedCount: 1,
      reported: [{ callback: callback.id, at: timestamp, ...data.failed[0] }],
      reportedCount: 1,
    },
    expect.objectContaining({
      id: rejected.headers['x-request-id'],
      status: 400,
      message: rejected.body.message,
      errors: rejected.body.errors,
      failedCount: 0,
      reported: [],
    }),
  ]);
});

test('a row names the ids of rejected requests, of routes and of the path, each once', async () => {
  const project = freshProject();
  const geoJson = { type: 'Point', coordinates: [1, 2] };
  const location = { deviceId: 'D-1', eventDateTime: '2026-03-02T09:30:00Z', geoJson };
  await sandbox.api('POST', `/sync/projects/${project}/jobs`, { id: 'J-1', address: 5 });
  await sandbox.api('PATCH', `/async/projects/${project}/jobs`, toJobs('J,1'));
  await sandbox.api('POST', `/sync/projects/${project}/routes/batch`, {
    routes: [{ id: 'R-1', jobs: [{ id: 'J-2' }, { id: 'J-3' }, { id: 'J-4' }] }],
  });
  await sandbox.api('POST', `/projects/${project}/locations/batch`, { locations: [location, location] });
  await sandbox.api('POST', `/sync/projects/${project}/orders`, '{"orders":');
  const { items } = await list(project);
  expect(items.map(({ status, ids, idCount, entries }) => [status, ids, idCount, entries.accepted])).toEqual([
    [400, ['J-1'], 1, 0],
    [202, ['J,1'], 1, 1],
    [200, ['R-1', 'J-2', 'J-3'], 4, 4],
    [200, ['D-1'], 1, 2],
    [400, [], 0, 0],
  ]);
});

describe('filters', () => {
  let project = '';

  beforeAll(async () => {
    project = await frozenProject(sandbox);
    const url = `/async/projects/${project}/jobs`;
    await sandbox.api('POST', url, toJobs('J-1'));
    await sandbox.api('POST', url, { jobs: 5 });
    await sandbox.advance(project, '10m');
    await sandbox.api('POST', url, toJobs('ERROR-503-1'));
    await sandbox.api('PATCH', url, { jobs: [{ id: 'J-1', colour: 'red' }] });
    await sandbox.api('POST', url, toJobs('FAIL-1', 'a', 'b', 'c', 'J,9', 'J-29'));
    await sandbox.advance(project);
    await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, toJobs('J-1', 'J-2'));
  });

  const ids = async (query: string) => (await list(project, query)).items.map((row) => row.ids[0] ?? '');

  test.each([
    ['operation=asyncUpdateJobs,syncCreateJobs', [202, 200]],
    ['operation=none', []],
    ['status=4xx,503', [400, 503]],
    ['outcome=accepted', [202, 202, 202, 200]],
    ['outcome=rejected', [400, 200]],
    ['outcome=failed', [503, 202]],
    ['outcome=rejected,failed', [400, 503, 202, 200]],
    ['outcome=warned', [202]],
    ['outcome=pending', []],
    ['outcome=faulted', []],
    ['outcome=failed&status=2xx', [202]],
    ['scenario=magic-ids', [503, 202]],
    ['scenario=magic-ids,another&outcome=failed&operation=asyncImportJobs&method=post', [503, 202]],
    ['method=PATCH', [202]],
    ['within=1m', [503, 202, 202, 200]],
    ['contains=colour&method=PATCH,POST', [202]],
  ])('%s', async (query, statuses) => {
    expect(await statusesOf(project, `&${query}`)).toEqual(statuses);
  });

  test('entity finds exact ids of any collection, anywhere in a request', async () => {
    expect(await statusesOf(project, '&entity=J-1')).toEqual([202, 202, 200]);
    expect(await ids('&entity=J-29,ERROR-503-1')).toEqual(['ERROR-503-1', 'FAIL-1']);
    expect(await ids('&entity=J%2C9')).toEqual(['FAIL-1']);
    expect(await ids('&entity=J')).toEqual([]);
  });

  test('from and to select by the project’s time', async () => {
    const { items } = await list(project);
    const [first, , third] = items;
    expect(await statusesOf(project, `&to=${first?.at}`)).toEqual([202, 400]);
    expect(await statusesOf(project, `&from=${third?.at}&to=${third?.at}`)).toEqual([503, 202, 202]);
  });

  test('the filters also apply to whole requests, of a project and of all', async () => {
    for (const path of [`/projects/${project}/requests?`, `/requests?project=${project}&`]) {
      const { body } = await sandbox.control('GET', `${path}outcome=failed&order=newest`);
      expect(body.items.map(({ response }: { response: { status: number } }) => response.status)).toEqual([202, 503]);
    }
  });

  test('counts each group under the filters of the others', async () => {
    const { items, counts } = await list(project, '&counts=true&outcome=rejected,failed&status=2xx&limit=1');
    expect(items).toHaveLength(1);
    expect(counts).toEqual({
      total: 2,
      operation: { asyncImportJobs: 1, syncCreateJobs: 1 },
      status: { '2xx': 2, '4xx': 1, '5xx': 1 },
      outcome: { accepted: 4, failed: 1, rejected: 1, warned: 1 },
      scenario: { 'magic-ids': 1 },
    });
  });

  test.each([
    ['operation=asyncImportJobs,asyncImportJob', 'query:operation'],
    ['operation=Nonee', 'query:operation', /, got "Nonee", did you mean none\?$/],
    ['since=req_none', 'query:since', /expected the id of a request in the journal$/],
    ['since=req_none&operation=asyncImportJob', 'query:operation', /did you mean asyncImportJobs\?$/],
    ['outcome=fine', 'query:outcome'],
    ['within=soon', 'query:within'],
    ['from=yesterday', 'query:from'],
    ['order=random', 'query:order'],
    ['view=cards', 'query:view'],
  ])('rejects %s', async (query, path, said = /^/) => {
    for (const requests of [`/projects/${project}/requests`, '/requests']) {
      const { status, body } = await sandbox.control('GET', `${requests}?${query}`);
      expect([status, body.errors[0].path]).toEqual([400, path]);
      expect(body.errors[0].message).toMatch(said);
    }
  });
});

test('the newest come first, page by page, also if more requests arrive meanwhile', async () => {
  const project = freshProject();
  const send = (id: string) => sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, toJobs(id));
  for (const id of ['1', '2', '3', '4', '5']) await send(id);
  const seen: string[] = [];
  let cursor = '';
  do {
    const { items, next } = await list(project, `&order=newest&limit=2${cursor}`);
    seen.push(...items.map(({ ids: [id = ''] }) => id));
    await send(`later-${seen.length}`);
    cursor = next === undefined ? '' : `&cursor=${next}`;
  } while (cursor !== '');
  expect(seen).toEqual(['5', '4', '3', '2', '1']);
});

test('await waits until a request has an outcome that comes after its response', async () => {
  const project = await frozenProject(sandbox);
  await sandbox.api('POST', `/async/projects/${project}/jobs`, toJobs('FAIL-1'));
  const waiting = sandbox.control('GET', `/projects/${project}/requests?view=rows&outcome=failed&await=10s`);
  await sandbox.advance(project);
  expect((await waiting).body).toMatchObject({ satisfied: true, items: [{ entries: { failed: 1 } }] });
});

test('a broken connection has status 0 and the outcomes failed and faulted', async () => {
  const project = freshProject();
  const rules = [{ name: 'break', then: { connection: 'reset' } }];
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'breaks', rules }] });
  await expect(sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, toJobs('J'))).rejects.toThrow();
  const { items, counts } = await list(project, '&counts=true&status=0&scenario=breaks');
  expect(items).toMatchObject([{ status: 0, fault: 'reset', ids: ['J'] }]);
  expect(counts).toMatchObject({ status: { 0: 1 }, outcome: { failed: 1, faulted: 1 }, scenario: { breaks: 1 } });
});
