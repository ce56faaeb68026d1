/** A body that can't be taken: by which status, and that nothing changed. flows/transcripts/refusals.txt has messages. */
import { beforeAll, describe, expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';
import { type Answer, expectRefused, projectWithRecords, send } from '../refusals.ts';

const sandbox = useSandbox();
let project: string;
beforeAll(async () => {
  project = await projectWithRecords(sandbox);
});

const jobs = (): string => `/async/projects/${project}/jobs`;
const refused = (status: number, ask: () => Promise<Pick<Answer, 'status' | 'headers' | 'body'>>) =>
  expectRefused(sandbox, project, status, ask);
const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

describe('a body that is not JSON', () => {
  test.each([
    ['a tab in a text', '{"jobs": ["\t"]}', /control characters must be escaped at line 1, column 11$/],
    ['nothing but space', '  ', /^the body is not JSON/],
    ['many levels left open', '['.repeat(190_000), /^the body is not JSON/],
    [
      'a mistake behind a million characters',
      `{"jobs": ["${'x'.repeat(1_500_000)}" nonsense]}`,
      /^the body is not JSON$/,
    ],
  ])('%s', async (_what, body, message) => {
    const answer = await refused(400, () => sandbox.api('POST', jobs(), body));
    expect(answer.body.message).toMatch(message);
    expect(answer.body.message.length).toBeLessThan(200);
  });

  test('not UTF-8', async () => {
    const body = Buffer.from([...Buffer.from('{"jobs":[{"id":"'), 0xff, 0xfe, ...Buffer.from('"}]}')]);
    const answer = await refused(400, () => send(sandbox, { method: 'POST', path: jobs(), body }));
    expect(answer.body.message).toContain('UTF-8');
  });

  test.each([undefined, ''])('missing', async (body) => {
    const wire = { method: 'POST', path: jobs(), ...(body !== undefined && { body }) };
    const answer = await refused(400, () => send(sandbox, wire));
    expect(answer.body.message).toBe('the body is missing: send JSON');
  });

  test('missing, with a content type', async () => {
    await refused(400, () => send(sandbox, { method: 'POST', path: jobs(), headers: { apikey: 'sandbox-key' } }));
  });
});

describe('a body of another type', () => {
  const body = '{"jobs":[]}';
  const withType = (headers: Record<string, string>) => () =>
    send(sandbox, { method: 'POST', path: jobs(), headers: { apikey: 'sandbox-key', ...headers }, body });

  test.each([
    [{ 'content-type': 'text/plain' }, 'expected content-type application/json, got "text/plain"'],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 'got "application/x-www-form-urlencoded"'],
    [{ 'content-type': 'application/json5' }, 'got "application/json5"'],
    [{ 'content-type': '' }, 'expected content-type application/json'],
    [{}, 'expected content-type application/json, got none'],
    [{ 'content-type': 'application/json; charset=iso-8859-1' }, 'expected charset utf-8, got "iso-8859-1"'],
    ...['compress', 'gzip, br', 'zstd', ''].map((encoding): [Record<string, string>, string] => [
      { 'content-type': 'application/json', 'content-encoding': encoding },
      `expected content-encoding gzip, deflate, br or none, got "${encoding}"`,
    ]),
  ])('%j', async (headers, message) => {
    const answer = await refused(415, withType(headers as Record<string, string>));
    expect(answer.body.message).toContain(message);
    if ('content-encoding' in headers) expect(answer.headers['accept-encoding']).toBe('gzip, deflate, br');
  });

  test.each([
    { 'content-type': 'application/json' },
    { 'content-type': 'Application/JSON; charset=UTF-8' },
    { 'content-type': 'application/json;charset="utf-8"' },
    { 'content-type': 'application/json', 'content-encoding': 'identity' },
  ])('accepts %j as JSON', async (headers) => {
    expect((await withType(headers as Record<string, string>)()).status).toBe(202);
  });
});

describe('a body that is too large', () => {
  const megabyte = Buffer.alloc(1024 ** 2, 'x');

  test('is rejected by its content-length', async () => {
    const body = Buffer.alloc(17 * 1024 ** 2, ' ');
    const answer = await refused(413, () => send(sandbox, { method: 'POST', path: jobs(), body }));
    expect(answer.body.message).toContain('at most 16,777,216 bytes, got 17,825,792');
  });

  test('is rejected while it is read', async () => {
    const chunks = Array.from({ length: 17 }, () => megabyte);
    const answer = await refused(413, () => send(sandbox, { method: 'POST', path: jobs(), chunks }));
    expect(answer.body.message).toContain('at most 16,777,216 bytes, got more');
  });

  test('is accepted at exactly 16 MB', async () => {
    const head = '{"jobs":[]}';
    const body = head + ' '.repeat(16 * 1024 ** 2 - head.length);
    expect((await send(sandbox, { method: 'POST', path: jobs(), body })).status).toBe(202);
  });
});

describe('a list of too many entries', () => {
  const entries = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `${i}` }));

  test.each([
    ['jobs', `/async/projects/$/jobs`],
    ['orders', `/sync/projects/$/orders`],
    ['routes', `/sync/projects/$/routes/batch`],
    ['locations', `/projects/$/locations/batch`],
  ])('of %s', async (list, path) => {
    const body = { [list]: entries(10_001) };
    const answer = await refused(413, () => sandbox.api('POST', path.replace('$', project), body));
    expect(answer.body.errors).toEqual([{ path: `/${list}`, message: 'expected at most 10,000 entries, got 10,001' }]);
  });

  test('of the jobs of all routes together', async () => {
    const routes = [{ id: 'R-1', jobs: entries(6000) }, null, 'no route', { id: 'R-2', jobs: entries(4001) }];
    const answer = await refused(413, () => sandbox.api('POST', `/sync/projects/${project}/routes/batch`, { routes }));
    expect(answer.body.message).toContain('10,001');
  });

  test('accepts 10,000', async () => {
    const answer = await sandbox.api('POST', jobs(), { jobs: entries(10_000) });
    expect(answer).toMatchObject({ status: 202, body: { jobsReceived: 10_000 } });
  });
});

describe('a body that is nested too deep', () => {
  test('at 101 levels', async () => {
    const body = `{"jobs":[{"id":"deep","attributes":${nested(98)}}]}`;
    const answer = await refused(400, () => sandbox.api('POST', jobs(), body));
    expect(answer.body.message).toContain('100 levels');
  });

  test('at very many levels', async () => {
    const body = `{"jobs":[{"id":"deep","attributes":${nested(100_000)}}]}`;
    await refused(400, () => sandbox.api('POST', jobs(), body));
    await refused(400, () => sandbox.api('POST', jobs(), nested(100_000)));
  });

  test('at a million levels, with an end and without one', async () => {
    const closed = await refused(400, () => sandbox.api('POST', jobs(), nested(900_000)));
    expect(closed.body.message).toContain('100 levels');
    const open = await refused(400, () => sandbox.api('POST', jobs(), '['.repeat(1_000_000)));
    expect(open.body.message).toContain('nested too deep');
  });

  test('accepts 100 levels', async () => {
    const body = `{"jobs":[{"id":"deep","attributes":${nested(97)}}]}`;
    expect((await sandbox.api('POST', jobs(), body)).body).toMatchObject({ jobsReceived: 1, failed: [] });
  });
});
