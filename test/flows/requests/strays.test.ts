/** A request with a wrong key or path is shown with the project that its path names. transcripts/strays.txt has lists. */
import { expect, test } from 'vitest';
import { readEvents } from '../../harness/event-reader.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ adminToken: 'token', apiKeys: ['sandbox-key', 'own=own-b'] });
const admin = { authorization: 'Bearer token' };
const jobs = { jobs: [{ id: 'J-1' }] };

const list = async (project: string): Promise<readonly { readonly status: number }[]> =>
  (await sandbox.control('GET', `/projects/${project}/requests?limit=1000`, undefined, admin)).body.items;

const importWith = (project: string, apikey: string | undefined) =>
  sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, jobs, { apikey });

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

test('a client with an API key gets the events of those that name its projects', async () => {
  const own = 'own-b';
  const events = await readEvents(`${sandbox.url()}/_sandbox/events`, undefined, { apikey: 'own' });
  await importWith('elsewhere', 'wrong');
  await importWith(own, 'wrong');
  const [event] = await events.take(1);
  events.leave();
  expect(event).toMatchObject({ kind: 'request', data: { project: own, status: 401, change: null, accepted: 0 } });
});
