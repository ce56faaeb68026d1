/** The search over all projects: by exact id first, and also for ids that never became records. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });

interface Result {
  readonly kind: string;
  readonly id: string;
  readonly project?: string;
}

async function search(q: string, query = ''): Promise<readonly Result[]> {
  const { status, body } = await sandbox.control('GET', `/search?q=${encodeURIComponent(q)}${query}`);
  expect(status).toBe(200);
  return body.items;
}

const orders = (project: string, ...ids: readonly string[]) =>
  sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: ids.map((id) => ({ id })) });

test('exact ids come first, then those that begin with the text, in upper or lower case', async () => {
  const project = freshProject();
  await orders(project, 'A-SEARCH-1', 'SEARCH-12', 'SEARCH-1', 'search-1');
  expect((await search('SEARCH-1')).map(({ id }) => id)).toEqual(['SEARCH-1', 'search-1', 'SEARCH-12', 'A-SEARCH-1']);
  expect(await search('SEARCH-1', '&limit=1')).toEqual([
    { kind: 'record', id: 'SEARCH-1', project, collection: 'orders' },
  ]);
  expect(await search('SEARCH.1')).toEqual([]);
});

test('finds ids without a record, requests, callbacks, projects and scenarios', async () => {
  const project = freshProject();
  const { headers } = await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'FAIL-NEVER' }] });
  await sandbox.advance(project);
  expect(await search('fail-never')).toEqual([{ kind: 'entity', id: 'FAIL-NEVER', project, collection: 'jobs' }]);
  const id = String(headers['x-request-id']);
  expect(await search(id)).toEqual([{ kind: 'request', id, project }]);
  const [callback] = await sandbox.items(project, 'callbacks');
  expect(await search(String(callback?.['id']))).toEqual([{ kind: 'callback', id: callback?.['id'], project }]);
  expect(await search(project)).toContainEqual({ kind: 'project', id: project });
  expect(await search('rate-limited')).toEqual([{ kind: 'scenario', id: 'rate-limited' }]);
});

test('one project can be searched alone', async () => {
  const [one, other] = [freshProject(), freshProject()];
  await orders(one, 'ALONE-1');
  await orders(other, 'ALONE-1');
  expect(await search('ALONE', `&project=${one}`)).toEqual([
    { kind: 'record', id: 'ALONE-1', project: one, collection: 'orders' },
  ]);
  expect(await search('ALONE')).toHaveLength(2);
});

test('the text is required', async () => {
  expect((await sandbox.control('GET', '/search')).status).toBe(400);
  expect((await sandbox.control('GET', '/search?q=')).status).toBe(400);
});
