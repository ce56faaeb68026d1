/** The sandbox over TLS, asked by clients that check everything; and that it is the same sandbox. */
import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { askSecurely, fetchCa } from '../harness/secure-client.ts';

const sandbox = useSandbox({ tls: 'true', tlsNames: ['Sandbox.Test', '*.partner.test', '10.1.2.3'], apiKeys: ['k'] });
const regional = useSandbox({ tls: 'true', apiKeys: ['k@au'] });
const guarded = useSandbox({ tls: 'true', adminToken: 'let-me-in' });
const plain = useSandbox({ adminToken: 'let-me-in' });

let ca = '';
let port = '';
beforeAll(async () => {
  ca = await fetchCa(sandbox);
  ({ port } = new URL(sandbox.tls()?.url ?? ''));
});

const post = { method: 'POST', headers: { apikey: 'k' }, body: { jobs: [{ id: 'A' }] } };

describe('a client that verifies the certificate', () => {
  test.each([
    'localhost',
    '127.0.0.1',
    'au.localhost',
    'eu.localhost',
    'us.localhost',
    'sandbox.test',
    'a.partner.test',
  ])('gets a response as https://%s', async (host) => {
    const project = freshProject();
    const answer = await askSecurely(sandbox, host, `/sync/projects/${project}/jobs/batch`, post);
    expect(answer.status, answer.body).toBe(200);
    expect((await sandbox.items(project, 'jobs')).map(({ id }) => id)).toEqual(['A']);
    const { body } = await sandbox.control('GET', `/projects/${project}/requests?format=har`);
    expect(JSON.stringify(body)).toContain(`"url":"https://${host}:${port}/`);
  });

  test.each([
    ['nothing', 'localhost', () => null, /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/],
    ['the certificate of another start', 'localhost', () => fetchCa(regional), /CERT/],
    ['it, but asks by a name that is not in it', 'elsewhere.test', () => ca, /^ERR_TLS_CERT_ALTNAME_INVALID$/],
    ['it, but asks by a name two below a wildcard', 'a.b.partner.test', () => ca, /^ERR_TLS_CERT_ALTNAME_INVALID$/],
  ])("that trusts %s can't connect", async (_what, host, trusted, code) => {
    const asked = askSecurely(sandbox, host, '/_sandbox/health', { ca: await trusted() });
    await expect(asked).rejects.toMatchObject({ code: expect.stringMatching(code) });
  });

  test('reaches a region by its host', async () => {
    const ask = (host: string) => askSecurely(regional, host, '/sync/projects/p/jobs/batch', post);
    expect((await ask('au.localhost')).status).toBe(200);
    expect((await ask('eu.localhost')).status).toBe(403);
  });
});

test('strict clients accept the certificate', () => {
  const certificate = new X509Certificate(ca);
  const from = Date.parse(certificate.validFrom);
  const days = (Date.parse(certificate.validTo) - from) / 86_400_000;
  expect(days).toBeGreaterThan(365);
  expect(days).toBeLessThanOrEqual(397);
  expect((performance.timeOrigin + performance.now() - from) / 86_400_000).toBeGreaterThan(0.99);
  expect([certificate.ca, certificate.keyUsage]).toEqual([false, ['1.3.6.1.5.5.7.3.1']]);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.publicKey.asymmetricKeyType).toBe('ec');
  expect(certificate.subjectAltName?.split(', ')).toEqual([
    'DNS:localhost',
    'IP Address:127.0.0.1',
    'IP Address:0:0:0:0:0:0:0:1',
    ...['au', 'eu', 'us', '*'].map((name) => `DNS:${name}.localhost`),
    'DNS:sandbox.test',
    'DNS:*.partner.test',
    'IP Address:10.1.2.3',
  ]);
});

