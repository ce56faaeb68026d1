/** The end of keys that were created at run time, and their file. flows/transcripts/keys.txt has the rest. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import supertest from 'supertest';
import { describe, expect, test } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { toKeyText } from '../../../src/project/persistence/key-file.ts';
import { readEvents } from '../../harness/event-reader.ts';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { createTestWall } from '../../harness/wall.ts';
import { type KeptSandbox, useFolders } from '../data-steps.ts';

const adminToken = 'let-me-in';
const admin = { authorization: `Bearer ${adminToken}` };

const wall = createTestWall(Date.parse('2026-03-02T09:30:00Z'));
const sandbox = useSandbox({ adminToken, apiKeys: ['sandbox-key'] }, shippedProfile, wall);
interface Created {
  readonly id: string;
  readonly key: string;
}

async function createKey(body: object): Promise<Created> {
  const { status, body: created } = await sandbox.control('POST', '/keys', body, admin);
  expect(status).toBe(201);
  return created;
}

test('a key cannot change a position that it received', async () => {
  const project = freshProject();
  const { key: apikey } = await createKey({ projects: [project] });
  for (const id of ['A', 'B', 'C']) await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id }] });
  const list = (cursor = '') =>
    sandbox.control('GET', `/projects/${project}/requests?limit=1${cursor}`, undefined, { apikey });
  const next: string = (await list()).body.next;
  expect((await list(`&cursor=${next}`)).status).toBe(200);
  const bytes = Buffer.from(next, 'base64url');
  for (const at of bytes.keys()) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect([at, (await list(`&cursor=${changed.toString('base64url')}`)).status]).toEqual([at, 400]);
  }
});

describe('the end of a key', () => {
  async function open(expiresAt?: string) {
    const project = freshProject();
    const { id, key } = await createKey({ projects: [project], ...(expiresAt && { expiresAt }) });
    const login = await sandbox.control('POST', '/session', { apikey: key });
    const cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
    const path = `${sandbox.url()}/_sandbox/events`;
    const streams = [
      await readEvents(path, undefined, { cookie }),
      await readEvents(`${path}?project=${project}`, undefined, { apikey: key }),
    ];
    const list = `/projects/${project}/requests?await=10m`;
    const waiting = supertest(sandbox.url())
      .get(`/_sandbox${list}`)
      .set('cookie', cookie)
      .ok(() => true)
      .then((answer) => answer);
    await expect
      .poll(async () => (await sandbox.control('GET', `/projects/${project}`, undefined, admin)).body.usage.waiting)
      .toBe(1);
    return { id, cookie, streams, waiting };
  }

  async function expectEnd({ cookie, streams, waiting }: Awaited<ReturnType<typeof open>>): Promise<void> {
    for (const { ended } of streams) expect(await ended).toEqual([]);
    expect((await waiting).status).toBe(401);
    expect((await sandbox.control('GET', '/projects', undefined, { cookie })).status).toBe(401);
    expect((await sandbox.control('GET', '/metrics', undefined, admin)).text).toContain('sandbox_event_followers 0');
  }

  test('by deletion ends its sessions, event streams and waiting requests', async () => {
    const opened = await open();
    await sandbox.control('DELETE', `/keys/${opened.id}`, undefined, admin);
    await expectEnd(opened);
  });

  test.each([
    ['POST', '/sync/projects/:p/orders', { orders: [{ id: 'O-1' }] }],
    ['PUT', '/_sandbox/projects/:p/clock', { mode: 'frozen' }],
  ])('by deletion ends a request whose body is still arriving: %s %s', async (method, path, body) => {
    const project = freshProject();
    const { id, key } = await createKey({ projects: [project] });
    const text = JSON.stringify(body);
    const headers = { apikey: key, 'content-type': 'application/json', expect: '100-continue' };
    const sending = request(sandbox.url() + path.replace(':p', project), {
      method,
      headers: { ...headers, 'content-length': text.length },
    });
    // Now the server has seen the key, and waits for the body.
    await once(sending, 'continue');
    await sandbox.control('DELETE', `/keys/${id}`, undefined, admin);
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    sending.end(text);
    const [response] = await answered;
    expect(response.resume().statusCode).toBe(401);
    const { items } = (await sandbox.control('GET', '/projects?limit=1000', undefined, admin)).body;
    expect(items.map((one: { id: string }) => one.id)).not.toContain(project);
  });

  test('by expiry does the same', async () => {
    const opened = await open('2026-03-02T09:35:00Z');
    wall.pass(300_000);
    await expectEnd(opened);
  });
});

test('a request with a session is a use of its key', async () => {
  const { id, key } = await createKey({ projects: [freshProject()] });
  const { headers } = await sandbox.control('POST', '/session', { apikey: key });
  wall.pass(5000);
  const now = new Date(wall.now()).toISOString();
  await sandbox.control('GET', '/projects', undefined, { cookie: String(headers['set-cookie']).split(';')[0] ?? '' });
  const { items } = (await sandbox.control('GET', '/keys?limit=1000', undefined, admin)).body;
  expect(items.find((one: { id: string }) => one.id === id)).toMatchObject({ lastUsedAt: now });
});

test('requests at the same time do not create more projects than the key may have', async () => {
  const prefix = freshProject();
  const { key } = await createKey({ projects: [`${prefix}-*`], limits: { projects: 1 } });
  const scenarios = [{ name: 'large', rules: [{ then: { respond: { status: 503, body: ['x'.repeat(200_000)] } } }] }];
  const put = (n: number) =>
    sandbox.control('PUT', `/projects/${prefix}-${n}/scenarios`, { scenarios }, { apikey: key });
  const statuses = (await Promise.all([1, 2, 3, 4].map(put))).map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 507, 507, 507]);
});

describe('with --data', () => {
  const { fresh, start } = useFolders();
  const profile = writeProfile({ limits: { key: { projects: 1 } } });
  const createdAt = '2026-03-02T09:00:00.000Z';
  const toDigest = (n: number) => createHash('sha256').update(String(n)).digest('base64');
  const send = async ({ api }: KeptSandbox, project: string, apikey: string) =>
    (await api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'O-1' }] }, { apikey })).status;

  test('keys outlive a restart as hashes, with their last use, for the owner only', async () => {
    const folder = fresh();
    const first = await start(folder, { adminToken });
    const { key, id }: Created = (await first.control('POST', '/keys', { projects: ['acme-*'] }, admin)).body;
    expect(await send(first, 'acme-1', key)).toBe(200);
    await first.close();
    const file = path.join(folder, '.keys');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(key.slice(4));
    expect(JSON.parse(text)).toMatchObject({
      version: 2,
      keys: [{ id, projects: ['acme-*'], lastUsedAt: expect.any(String) }],
    });
    const second = await start(folder, { adminToken, profile });
    expect(await send(second, 'acme-1', key)).toBe(200);
    // The project in the folder counts, whether or not it is in memory.
    expect(await send(second, 'acme-2', key)).toBe(507);
    expect((await second.control('DELETE', `/keys/${id}`, undefined, admin)).status).toBe(204);
    await second.close();
    expect(await send(await start(folder, { adminToken }), 'acme-1', key)).toBe(401);
  });

  test.each<[string, (text: string) => string, string]>([
    ['cut off', (text) => text.slice(0, -20), 'it is cut off'],
    ['with other projects', (text) => text.replace('acme', 'beta'), 'its checksum does not fit'],
    ['of another version', () => '{"version":1,"keys":[]}\n', 'it has no checksum'],
  ])('a file that is %s stops the start, and the message says what to do', async (_, damage, mistake) => {
    const folder = fresh();
    const first = await start(folder, { adminToken });
    await first.control('POST', '/keys', { projects: ['acme-*'] }, admin);
    await first.close();
    const file = path.join(folder, '.keys');
    writeFileSync(file, damage(readFileSync(file, 'utf8')));
    const message = await start(folder, { adminToken }).then(String, (error: Error) => error.message);
    expect(message).toContain(`--data: ${file}: line 1: ${mistake}. It lists API keys: restore it from a backup`);
  });

  test('at most 10,000 keys are stored', async () => {
    const folder = fresh();
    mkdirSync(folder);
    const toKey = (_: unknown, n: number) => ({ id: `key_${n}`, digest: toDigest(n), projects: ['p'], createdAt });
    writeFileSync(path.join(folder, '.keys'), toKeyText(Array.from({ length: 9999 }, toKey)));
    const { control } = await start(folder, { adminToken });
    const create = () => control('POST', '/keys', { projects: ['p'] }, admin);
    expect((await create()).status).toBe(201);
    expect(await create()).toMatchObject({ status: 409, body: { message: expect.stringContaining('10,000 keys') } });
    expect((await control('DELETE', '/keys/key_0', undefined, admin)).status).toBe(204);
    expect((await create()).status).toBe(201);
  });
});
