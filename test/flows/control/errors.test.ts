/** The control API refuses strangers and mistakes: other origins and hosts, no token, wrong types, unknown fields, bad pages. */
import { beforeAll, describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { send, stateOf } from '../refusals.ts';

const sandbox = useSandbox();
const guarded = useSandbox({ adminToken: 'open-sesame' });
const everywhere = useSandbox({ host: '0.0.0.0' });

let project: string;
beforeAll(async () => {
  project = freshProject();
  await sandbox.freeze(project);
  const orders = Array.from({ length: 25 }, (_, i) => ({ id: `O-${i}`, status: i % 5 === 0 ? 'READY' : 'PENDING' }));
  await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders });
});

const get = (path: string, headers: Record<string, string> = {}) => sandbox.control('GET', path, undefined, headers);

describe('pages of other origins are rejected', () => {
  test.each(['https://evil.example', 'http://localhost:1', 'null', 'http://127.0.0.1', 'nonsense'])(
    'rejects %s',
    async (origin) => {
      const before = await stateOf(sandbox, project);
      for (const [method, path] of [
        ['GET', '/health'],
        ['POST', `/projects/${project}/reset`],
        ['POST', '/reset'],
        ['PUT', `/projects/${project}/clock`],
        ['OPTIONS', '/reset'],
      ] as const) {
        const wire = { method, path: `/_sandbox${path}`, headers: { origin, 'content-type': 'application/json' } };
        const answer = await send(sandbox, { ...wire, body: '{"mode":"real"}' });
        expect(answer).toMatchObject({ status: 403, body: { message: expect.stringContaining('origin') } });
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      }
      expect(await stateOf(sandbox, project)).toEqual(before);
    },
  );

  test("except of the sandbox's own origin", async () => {
    expect((await get('/health', { origin: sandbox.url() })).status).toBe(200);
  });
});

describe('other hosts are rejected', () => {
  test.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1:4600', 'notlocalhost'])(
    'responds to %s with 421',
    async (host) => {
      expect((await get('/health', { host })).status).toBe(421);
      expect((await sandbox.control('POST', '/reset', undefined, { host })).status).toBe(421);
    },
  );

  test.each(['localhost', 'LOCALHOST:4600', 'au.localhost:4600', '127.0.0.1:1', '127.8.9.1', '[::1]:4600'])(
    'accepts %s as this machine',
    async (host) => {
      expect((await get('/health', { host })).status).toBe(200);
    },
  );

  test('except if the sandbox listens on all addresses', async () => {
    const answer = await everywhere.control('GET', '/health', undefined, { host: 'sandbox.internal:4600' });
    expect(answer.status).toBe(200);
    const foreign = { host: 'sandbox.internal', origin: 'http://other.internal' };
    expect((await everywhere.control('GET', '/health', undefined, foreign)).status).toBe(403);
  });
});

describe('with an admin token', () => {
  test.each(['/health', '/ready', '/health/'])('%s needs no token', async (path) => {
    expect((await guarded.control('GET', path)).status).toBe(200);
  });

  test.each([
    ['GET', '/projects'],
    ['GET', '/requests'],
    ['GET', '/openapi.json'],
    ['GET', '/projects/p'],
    ['POST', '/reset'],
    ['PUT', '/projects/p/clock'],
    ['GET', '/nowhere'],
  ])('%s %s needs the token', async (method, path) => {
    const body = method === 'PUT' ? { mode: 'frozen' } : undefined;
    for (const authorization of [undefined, 'Bearer wrong', 'open-sesame', 'Bearer open-sesam', 'Basic open-sesame']) {
      const answer = await guarded.control(method, path, body, authorization === undefined ? {} : { authorization });
      expect(answer.status).toBe(401);
      expect(answer.body.errors[0].path).toBe('header:authorization');
      expect(answer.text).not.toContain('sesam');
    }
    const answer = await guarded.control(method, path, body, { authorization: 'Bearer open-sesame' });
    expect(answer.status).toBe(path === '/nowhere' ? 404 : 200);
  });

  test.each(['bearer open-sesame', 'BEARER   open-sesame', 'beaReR open-sesame'])(
    'accepts %s: the scheme ignores case and repeated spaces',
    async (authorization) => {
      expect((await guarded.control('GET', '/projects', undefined, { authorization })).status).toBe(200);
    },
  );

  test('a 401 names the scheme, also after a failed login', async () => {
    for (const answer of [
      await guarded.control('GET', '/projects'),
      await guarded.control('POST', '/session', { token: 'wrong' }),
    ]) {
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="field-sandbox"');
    }
    expect((await guarded.control('GET', '/health')).headers).not.toHaveProperty('www-authenticate');
  });

  test('the API itself requires only its key', async () => {
    expect((await guarded.api('POST', '/async/projects/p/jobs', { jobs: [] })).status).toBe(202);
  });
});

describe('a body of another type', () => {
  test.each([
    ['POST', '/reset'],
    ['POST', '/projects/$/reset'],
    ['DELETE', '/projects/$/callback-endpoint'],
    ['PUT', '/projects/$/clock'],
    ['PUT', '/projects/$/scenarios'],
    ['PUT', '/scenarios/x'],
  ])('is rejected by %s %s, even if it reads no body', async (method, path) => {
    const before = await stateOf(sandbox, project);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const wire = { method, path: `/_sandbox${path.replace('$', project)}`, body: '{"mode":"real"}' };
      expect((await send(sandbox, { ...wire, headers: { 'content-type': type } })).status).toBe(415);
    }
    expect(await stateOf(sandbox, project)).toEqual(before);
  });

  test('is rejected by its type alone, even if it is empty', async () => {
    const wire = {
      method: 'POST',
      path: `/_sandbox/projects/${project}/reset`,
      headers: { 'content-type': 'text/plain' },
    };
    expect((await send(sandbox, wire)).status).toBe(415);
  });
});

test('a token of a wrong length is explained, but not repeated', async () => {
  for (const token of ['', 'x'.repeat(5000)]) {
    const { body } = await guarded.control('POST', '/session', { token });
    expect(body.message).toMatch(/^\/token: expected (a text that is not empty|at most 4096 characters, got 5000)$/);
  }
});

test('accepts a path with a trailing slash', async () => {
  for (const path of ['/health/', '/projects/', `/projects/${project}/`, `/projects/${project}/orders/?limit=1`]) {
    expect((await get(path)).status, path).toBe(200);
  }
  const bare = await get('');
  expect([bare.status, bare.headers['location']]).toEqual([302, '/_sandbox/']);
});
