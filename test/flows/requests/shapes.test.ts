/** Bodies that are JSON and wrong: every mistake named, strange names taken as they are, hostile sizes answered. */
import { beforeAll, describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { type Answer, expectRefused, projectWithRecords } from '../refusals.ts';

const sandbox = useSandbox();
let project: string;
beforeAll(async () => {
  project = await projectWithRecords(sandbox);
});

const refused = (status: number, ask: () => Promise<Pick<Answer, 'status' | 'headers' | 'body'>>) =>
  expectRefused(sandbox, project, status, ask);
const createJob = (body: unknown) => sandbox.api('POST', `/sync/projects/${project}/jobs`, body);
const importJobs = (jobs: unknown, to = project) => sandbox.api('POST', `/async/projects/${to}/jobs`, { jobs });

describe('wrong types are reported with their paths', () => {
  test.each([
    [{ id: 5 }, '/id', 'expected a string, got number 5'],
    [{ tags: 'one' }, '/tags', 'expected an array, got "one"'],
    [{ tags: ['a', null] }, '/tags/1', 'expected a string, got null'],
    [{ address: [] }, '/address', 'expected an object, got []'],
    [{ address: { geoJson: { coordinates: ['1', 2] } } }, '/address/geoJson/coordinates/0', 'a number, got "1"'],
    [{ jobItems: [{ subItems: [{}, { id: {} }] }] }, '/jobItems/0/subItems/1/id', 'expected a string, got an object'],
    [{ status: 'REDY' }, '/status', 'did you mean READY?'],
    [{ status: 'GONE' }, '/status', 'expected one of PENDING, PENDING_PICKED, PENDING_PACKED, DISPATCH, ARRIVING,'],
    [{ driver: 'Ana' }, '/driver', 'expected an object or null, got "Ana"'],
    [{ deliveryDate: 'tomorrow' }, '/deliveryDate', 'ISO 8601'],
  ])('%j', async (wrong, path, message) => {
    const answer = await refused(400, () => createJob({ id: 'J-9', status: 'PENDING', address: {}, ...wrong }));
    expect(answer.body.errors).toEqual([{ path, message: expect.stringContaining(message) }]);
    expect(answer.body.message).toContain(path);
  });

  test('reports all at once', async () => {
    const answer = await refused(400, () => createJob({ id: 1, status: 2, media: 3 }));
    expect(answer.body.errors?.map(({ path }) => path)).toEqual(['/address', '/id', '/media', '/status']);
    expect(answer.body.message).toMatch(/ \(the first of 4 mistakes\)$/);
  });
});

test('a mistake has a path and a message only: no response and no journal shows the schema', async () => {
  const body = { id: 1, status: 'GONE', address: {} };
  const inBody = await refused(400, () => createJob(body));
  const inQuery = await sandbox.control('GET', `/projects/${project}/requests?limit=none`);
  const inControl = await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 7 });
  for (const { body: shown } of [inBody, inQuery, inControl]) {
    expect((shown as { errors: object[] }).errors.map((error) => Object.keys(error))).toContainEqual([
      'path',
      'message',
    ]);
    expect(JSON.stringify(shown)).not.toMatch(/keyword|schemaPath|params/);
  }
  const latest = ((await sandbox.items(project, 'requests')) as { id: string }[]).at(-1);
  const detail = await sandbox.control('GET', `/projects/${project}/requests/${latest?.id}`);
  expect(JSON.stringify(detail.body)).toContain('/status');
  expect(JSON.stringify(detail.body)).not.toMatch(/keyword|schemaPath/);
});

