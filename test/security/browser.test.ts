/** Pages in the developer's browser: what they see of a response, and names that resolve to this machine. flows/transcripts/browsers.txt has more. */
import { describe, expect, test } from 'vitest';
import { send } from '../flows/refusals.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();
const everywhere = useSandbox({ host: '0.0.0.0', adminToken: 'open-sesame' });

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

    test('but not if the sandbox listens on all addresses, as in a container', async () => {
      expect((await post(everywhere, 'sandbox:4600', jobsOf(freshProject()))).status).toBe(202);
    });
  });

  test('needs the admin token if the sandbox listens on all addresses', async () => {
    expect((await everywhere.control('GET', '/projects', undefined, rebound)).status).toBe(401);
    expect((await everywhere.control('POST', '/reset', undefined, rebound)).status).toBe(401);
  });
});