test.each([
  [['h2', 'http/1.1'], 'http/1.1'],
  [['h2'], 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'],
])('selects of the protocols %j: %s', async (ALPNProtocols, spoken) => {
  const socket = connect({ port: Number(port), host: '127.0.0.1', servername: 'localhost', ca, ALPNProtocols });
  const came = await new Promise((done) => {
    socket.once('secureConnect', () => done(socket.alpnProtocol));
    socket.once('error', (error: NodeJS.ErrnoException) => done(error.code));
  });
  socket.destroy();
  expect(came).toBe(spoken);
});

test('a client without TLS is disconnected, and the next one gets a response', async () => {
  await expect(fetch(`http://127.0.0.1:${port}/_sandbox/health`)).rejects.toThrow('fetch failed');
  expect((await askSecurely(sandbox, 'localhost', '/_sandbox/health')).status).toBe(200);
});

describe('GET /_sandbox/ca.pem', () => {
  test('needs no token on both ports; all else does', async () => {
    const answer = await fetch(`${guarded.url()}/_sandbox/ca.pem`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-pem-file']);
    const trusted = await answer.text();
    expect(trusted).toMatch(/^-----BEGIN CERTIFICATE-----\n[\s\S]*-----END CERTIFICATE-----\n?$/);
    expect(trusted).not.toContain('PRIVATE');
    expect((await askSecurely(guarded, 'localhost', '/_sandbox/ca.pem')).body).toBe(trusted);
    expect((await askSecurely(guarded, 'localhost', '/_sandbox/settings')).status).toBe(401);
  });

  test('is a 404 without TLS', async () => {
    expect(await plain.control('GET', '/ca.pem')).toMatchObject({
      status: 404,
      body: { message: 'there is no certificate to trust: TLS is off; start the sandbox with --tls' },
    });
    expect(plain.tls()).toBeUndefined();
  });
});

test('the console is served over TLS, and the document and the settings have the TLS URL', async () => {
  const page = await askSecurely(sandbox, 'localhost', '/_sandbox/');
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const answer = await askSecurely(sandbox, '127.0.0.1', '/_sandbox/openapi.json');
  expect(JSON.parse(answer.body).servers[0].url).toBe(`https://127.0.0.1:${port}`);
  expect((await sandbox.control('GET', '/settings')).body).toMatchObject({
    tlsUrl: `https://127.0.0.1:${port}`,
    caUrl: `${sandbox.url()}/_sandbox/ca.pem`,
  });
  const authorization = { authorization: 'Bearer let-me-in' };
  const { body } = await plain.control('GET', '/settings', undefined, authorization);
  expect(body).toMatchObject({ tlsUrl: null, caUrl: null });
});

describe('the guard', () => {
  test.each([
    ['its own origin', 'localhost', (own: string) => `https://localhost:${own}`, 200],
    ['its own by address', '127.0.0.1', (own: string) => `https://127.0.0.1:${own}`, 200],
    ['another origin', 'localhost', () => 'https://elsewhere.test', 403],
    ['the same host with another port', 'localhost', () => 'https://localhost:1', 403],
    ['another host name', 'sandbox.test', () => undefined, 421],
  ])('over TLS: %s', async (_what, host, originOf, status) => {
    const origin = originOf(port);
    const answer = await askSecurely(sandbox, host, '/_sandbox/projects', { headers: origin ? { origin } : {} });
    expect(answer.status, answer.body).toBe(status);
  });
});

describe('the cookie of a browser that logged in', () => {
  test('is secure over TLS, and valid for its own port only', async () => {
    const login = { token: 'let-me-in' };
    const answer = await askSecurely(guarded, 'localhost', '/_sandbox/session', { method: 'POST', body: login });
    const [secure = ''] = answer.headers['set-cookie'] ?? [];
    expect(secure).toMatch(/^__Secure-sandbox-session=[\w-]{43}; Path=\/_sandbox; HttpOnly; SameSite=Strict; Secure$/);
    const open = String((await guarded.control('POST', '/session', login)).headers['set-cookie']);
    expect(open).toMatch(/^sandbox-session=[\w-]{43}; Path=\/_sandbox; HttpOnly; SameSite=Strict$/);

    const statuses = [];
    for (const cookie of [secure, open].map((text) => text.split(';')[0] ?? '')) {
      const overTls = await askSecurely(guarded, 'localhost', '/_sandbox/projects', { headers: { cookie } });
      statuses.push([overTls.status, (await guarded.control('GET', '/projects', undefined, { cookie })).status]);
    }
    expect(statuses).toEqual([
      [200, 401],
      [401, 200],
    ]);
  });

  test('a logout removes the cookie of its port', async () => {
    const logout = { method: 'DELETE', headers: { authorization: 'Bearer let-me-in' } };
    const { headers } = await askSecurely(guarded, 'localhost', '/_sandbox/session', logout);
    expect(headers['set-cookie']).toEqual([
      '__Secure-sandbox-session=; Path=/_sandbox; HttpOnly; SameSite=Strict; Secure; Max-Age=0',
    ]);
  });
});