describe('names that are special in JavaScript or URLs', () => {
  const names = ['__proto__', 'constructor', 'toString', 'a/b', '../..', `"it's"`, '📦', '%2F', ' ', '#?&', '\u0000\n'];

  test.each(names)('accepts the id %j', async (id) => {
    const own = freshProject();
    await sandbox.freeze(own);
    const path = `/async/projects/${own}/jobs/${encodeURIComponent(id)}`;
    expect((await importJobs([{ id, tags: ['x'] }], own)).body).toMatchObject({ jobsReceived: 1, failed: [] });
    expect((await sandbox.api('PATCH', path, { id, status: 'DISPATCH' })).status).toBe(202);
    await sandbox.advance(own);
    const { body } = await sandbox.control('GET', `/projects/${own}/jobs/${encodeURIComponent(id)}`);
    expect(body).toMatchObject({ id, tags: ['x'], status: 'DISPATCH' });
    expect(await sandbox.items(own, 'callbacks')).toEqual([]);
  });

  test.each(names)('accepts the project %j', async (own) => {
    const at = encodeURIComponent(own);
    const answer = await sandbox.api('POST', `/sync/projects/${at}/orders`, { orders: [{ id: 'O-1' }] });
    expect(answer).toMatchObject({ status: 200, body: { ordersReceived: 1 } });
    const { body } = await sandbox.control('GET', `/projects/${at}`);
    expect(body).toMatchObject({ id: own, counts: { orders: 1, requests: 1 } });
    await sandbox.control('POST', `/projects/${at}/reset`);
    expect((await sandbox.control('GET', `/projects/${at}`)).body.counts.orders).toBe(0);
  });

  test.each(names)('stores %j as a free-form field, and drops it as an unknown one', async (name) => {
    const own = freshProject();
    const field = `{${JSON.stringify(name)}:{"polluted":true}}`;
    const job = `{"id":"J-1","attributes":${field},${field.slice(1, -1)}}`;
    const answer = await sandbox.api('POST', `/sync/projects/${own}/jobs/batch`, `{"jobs":[${job}]}`);
    expect(answer.body).toMatchObject({ jobsReceived: 1, failed: [] });
    expect(answer.headers['x-sandbox-warnings']).toBe('1');
    const { text } = await sandbox.control('GET', `/projects/${own}/jobs/J-1`);
    expect(text).toContain(`"attributes":${field}`);
    expect(text.split('polluted')).toHaveLength(2);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('very many errors', () => {
  test('counts 300,000 in one body', async () => {
    const tags = Array.from({ length: 300_000 }, (_, i) => i);
    const answer = await refused(400, () => createJob({ id: 'J-9', status: 'PENDING', address: {}, tags }));
    expect(answer.body.errors).toHaveLength(100);
    expect(answer.body.message).toContain('300,000 mistakes');
    expect(answer.body.message).toMatch(/ \(the first of 300,000 mistakes; `errors` lists 100\)$/);
  });

  test('counts 15,000 unknown fields, and rejects more than 20,000 different names', async () => {
    const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`field${i}`, i]));
    const answer = await createJob({ id: 'J-8', status: 'PENDING', address: {}, ...unknown(15_000) });
    expect(answer.status).toBe(201);
    expect(answer.headers['x-sandbox-warnings']).toBe('15000');
    const { body } = await sandbox.control('GET', `/projects/${project}/requests/${answer.headers['x-request-id']}`);
    expect(body.warnings).toHaveLength(101);
    expect(body.warnings.at(-1)).toBe('and 14,900 more');
    const other = await refused(413, () => createJob({ id: 'J-8', address: {}, ...unknown(21_000) }));
    expect(other.body.message).toContain('limits.names');
  });

  test('reports 10,000 entries with thirty errors each, at most five per entry', async () => {
    const jobs = Array.from({ length: 10_000 }, (_, i) => ({ id: `${i}`, customer: 5, tags: Array(30).fill(i) }));
    const answer = await importJobs(jobs);
    expect(answer.body).toMatchObject({ jobsReceived: 0, jobs: [] });
    expect(answer.body.failed).toHaveLength(10_000);
    for (const { reason } of answer.body.failed) expect(reason).toMatch(/^customer: [^;]*(; [^;]*){4}; and 26 more$/);
  });

  test('truncates a quoted megabyte', async () => {
    const answer = await refused(400, () => createJob({ id: 'J-9', address: {}, status: 'x'.repeat(1024 ** 2) }));
    expect(JSON.stringify(answer.body).length).toBeLessThan(2000);
  });
});
