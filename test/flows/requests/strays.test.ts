/** A request with a wrong key or path is shown with the project that its path names, and is no part of that project. */
import { describe, expect, test } from 'vitest';
import { readEvents } from '../../harness/event-reader.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const apiKeys = ['sandbox-key', 'own=own-a,own-b', 'other=elsewhere', 'hidden=mine'];
const sandbox = useSandbox({ adminToken: 'token', apiKeys });
const same = useSandbox();
const another = useSandbox();

const admin = { authorization: 'Bearer token' };
const jobs = { jobs: [{ id: 'J-1' }] };

async function list(project: string, query = '', headers: Record<string, string> = admin) {
  const { status, body } = await sandbox.control(
    'GET',
    `/projects/${project}/requests?limit=1000${query}`,
    undefined,
    headers,
  );
  expect(status).toBe(200);
  return body.items as { id: string; project: string; status: number; path: string; change: number | null }[];
}

const importWith = (project: string, apikey: string | undefined) =>
  sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, jobs, { apikey });

test('the list of a project that does not exist shows them, and the project still does not exist', async () => {
  const project = `${freshProject()} ü`;
  const path = encodeURIComponent(project);
  await importWith(path, undefined);
  await importWith(path, 'wrong');
  await importWith(path, 'other');
  await sandbox.api('POST', `/projects/${path}/nowhere`, {});
  await sandbox.api('POST', `/async/project/${path}/jobs?x=1`, {});
  await sandbox.api('DELETE', `/async/projects/${path}/jobs`);
  const items = await list(path);
  expect(items.map(({ status }) => status)).toEqual([401, 401, 403, 404, 404, 405]);
  for (const item of items) expect(item).toMatchObject({ project, change: null });
  expect(await list(path, '&view=rows&outcome=rejected&status=404&order=newest')).toMatchObject([
    { path: `/async/project/${path}/jobs`, operation: null, project },
    { path: `/projects/${path}/nowhere` },
  ]);
  const one = await sandbox.control('GET', `/projects/${path}/requests/${items[0]?.id}`, undefined, admin);
  expect(one.body).toMatchObject({ status: 401, project, operation: 'syncCreateJobs' });
  const { body } = await sandbox.control('GET', `/requests?project=${path}&status=403`, undefined, admin);
  expect(body.items).toHaveLength(1);
  const { body: projects } = await sandbox.control('GET', '/projects?limit=1000', undefined, admin);
  expect(projects.items.map(({ id }: { id: string }) => id)).not.toContain(project);
});

test.each([
  '/nowhere',
  '/projects',
  '/projects//jobs',
  '/projects/jobs',
  '/sync/jobs/batch',
  '/projects/%ff/x',
  '/projects/hidden/x',
])('%s names no project', async (path) => {
  const { headers } = await sandbox.api('POST', path, {});
  const { body } = await sandbox.control('GET', `/requests/${headers['x-request-id']}`, undefined, admin);
  expect(body.project).toBeNull();
});

test.each(['/orders;apikey=hidden', '/hidden/orders'])('the key in the path of %s is not shown', async (rest) => {
  const { headers, text } = await sandbox.api('POST', `/projects/mine${rest}`, {});
  expect(text).not.toContain('hidden');
  const url = `/projects/mine/requests/${headers['x-request-id']}`;
  const shown = await sandbox.control('GET', url, undefined, { apikey: 'hidden' });
  expect(shown.body.request.url).toBe(`/projects/mine${rest.replace('hidden', '***')}`);
  expect(JSON.stringify(shown.body.response)).not.toContain('hidden');
});

