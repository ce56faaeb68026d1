/** An admin gives partners keys while the sandbox runs: what they open, their limits, and their end. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import supertest from 'supertest';
import { describe, expect, test } from 'vitest';
import { createWallClock } from '../../../src/lib/time.ts';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { readEvents } from '../../harness/event-reader.ts';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, type TestSandbox, useSandbox } from '../../harness/sandbox.ts';
import { type KeptSandbox, useFolders } from '../data-steps.ts';

const adminToken = 'let-me-in';
const admin = { authorization: `Bearer ${adminToken}` };

const system = createWallClock();
let offsetMs = 0;
const timers = new Set<() => void>();
/** The real clock, which a test can set ahead; its timers of more than half an hour then run. */
const wall = {
  ...system,
  now: () => system.now() + offsetMs,
  after: (ms: number, run: () => void) => {
    if (ms > 1_800_000) timers.add(run);
    return system.after(ms, run);
  },
};
function setAhead(ms: number): void {
  offsetMs += ms;
  for (const run of [...timers]) run();
}

const sandbox = useSandbox({ adminToken, apiKeys: ['sandbox-key'] });
const timed = useSandbox({ adminToken, apiKeys: ['sandbox-key'] }, shippedProfile, wall);
const small = useSandbox({
  adminToken,
  profile: writeProfile({ limits: { key: { projects: 2 }, project: { records: 100 } } }),
});

interface Created {
  readonly id: string;
  readonly key: string;
}

async function createKey(client: TestSandbox, body: object): Promise<Created> {
  const created = await client.control('POST', '/keys', body, admin);
  expect([created.status, created.headers['cache-control']]).toEqual([201, 'no-store']);
  return created.body as Created;
}

const importJobs = (client: TestSandbox, project: string, apikey: string, count = 1) =>
  client.api(
    'POST',
    `/sync/projects/${project}/jobs/batch`,
    { jobs: Array.from({ length: count }, (_, n) => ({ id: `J-${n}` })) },
    { apikey },
  );

describe('a key that is created', () => {
  test('works at once, is listed without its text, and is unknown once it is deleted', async () => {
    const project = freshProject();
    const given = { projects: [`${project}*`], label: 'Acme', region: 'au', limits: { records: 5 } };
    const { id, key } = await createKey(sandbox, given);
    expect((await importJobs(sandbox, `${project}-1`, key)).status).toBe(200);
    expect((await importJobs(sandbox, 'another', key)).status).toBe(403);
    const { body, text } = await sandbox.control('GET', '/keys', undefined, admin);
    const listed = (body.items as Created[]).find((one) => one.id === id);
    expect(listed).toMatchObject({ ...given, id, createdAt: expect.any(String), lastUsedAt: expect.any(String) });
    const fields = ['id', 'projects', 'region', 'label', 'limits', 'createdAt', 'lastUsedAt'];
    expect(Object.keys(listed ?? {})).toEqual(fields);
    expect(listed).not.toHaveProperty('key');
    expect(text).not.toContain(key);
    expect((await sandbox.control('DELETE', `/keys/${id}`, undefined, admin)).status).toBe(204);
    expect((await importJobs(sandbox, `${project}-1`, key)).body.message).toBe(
      'this API key was never issued: --api-key sets the keys; without it, the key is sandbox-key',
    );
    expect((await sandbox.control('DELETE', `/keys/${id}`, undefined, admin)).status).toBe(404);
  });

  test('reads nothing once it is deleted, not even what its request waits for', async () => {
    const project = freshProject();
    const { id, key } = await createKey(sandbox, { projects: [project] });
    await importJobs(sandbox, project, key);
    const path = `/projects/${project}/requests?await=30s&min=2`;
    const waiting = sandbox.control('GET', path, undefined, { apikey: key });
    // What is answered later was read later.
    await sandbox.control('GET', '/health', undefined, admin);
    await sandbox.control('DELETE', `/keys/${id}`, undefined, admin);
    await importJobs(sandbox, project, 'sandbox-key');
    expect((await waiting).status).toBe(401);
  });

  test('is not recorded', async () => {
    const project = freshProject();
    const { key } = await createKey(sandbox, { projects: [project] });
    await sandbox.api('GET', `/sync/projects/${project}/jobs?x=${key}`, undefined, { apikey: key, 'x-note': key });
    expect((await sandbox.control('GET', '/requests', undefined, admin)).text).not.toContain(key);
  });
});

