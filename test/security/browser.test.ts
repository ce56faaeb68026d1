/** Pages in the developer's browser: what they can have it ask, what they see of it, and how they can show the console. */
import { describe, expect, test } from 'vitest';
import { send } from '../flows/refusals.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();
const everywhere = useSandbox({ host: '0.0.0.0', adminToken: 'open-sesame' });

/** What browsers say of themselves beside the origin, which is left out for pictures, scripts and links. */
const pictureOf = (site: string) => ({
  'sec-fetch-site': site,
  'sec-fetch-mode': 'no-cors',
  'sec-fetch-dest': 'image',
});

describe('a page of another origin', () => {
  test.each(['cross-site', 'same-site'])('cannot load a resource as an image or a script: %s', async (site) => {
    for (const path of ['/projects', '/events', '/requests', '/projects/p/callbacks?await=5m', '/health']) {
      const answer = await sandbox.control('GET', path, undefined, pictureOf(site));
      expect(answer, path).toMatchObject({ status: 403, body: { message: expect.stringContaining('other origins') } });
    }
  });

  test('can link to the control API, but not read the response', async () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const answer = await sandbox.control('GET', '/projects', undefined, link);
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  test.each(['same-origin', 'none'])('is not assumed for same-origin requests: %s', async (site) => {
    expect((await sandbox.control('GET', '/projects', undefined, pictureOf(site))).status).toBe(200);
  });

  test('cannot call the API: a form has no key, and preflight requests are rejected', async () => {
    const path = `/async/projects/${freshProject()}/jobs`;
    const form = { method: 'POST', path, headers: { 'content-type': 'text/plain' }, body: '{"jobs":[]}' };
    expect((await send(sandbox, form)).status).toBe(401);
    const headers = { origin: 'https://evil.example', 'access-control-request-headers': 'apikey' };
    const asked = await send(sandbox, { method: 'OPTIONS', path, headers });
    expect(asked.status).toBe(405);
    expect(Object.keys(asked.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

test.each([
  ['GET', '/health', 200],
  ['GET', '/events?project=', 400],
  ['GET', '/metrics', 200],
  ['GET', '/nowhere', 404],
  ['POST', '/projects/p/reset', 200],
] as const)('no response can be used as a script or embedded elsewhere: %s %s', async (method, path, status) => {
  const answer = await sandbox.control(method, path);
  expect(answer.status).toBe(status);
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
  expect(answer.headers['content-type']).not.toContain('html');
});

describe('a foreign host name that resolves to this machine', () => {
  const rebound = { host: 'rebound.example:4600', origin: 'http://rebound.example:4600' };

  test('is rejected, and so is a missing name', async () => {
    for (const headers of [rebound, { host: '' }])
      expect((await sandbox.control('GET', '/projects', undefined, headers)).status).toBe(421);
  });

  describe('is rejected by the API, like by the control API', () => {
    const json = { apikey: 'sandbox-key', 'content-type': 'application/json' };
    const post = (of: typeof sandbox, host: string, path: string) =>
      send(of, { method: 'POST', path, headers: { ...json, host }, body: '{"jobs":[{"id":"FAIL-1"}]}' });
    const jobsOf = (project: string) => `/async/projects/${project}/jobs`;

    test.each(['rebound.example:4600', 'rebound.example', 'localhost.rebound.example', '10.0.0.1:4600'])(
      'host %j: nothing is applied',
      async (host) => {
        const project = freshProject();
        const answer = await post(sandbox, host, jobsOf(project));
        const { message } = (await sandbox.control('GET', '/projects', undefined, { host })).body;
        expect(answer).toMatchObject({ status: 421, body: { message, code: 'invalid_request' } });
        expect(message).toContain('localhost');
        expect(await sandbox.items(project, 'jobs')).toEqual([]);
        const { items } = (await sandbox.control('GET', '/requests?order=newest&limit=1')).body;
        expect(items).toMatchObject([{ id: answer.headers['x-request-id'], status: 421 }]);
      },
    );

    test('also with a path of no operation, and with a whole URL as the target', async () => {
      expect((await post(sandbox, 'localhost', `http://rebound.example${jobsOf('p')}`)).status).toBe(421);
      expect((await post(sandbox, 'rebound.example', '/nowhere')).status).toBe(421);
    });

    test.each(['localhost', 'LOCALHOST:4600', 'au.localhost:4600', '127.8.9.1', '[::1]:4600'])(
      'but not %s',
      async (host) => {
        expect((await post(sandbox, host, jobsOf(freshProject()))).status).toBe(202);
      },
    );

    test('but not if the sandbox listens on all addresses, as in a container', async () => {
      expect((await post(everywhere, 'sandbox:4600', jobsOf(freshProject()))).status).toBe(202);
    });
  });

  test('needs the admin token if the sandbox listens on all addresses', async () => {
    expect((await everywhere.control('GET', '/projects', undefined, rebound)).status).toBe(401);
    expect((await everywhere.control('POST', '/reset', undefined, rebound)).status).toBe(401);
  });
});

test('a response of a scenario cannot be opened by a link, because the API has no GET', async () => {
  const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<script>alert(1)</script>' };
  const rules = [{ then: { respond: page } }];
  await sandbox.control('PUT', '/server-scenarios', { scenarios: [{ name: 'page', rules }] });
  for (const path of ['/async/projects/p/jobs', '/projects/p/users', '/sync/projects/p/orders']) {
    for (const method of ['GET', 'POST']) {
      const answer = await send(sandbox, { method, path, headers: {} });
      expect([401, 404, 405]).toContain(answer.status);
      expect(answer.headers['content-type']).toBe('application/json');
    }
  }
  await sandbox.control('PUT', '/server-scenarios', { scenarios: [] });
});
