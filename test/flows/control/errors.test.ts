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

describe('unknown parameters and fields', () => {
  test.each<[string, string, unknown, string]>([
    ['PUT', '/clock', { mode: 'frozen', speed: 2 }, '/speed'],
    ['PUT', '/callback-endpoint', { url: 'ftp://x' }, '/url'],
    ['PUT', '/callback-endpoint', { url: 'http://localhost:1', secret: 'whsec_short' }, '/secret'],
    ['PUT', '/callback-endpoint', { url: 'http://localhost:1', uri: 'x' }, '/uri'],
    ['PUT', '/scenarios', { scenarios: ['no-such'] }, '/scenarios/0'],
    ['PUT', '/scenarios', { scenario: 'no-such' }, '/scenarios'],
    ['GET', '/jobs?sort=id', undefined, 'query:sort'],
  ])('rejects %s %s with %j', async (method, path, body, pointer) => {
    const before = await stateOf(sandbox, project);
    const answer = await sandbox.control(method, `/projects/${project}${path}`, body);
    expect(answer.status).toBe(400);
    expect((answer.body.errors as { path: string }[]).map((error) => error.path)).toContain(pointer);
    expect(await stateOf(sandbox, project)).toEqual(before);
  });

  test.each<[string, string, unknown, string]>([
    ['PATCH', '/callback-endpoint', {}, 'expected at least one of url, secret, disabled; got {}'],
    ['GET', '/requests?since=', undefined, 'query:since: expected a text that is not empty, got ""'],
    [
      'GET',
      `/requests?contains=${'x'.repeat(201)}`,
      undefined,
      'query:contains: expected at most 200 characters, got 201',
    ],
  ])('%s %s with %j is explained plainly', async (method, path, body, message) => {
    const answer = await sandbox.control(method, `/projects/${project}${path}`, body);
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } });
  });

  test('a token of a wrong length is explained, but not repeated', async () => {
    for (const token of ['', 'x'.repeat(5000)]) {
      const { body } = await guarded.control('POST', '/session', { token });
      expect(body.message).toMatch(/^\/token: expected (a text that is not empty|at most 4096 characters, got 5000)$/);
    }
  });

  test.each([
    ['GET', '/projekts', 404, '/_sandbox/projects'],
    ['GET', `/projects/p/jobs/unknown`, 404, 'no job unknown'],
    ['GET', '/scenarios/unknown', 404, 'no scenario "unknown"'],
    ['DELETE', '/projects', 405, 'expected GET'],
    ['GET', '/reset', 405, 'expected POST'],
    ['GET', '/projects/%zz', 400, "can't be decoded"],
  ])('%s %s: %i', async (method, path, status, hint) => {
    const answer = await sandbox.control(method, path);
    expect(answer).toMatchObject({ status, body: { message: expect.stringContaining(hint) } });
    // What helps those who look for an operation of the API would mislead here.
    expect(answer.body.message).not.toMatch(/profile|no read operations/);
  });
});

test.each([
  [() => sandbox.control('GET', '/projects/p/requests?await=5sec'), 'got "5sec", did you mean 5s?'],
  [() => sandbox.control('POST', '/projects/p/clock/advance', { by: 10 }), 'got number 10, did you mean 10s or 10ms?'],
  [() => sandbox.control('POST', '/projects/p/clock/advance', { by: 'soon' }), 'got "soon"'],
])('a duration that is none gets a suggestion, if there is one', async (ask, hint) => {
  const { status, body } = await ask();
  expect([status, body.errors[0].message]).toEqual([
    400,
    `expected a number and ms, s, m, h or d, such as 200ms, 2s or 10m, ${hint}`,
  ]);
});

test('accepts a path with a trailing slash', async () => {
  for (const path of ['/health/', '/projects/', `/projects/${project}/`, `/projects/${project}/orders/?limit=1`]) {
    expect((await get(path)).status, path).toBe(200);
  }
  const bare = await get('');
  expect([bare.status, bare.headers['location']]).toEqual([302, '/_sandbox/']);
});
