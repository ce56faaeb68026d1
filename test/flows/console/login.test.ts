/** A browser logs in where an admin token is asked for: a cookie stands in its place, and does no more than it should. */
import { expect, test } from 'vitest';
import { useSandbox } from '../../harness/sandbox.ts';

const adminToken = 'let-me-in-please';
const sandbox = useSandbox({ adminToken, apiKeys: ['another-key'] });
const again = useSandbox({ adminToken });
const open = useSandbox();

async function login(token: string) {
  return sandbox.control('POST', '/session', { token });
}

async function cookieOf(token: string): Promise<string> {
  const [cookie = ''] = (await login(token)).headers['set-cookie'] as unknown as string[];
  return cookie;
}

test('the page needs no login; its data does', async () => {
  expect((await fetch(`${sandbox.url()}/_sandbox/`)).status).toBe(200);
  for (const path of ['/projects', '/events', '/settings', '/requests']) {
    expect((await sandbox.control('GET', path)).status, path).toBe(401);
  }
});

test('a login returns a cookie that no script can read and that does not contain the token', async () => {
  const cookie = await cookieOf(adminToken);
  expect(cookie).toMatch(/^sandbox-session=[\w-]{43}; Path=\/_sandbox; HttpOnly; SameSite=Strict$/);
  expect(cookie).not.toContain(adminToken);
  const [pair = ''] = cookie.split(';');
  expect((await sandbox.control('GET', '/projects', undefined, { cookie: `theme=dark; ${pair}` })).status).toBe(200);
  // A server that was started anew with the same token knows it still.
  expect((await again.control('GET', '/projects', undefined, { cookie: pair })).status).toBe(200);
});

test.each(['', 'let-me-in-pleas', 'let-me-in-pleasee', 'x'.repeat(4096)])(
  'a wrong token gets no cookie: %s',
  async (token) => {
    const answer = await login(token);
    expect(answer.status).toBe(token === '' ? 400 : 401);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.text).not.toContain(adminToken);
  },
);

test.each([
  'sandbox-session=',
  'sandbox-session=x',
  `sandbox-session=${adminToken}`,
  `x-sandbox-session=${adminToken}`,
])('an invalid cookie gives no access: %s', async (cookie) => {
  expect((await sandbox.control('GET', '/projects', undefined, { cookie })).status).toBe(401);
});

test('the cookie gives no access to a page of another origin', async () => {
  const [cookie = ''] = (await cookieOf(adminToken)).split(';');
  const headers = { cookie, origin: 'https://elsewhere.example' };
  expect((await sandbox.control('POST', '/reset', undefined, headers)).status).toBe(403);
});

test('a logout removes the cookie', async () => {
  const [cookie = ''] = (await cookieOf(adminToken)).split(';');
  const answer = await sandbox.control('DELETE', '/session', undefined, { cookie });
  expect(answer.status).toBe(204);
  expect(String(answer.headers['set-cookie'])).toContain(
    'sandbox-session=; Path=/_sandbox; HttpOnly; SameSite=Strict; Max-Age=0',
  );
});

test('without an admin token there is no login', async () => {
  expect((await open.control('POST', '/session', { token: 'anything' })).status).toBe(401);
  expect((await open.control('GET', '/projects')).status).toBe(200);
});

test('a configured API key is not returned', async () => {
  const headers = { authorization: `Bearer ${adminToken}` };
  const { body, text } = await sandbox.control('GET', '/settings', undefined, headers);
  expect(body.apiKey).toBeNull();
  expect(text).not.toMatch(/another-key|let-me-in/);
});

test('the document of the control API asks for a token only where one is needed', async () => {
  const securityAt = async ({ url }: typeof sandbox, headers: Record<string, string> = {}) =>
    ((await (await fetch(`${url()}/_sandbox/control.json`, { headers })).json()) as { security: unknown }).security;
  expect(await securityAt(sandbox, { authorization: `bearer ${adminToken}` })).toEqual([{ adminToken: [] }]);
  expect(await securityAt(open)).toEqual([]);
});