test('they change no number, id, recording, coverage or expectation of the project', async () => {
  const shown = [];
  for (const one of [same, another]) {
    const send = (apikey: string) => one.api('POST', '/sync/projects/p/jobs/batch', jobs, { apikey });
    await one.control('PUT', '/projects/p/scenarios', {
      scenarios: [{ name: 's', rules: [], expect: [{ requests: { operation: 'syncCreateJobs' }, atMost: 1 }] }],
    });
    if (one === another) await send('wrong');
    const { headers } = await send('sandbox-key');
    if (one === another) await one.api('POST', '/projects/p/nowhere', {});
    const { body: project } = await one.control('GET', '/projects/p');
    const { body: recording } = await one.control('GET', '/projects/p/recording');
    const { body: expectations } = await one.control('GET', '/projects/p/expectations');
    const { body: coverage } = await one.control('GET', '/projects/p/coverage');
    const { body: har } = await one.control('GET', '/projects/p/requests?format=har');
    const failed = coverage.items.flatMap(({ failures }: { failures: { count: number }[] }) =>
      failures.filter(({ count }) => count > 0),
    );
    shown.push({
      id: headers['x-request-id'],
      counts: project.counts,
      changes: recording.changes.map(({ n }: { n: number }) => n),
      ids: recording.changes.map(({ request }: { request?: { id: string } }) => request?.id),
      met: expectations.met,
      failed,
      exchanges: har.log.entries.length,
    });
  }
  expect(shown[1]).toEqual(shown[0]);
});

test('a project shows the latest hundred, and keeps its own requests', async () => {
  const project = freshProject();
  await importWith(project, 'sandbox-key');
  await importWith('spared', 'wrong');
  for (let n = 0; n < 105; n += 1) await importWith(project, n === 0 ? undefined : 'wrong');
  const items = await list(project);
  expect(items.map(({ status }) => status)).toEqual([200, ...Array.from({ length: 100 }, () => 401)]);
  expect(await list('spared')).toHaveLength(1);
  await sandbox.control('POST', `/projects/${project}/reset`, {}, admin);
  expect(await list(project)).toEqual([]);
});

test('a list can leave them out, and waits for requests of the project only', async () => {
  const project = freshProject();
  await importWith(project, 'wrong');
  expect(await list(project, '&strays=false')).toEqual([]);
  const awaited = `/projects/${project}/requests?strays=false&await=0ms`;
  expect((await sandbox.control('GET', awaited, undefined, admin)).body).toEqual({ items: [], satisfied: false });
  await importWith(project, 'sandbox-key');
  expect((await list(project, '&strays=false')).map(({ status }) => status)).toEqual([200]);
  const path = `/requests?strays=false&project=${project}`;
  expect((await sandbox.control('GET', path, undefined, admin)).body.items).toHaveLength(1);
});

test('a reset deletes those of a project that was never created', async () => {
  const [one, other] = [freshProject(), freshProject()];
  for (const project of [one, other]) await importWith(project, 'wrong');
  await sandbox.control('POST', `/projects/${one}/reset`, {}, admin);
  expect([await list(one), (await list(other)).length]).toEqual([[], 1]);
  await sandbox.control('POST', '/reset', {}, admin);
  expect(await list(other)).toEqual([]);
});

describe('a client with an API key', () => {
  test('sees those that name its projects only', async () => {
    const own = 'own-a';
    await sandbox.control('POST', '/reset', {}, admin);
    await importWith(own, 'wrong');
    await importWith('elsewhere', 'own');
    await importWith('elsewhere', 'wrong');
    expect(await list(own, '', { apikey: 'own' })).toMatchObject([{ status: 401, project: own }]);
    const { body } = await sandbox.control('GET', '/requests?limit=1000&view=rows', undefined, { apikey: 'own' });
    const shown = body.items.map(({ project }: { project: string }) => project);
    expect(shown).toContain(own);
    for (const project of shown) expect(['own-a', 'own-b']).toContain(project);
    const theirs = await sandbox.control('GET', '/projects/elsewhere/requests', undefined, { apikey: 'own' });
    expect(theirs.status).toBe(403);
    expect((await list('elsewhere', '', { apikey: 'other' })).map(({ status }) => status)).toEqual([403, 401]);
  });

  test('gets their events', async () => {
    const own = 'own-b';
    const events = await readEvents(`${sandbox.url()}/_sandbox/events`, undefined, { apikey: 'own' });
    await importWith('elsewhere', 'wrong');
    await importWith(own, 'wrong');
    const [event] = await events.take(1);
    events.leave();
    expect(event).toMatchObject({ kind: 'request', data: { project: own, status: 401, change: null, accepted: 0 } });
  });
});