describe('the caller of a key', () => {
  test('is described, with the limits of the key', async () => {
    const given = {
      projects: ['acme-*', 'acme'],
      label: 'Acme',
      expiresAt: '2099-01-01T00:00:00Z',
      limits: { records: 5 },
    };
    const { key } = await createKey(sandbox, given);
    const { body } = await sandbox.control('GET', '/session', undefined, { apikey: key });
    expect(body).toEqual({ ...given, admin: false, projects: ['acme', 'acme-*'] });
    expect((await sandbox.control('GET', '/session', undefined, admin)).body).toEqual({ admin: true, projects: null });
    const own = await sandbox.control('GET', '/projects/acme', undefined, { apikey: key });
    expect(own.body.limits).toMatchObject({ records: 5, waiting: 1000 });
    expect((await sandbox.control('GET', '/projects/acme', undefined, admin)).body.limits).not.toHaveProperty(
      'records',
    );
  });

  test('sees no key of the settings, and no name of the project that a fork copies', async () => {
    const [mine, theirs] = [freshProject(), freshProject()];
    const { key } = await createKey(sandbox, { projects: [mine] });
    await importJobs(sandbox, theirs, 'sandbox-key');
    const fork = await sandbox.control('POST', `/projects/${theirs}/fork`, { to: mine }, admin);
    expect(fork.body.forkedFrom.project).toBe(theirs);
    const apikey = { apikey: key };
    expect((await sandbox.control('GET', '/settings', undefined, apikey)).body.apiKey).toBeNull();
    expect((await sandbox.control('GET', '/settings', undefined, admin)).body.apiKey).toBe('sandbox-key');
    const shown = await Promise.all(
      [`/projects/${mine}`, '/projects', `/projects/${mine}/recording`].map(
        async (where) => (await sandbox.control('GET', where, undefined, apikey)).text,
      ),
    );
    expect(shown.join()).not.toContain(`"${theirs}"`);
    expect(shown[2]).toContain('is a fork of another project');
    const past = { to: mine, atChange: 1 };
    expect((await sandbox.control('POST', `/projects/${mine}/fork`, past, apikey)).text).not.toContain(theirs);
  });

  test('gets only events of its projects', async () => {
    const [mine, theirs] = [freshProject(), freshProject()];
    const { key } = await createKey(sandbox, { projects: [mine] });
    const events = await readEvents(`${sandbox.url()}/_sandbox/events?records=true`, undefined, { apikey: key });
    await importJobs(sandbox, theirs, 'sandbox-key');
    await sandbox.api('GET', '/nowhere', undefined);
    await sandbox.api('POST', `/async/projects/${theirs}/jobs`, { jobs: [{ id: 'J' }] });
    await importJobs(sandbox, mine, key);
    const [event] = await events.take(1);
    expect(event?.data['project']).toBe(mine);
    events.leave();
  });
});

describe('limits', () => {
  test('a pattern creates at most two projects by the profile, also by the control API', async () => {
    const prefix = `${freshProject()}-`;
    const { key } = await createKey(small, { projects: [`${prefix}*`] });
    for (const n of [1, 2]) expect((await importJobs(small, `${prefix}${n}`, key)).status).toBe(200);
    const refused = await importJobs(small, `${prefix}3`, key);
    expect([refused.status, refused.body.message]).toEqual([
      507,
      expect.stringContaining('"limits.key.projects" is 2:'),
    ]);
    const apikey = { apikey: key };
    const clock = await small.control('PUT', `/projects/${prefix}3/clock`, { mode: 'frozen' }, apikey);
    const fork = await small.control('POST', `/projects/${prefix}1/fork`, { to: `${prefix}3` }, apikey);
    expect([clock.status, fork.status]).toEqual([507, 507]);
    expect((await importJobs(small, `${prefix}2`, key)).status).toBe(200);
    await small.control('POST', `/projects/${prefix}1/reset`, undefined, apikey);
    expect((await importJobs(small, `${prefix}3`, key)).status).toBe(200);
  });

  test('of a key replace those of the profile, for its requests only', async () => {
    const project = freshProject();
    const { key: lower } = await createKey(small, { projects: [project], limits: { records: 10 } });
    const { key: higher } = await createKey(small, { projects: [project], limits: { records: 200 } });
    expect((await importJobs(small, project, lower, 11)).body.message).toContain(
      '"limits.records" of this API key is 10:',
    );
    expect((await importJobs(small, project, higher, 150)).status).toBe(200);
    expect((await importJobs(small, project, 'sandbox-key', 151)).body.message).toMatch(
      /^"limits.project.records" is 100:/,
    );
  });

  test.each<[string, object, (key: string, project: string) => Promise<{ status: number; body: { message: string } }>]>(
    [
      [
        'scenarios',
        { scenarios: 1 },
        (apikey, project) =>
          small.control('PUT', `/projects/${project}/scenarios`, { scenarios: ['rate-limited', 'outage'] }, { apikey }),
      ],
      [
        'followers',
        { followers: 1 },
        async (apikey, project) => {
          const events = await readEvents(`${small.url()}/_sandbox/events?project=${project}`, undefined, { apikey });
          const second = await small.control('GET', `/events?project=${project}`, undefined, { apikey });
          events.leave();
          return second;
        },
      ],
      ['bytes', { bytes: '1kB' }, (apikey, project) => importJobs(small, project, apikey, 20)],
      [
        'pending',
        { pending: 1 },
        async (apikey, project) => {
          await small.control('PUT', `/projects/${project}/clock`, { mode: 'frozen' }, { apikey });
          const body = { jobs: [{ id: 'J' }] };
          await small.api('POST', `/async/projects/${project}/jobs`, body, { apikey });
          return small.api('POST', `/async/projects/${project}/jobs`, body, { apikey });
        },
      ],
      [
        'requestsPerSecond',
        { requestsPerSecond: 1 },
        async (apikey, project) => {
          for (;;) {
            const answer = await small.control('GET', `/projects/${project}`, undefined, { apikey });
            if (answer.status === 429) return answer;
          }
        },
      ],
    ],
  )('of a key can set %s', async (name, limits, send) => {
    const project = freshProject();
    const { key } = await createKey(small, { projects: [project], limits });
    const { status, body } = await send(key, project);
    expect([429, 507]).toContain(status);
    expect(body.message).toContain(`"limits.${name}" of this API key is `);
    expect((await small.control('GET', `/projects/${project}`, undefined, admin)).status).toBe(200);
  });
});

