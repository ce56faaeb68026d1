/** Behind a proxy with TLS, the addresses that the sandbox says of itself are https; `x-forwarded-proto` tells it. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const adminToken = 'let-me-in-please';
const sandbox = useSandbox({ adminToken });
const admin = { authorization: `Bearer ${adminToken}` };

const secure = ['https', 'HTTPS', ' https , http', 'https,http'];
const open = [undefined, 'http', 'http, https', 'wss', 'httpss', 'javascript', ''];

describe.each([...secure.map((value) => ['https', value] as const), ...open.map((value) => ['http', value] as const)])(
  '%s with x-forwarded-proto: %j',
  (scheme, value) => {
    const forwarded: Record<string, string> = value === undefined ? {} : { 'x-forwarded-proto': value };

    test.each(['/openapi.json', '/openapi.json?version=3.0', '/control.json'])('in %s', async (path) => {
      const headers = { ...admin, ...forwarded, host: 'au.localhost:9' };
      const { body } = await sandbox.control('GET', path, undefined, headers);
      expect(body.servers[0].url).toBe(`${scheme}://au.localhost:9`);
    });

    test('in the cookie of a login, which then opens the control API', async () => {
      const login = await sandbox.control('POST', '/session', { token: adminToken }, forwarded);
      const [cookie = ''] = login.headers['set-cookie'] as unknown as string[];
      expect(cookie.split('; ').includes('Secure')).toBe(scheme === 'https');
      expect(cookie.startsWith('__Secure-')).toBe(scheme === 'https');
      const [pair = ''] = cookie.split(';');
      expect((await sandbox.control('GET', '/projects', undefined, { ...forwarded, cookie: pair })).status).toBe(200);
      const logout = await sandbox.control('DELETE', '/session', undefined, { ...forwarded, cookie: pair });
      expect(String(logout.headers['set-cookie']).startsWith('__Secure-')).toBe(scheme === 'https');
    });

    test('in an archive of requests', async () => {
      const project = freshProject();
      await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [] }, { ...forwarded, host: 'localhost:9' });
      const { body } = await sandbox.control('GET', `/projects/${project}/requests?format=har`, undefined, admin);
      expect(body.log.entries[0].request.url).toBe(`${scheme}://localhost:9/async/projects/${project}/jobs`);
    });
  },
);

test.each(['/openapi.json', '/docs', '/_sandbox'])(
  'a redirect of %s names no scheme, so it keeps the one of the client',
  async (path) => {
    const response = await fetch(`${sandbox.url()}${path}`, {
      redirect: 'manual',
      headers: { 'x-forwarded-proto': 'https' },
    });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toMatch(/^\/_sandbox\//);
  },
);
