/** Requests that never reach an operation: a wrong path, method or key. Each is told why, journalled, and makes no world. */
import { beforeAll, describe, expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';
import { type Answer, expectRefused, projectWithRecords, send } from '../refusals.ts';

const sandbox = useSandbox({
  apiKeys: [
    ...['sandbox-key', 'aussie@au', 'sydney@au=p-sydney', 'one=p-one', 'SECRET-KEY'],
    ...['many@au=p-a', 'many@us=p-b', 'many=p-c'],
  ],
});
let project: string;
beforeAll(async () => {
  project = await projectWithRecords(sandbox);
});

const refused = (status: number, ask: () => Promise<Pick<Answer, 'status' | 'headers' | 'body'>>) =>
  expectRefused(sandbox, project, status, ask);

/** The journal's entry of a request, as text. */
const textOf = async ({ headers }: Answer) =>
  (await sandbox.control('GET', `/requests/${headers['x-request-id']}`)).text;

describe('an unknown path', () => {
  test.each([
    ['POST', '/async/project/p/jobs', 'POST /async/projects/{projectId}/jobs (asyncImportJobs)'],
    ['PATCH', '/sync/projects/p/jobs/J-1', 'nearest is PATCH'],
    ['POST', '/projects/p/location', 'POST /projects/{projectId}/locations (submitLocation)'],
    ['POST', '/api/v1/projects/p/users', 'registerUser'],
    ['GET', '/favicon.ico', 'no operation has the path "/favicon.ico"'],
    ['POST', '/_sandboxes', 'no operation has the path'],
    ['POST', '/', 'no operation has the path "/"'],
    ['POST', '/async/projects//jobs', 'no operation has the path "/async/projects//jobs"'],
    ['PATCH', '/async/projects//jobs/J-1', 'no operation has the path "/async/projects//jobs/J-1"'],
    ['POST', `/${'x'.repeat(5000)}`, 'no operation has the path "/xxx'],
  ])('%s %s', async (method, path, hint) => {
    const answer = await refused(404, () => sandbox.api(method, path, { jobs: [] }));
    expect(answer.body.message).toContain(hint);
    expect(answer.body.message).toContain('To use other paths, start the sandbox with a profile (--profile)');
    expect(answer.body.message.length).toBeLessThan(400);
  });

  test.each([
    ['%', 'two hexadecimal digits after each "%"'],
    ['%zz', 'two hexadecimal digits after each "%"'],
    ['%E0%A4%A', 'two hexadecimal digits after each "%"'],
    ['%ff', 'percent-encoded UTF-8'],
    ['%E0%A4', 'percent-encoded UTF-8'],
  ])("that can't be decoded: %s", async (bad, expected) => {
    const wire = { method: 'POST', path: `/async/projects/${bad}/jobs`, body: '{"jobs":[]}' };
    const answer = await refused(400, () => send(sandbox, wire));
    expect(answer.body.message).toContain(`the path can't be decoded: expected ${expected}`);
  });

  test.each([
    ['PATCH', '/async/projects/p/jobs/', 'asyncUpdateJob', 'asyncUpdateJobs'],
    ['PATCH', '/async/projects/p/jobs//', 'asyncUpdateJob', 'asyncUpdateJobs'],
    ['PATCH', '/async/projects/p/jobs/?a=b', 'asyncUpdateJob', 'asyncUpdateJobs'],
  ])('with an empty id: %s %s', async (method, path, withId, withoutId) => {
    const answer = await refused(404, () => sandbox.api(method, path, { jobs: [{ id: 'J-1' }] }));
    expect(answer.body.message).toContain('the id after the last "/" of');
    expect(answer.body.message).toMatch(new RegExp(`\\(${withId}\\), or .* \\(${withoutId}\\)$`));
  });

  test('that ends in "/" leads to an operation without an id', async () => {
    const path = `/async/projects/${project}/jobs/`;
    expect((await sandbox.api('POST', path, { jobs: [] })).status).toBe(202);
    expect((await sandbox.control('GET', '/projects/')).status).toBe(200);
  });
});

describe('a path for documents', () => {
  test.each([
    ['/openapi.json', '/_sandbox/openapi.json'],
    ['/openapi.yaml', '/_sandbox/openapi.json'],
    ['/swagger.json?x=1', '/_sandbox/openapi.json'],
    ['/docs', '/_sandbox/#/reference'],
    ['/swagger/', '/_sandbox/#/reference'],
  ])('GET and HEAD %s redirect to %s', async (path, location) => {
    for (const method of ['GET', 'HEAD'])
      expect(await send(sandbox, { method, path })).toMatchObject({ status: 302, headers: { location } });
  });

  test.each([
    ['POST', '/docs'],
    ['GET', '/docs/a'],
    ['GET', '/constructor'],
  ])('%s %s does not', async (method, path) => {
    await refused(404, () => send(sandbox, { method, path }));
  });
});

describe('an unsupported method', () => {
  test.each([
    ['GET', 'POST, PATCH'],
    ['DELETE', 'POST, PATCH'],
    ['PUT', 'POST, PATCH'],
    ['OPTIONS', 'POST, PATCH'],
    ['PROPFIND', 'POST, PATCH'],
  ])('%s', async (method, allow) => {
    const answer = await refused(405, () => send(sandbox, { method, path: `/async/projects/${project}/jobs` }));
    expect(answer.headers['allow']).toBe(allow);
    expect(answer.body.message).toContain(`this path does not support ${method}; expected ${allow}`);
    if (method === 'GET')
      expect(answer.body.message).toMatch(/read stored records at \/_sandbox\/projects\/p-\d+\/jobs$/);
    expect(answer.body.message.includes('As a preflight of a browser (CORS), it is refused on purpose')).toBe(
      method === 'OPTIONS',
    );
  });
});

describe('a key', () => {
  const ask = (headers: Record<string, string | undefined>, to = project) =>
    refused(headers['status'] === undefined ? 401 : Number(headers['status']), () => {
      const { status: _expected, ...sent } = headers;
      return sandbox.api(
        'POST',
        `/async/projects/${to}/jobs`,
        { jobs: [{ id: 'J-9' }] },
        { apikey: undefined, ...sent },
      );
    });

  test('is unknown', async () => {
    const answer = await ask({ apikey: 'GUESSED-KEY' });
    expect(answer.headers['www-authenticate']).toBe('ApiKey realm="field-sandbox", header="apikey"');
    expect((await textOf(answer)) + JSON.stringify(answer.body)).not.toContain('GUESSED-KEY');
  });

  test.each(['x-api-key', 'authorization'])('is in the header %s', async (header) => {
    const answer = await ask({ [header]: header === 'authorization' ? 'Bearer SECRET-KEY' : 'SECRET-KEY' });
    expect(answer.body.message).toContain(
      `the header \`${header}\` has a valid key; send the key in the header \`apikey\``,
    );
    expect(await textOf(answer)).not.toContain('SECRET-KEY');
  });

  test.each([
    ['SECRET-KEY, SECRET-KEY', 'the header has a valid key twice; send it once'],
    ['Bearer SECRET-KEY', 'the header has a valid key after a word such as Bearer; send the key alone'],
    ['"SECRET-KEY"', 'the header has a valid key in quotes or brackets; send the key alone'],
    ['SECRET-KEY@au=acme', 'the header has a valid key with its region or projects; send only the key before them'],
    ['$SANDBOX_API_KEY', 'the header has a variable that was not replaced by its value'],
    ['%SANDBOX_API_KEY%', 'the header has a variable that was not replaced by its value'],
    [
      'Bearer GUESSED-KEY',
      'this API key was never issued: --api-key sets the keys; without it, the key is sandbox-key; the header has the key alone, without Bearer',
    ],
  ])('has something around it: %s', async (apikey, message) => {
    const answer = await ask({ apikey });
    expect(answer.body.message).toBe(message);
  });

  test('is in the query', async () => {
    const path = `/async/projects/${project}/jobs?apikey=SECRET-KEY`;
    const answer = await refused(401, () => sandbox.api('POST', path, { jobs: [] }, { apikey: undefined }));
    const message = 'the API key is missing: the query has a valid key; send the key in the header `apikey`';
    expect(answer.body.message).toBe(message);
  });

  test('is not recorded if it is in the query', async () => {
    const path = `/async/projects/${project}/jobs?apikey=SECRET-KEY`;
    const answer = await refused(401, () => sandbox.api('POST', path, { jobs: [] }, { apikey: undefined }));
    expect(await textOf(answer)).not.toContain('SECRET-KEY');
  });

  test('belongs to another region', async () => {
    const answer = await ask({ apikey: 'aussie', host: 'eu.localhost', status: '403' });
    expect(answer.body.message).toBe('this API key is for region au; the request was made to eu');
  });

  test.each([
    ['sydney', 'p-sydney', 'au.localhost', 202],
    ['sydney', 'p-sydney', 'us.localhost', 403],
    ['sydney', 'p-perth', 'au.localhost', 403],
    ['aussie', 'p-perth', 'au.localhost:4600', 202],
    ['sandbox-key', 'p-perth', 'us.localhost', 202],
    ['SANDBOX-KEY', 'p-perth', 'us.localhost', 401],
    ['aussie', 'p-perth', 'AU.localhost', 202],
    ['aussie', 'p-perth', 'europe.localhost', 202],
    ['one', 'p-one', 'eu.127.0.0.1.localhost', 202],
    ['one', 'P-ONE', 'localhost', 403],
    ['one', '__proto__', 'localhost', 403],
    ['__proto__', 'p-one', 'localhost', 401],
    ['many', 'p-a', 'au.localhost', 202],
    ['many', 'p-b', 'au.localhost', 403],
    ['many', 'p-c', 'eu.localhost', 202],
  ])('%s, for %s at %s: %i', async (apikey, to, host, status) => {
    const answer = await sandbox.api('POST', `/async/projects/${to}/jobs`, { jobs: [] }, { apikey, host });
    expect(answer.status).toBe(status);
  });
});

describe('the order of checks', () => {
  const large = Buffer.alloc(17 * 1024 ** 2, ' ');
  const text = { 'content-type': 'text/plain' };
  const json = { 'content-type': 'application/json' };
  const keyed = { apikey: 'sandbox-key' };
  const scenario = { 'x-sandbox-scenario': 'no-such-scenario' };

  test.each<[string, number, string, string, Record<string, string>, string | Buffer]>([
    ['the path, before the key', 404, 'POST', '/nowhere', text, large],
    ['the method, before the key', 405, 'PUT', '/async/projects/$/jobs', text, large],
    ['the key, before the size', 401, 'POST', '/async/projects/$/jobs', text, large],
    ['the key, before the scenario', 401, 'POST', '/async/projects/$/jobs', { ...json, ...scenario }, '{"jobs":[]}'],
    ['the grant, before the size', 403, 'POST', '/async/projects/$/jobs', { ...text, apikey: 'one' }, large],
    ['the size, before the type', 413, 'POST', '/async/projects/$/jobs', { ...text, ...keyed }, large],
    ['the type, before the text', 415, 'POST', '/async/projects/$/jobs', { ...text, ...keyed }, '{'],
    ['the text, before the scenario', 400, 'POST', '/async/projects/$/jobs', { ...json, ...keyed, ...scenario }, '{'],
    ['the shape, before the scenario', 400, 'POST', '/async/projects/$/jobs', { ...json, ...keyed, ...scenario }, '{}'],
  ])('%s', async (_what, status, method, path, headers, body) => {
    const wire = { method, path: path.replace('$', project), headers, body };
    const answer = await refused(status, () => send(sandbox, wire));
    expect(answer.body.message).not.toContain('no-such-scenario');
  });

  test("checks the scenario's name last", async () => {
    const path = `/async/projects/${project}/jobs`;
    const answer = await refused(400, () => sandbox.api('POST', path, { jobs: [] }, scenario));
    expect(answer.body.errors?.[0]?.path).toBe('header:x-sandbox-scenario');
    expect(answer.body.message).toContain('"no-such-scenario"');
  });
});