test('the limit of bytes of a key decides how much journal the project keeps, once a request is accepted', async () => {
  const project = freshProject();
  const { key } = await createKey(small, { projects: [project], limits: { bytes: '1kB' } });
  const requests = async () =>
    (await small.control('GET', `/projects/${project}`, undefined, admin)).body.counts.requests;
  for (const _ of [1, 2]) expect((await importJobs(small, project, 'sandbox-key', 3)).status).toBe(200);
  expect((await importJobs(small, project, key, 50)).status).toBe(507);
  expect(await requests()).toBe(3);
  const { key: wide } = await createKey(small, { projects: [project], limits: { bytes: '5kB' } });
  expect(
    (await small.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'O' }] }, { apikey: wide })).status,
  ).toBe(200);
  expect(await requests()).toBeLessThan(3);
});

describe('the end of a key', () => {
  async function open(expiresAt?: string) {
    const project = freshProject();
    const { id, key } = await createKey(timed, { projects: [project], ...(expiresAt && { expiresAt }) });
    const login = await timed.control('POST', '/session', { apikey: key });
    const cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
    const path = `${timed.url()}/_sandbox/events`;
    const streams = [
      await readEvents(path, undefined, { cookie }),
      await readEvents(`${path}?project=${project}`, undefined, { apikey: key }),
    ];
    const list = `/projects/${project}/requests?await=10m`;
    const waiting = supertest(timed.url())
      .get(`/_sandbox${list}`)
      .set('cookie', cookie)
      .ok(() => true)
      .then((answer) => answer);
    await expect
      .poll(async () => (await timed.control('GET', `/projects/${project}`, undefined, admin)).body.usage.waiting)
      .toBe(1);
    return { id, cookie, streams, waiting };
  }

  async function expectEnd({ cookie, streams, waiting }: Awaited<ReturnType<typeof open>>): Promise<void> {
    for (const { ended } of streams) expect(await ended).toEqual([]);
    expect((await waiting).status).toBe(401);
    expect((await timed.control('GET', '/projects', undefined, { cookie })).status).toBe(401);
    expect((await timed.control('GET', '/metrics', undefined, admin)).text).toContain('sandbox_event_followers 0');
  }

  test('by deletion ends its sessions, event streams and waiting requests', async () => {
    const opened = await open();
    await timed.control('DELETE', `/keys/${opened.id}`, undefined, admin);
    await expectEnd(opened);
  });

  test('by expiry does the same', async () => {
    const opened = await open(new Date(wall.now() + 3_600_000).toISOString());
    setAhead(3_600_000);
    await expectEnd(opened);
  });
});

describe('with --data', () => {
  const { fresh, start } = useFolders();
  const profile = writeProfile({ limits: { key: { projects: 1 } } });
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
});
