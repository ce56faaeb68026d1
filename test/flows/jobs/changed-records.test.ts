/** From a request to the records that it changed, from a record to the requests that named it, and what is still due. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const jobs = (project: string, ...ids: readonly string[]) =>
  sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: ids.map((id) => ({ id })) });

async function changedBy(project: string, id: string): Promise<readonly string[]> {
  const own = await sandbox.control('GET', `/projects/${project}/requests/${id}`);
  const any = await sandbox.control('GET', `/requests/${id}`);
  expect(any.body).toEqual(own.body);
  return (own.body.changed as { collection: string; id: string }[]).map((one) => `${one.collection}/${one.id}`);
}

const idOf = (answer: { headers: Record<string, string> }): string => answer.headers['x-request-id'] ?? '';

test('an import lists its stored records after it is applied, without failed entries', async () => {
  const project = freshProject();
  const answer = await jobs(project, 'J-1', 'REFUSE-2', 'FAIL-3', 'J-1');
  expect(await changedBy(project, idOf(answer))).toEqual([]);
  await sandbox.advance(project);
  // The first of the two was stored, the second failed.
  expect(await changedBy(project, idOf(answer))).toEqual(['jobs/J-1']);
  const other = await jobs(project, 'J-4', 'FAIL-5');
  await sandbox.advance(project);
  expect(await changedBy(project, idOf(other))).toEqual(['jobs/J-4']);
});

test('lists routes with their jobs, users, devices and single updates under their own names', async () => {
  const project = freshProject();
  const routes = { routes: [{ id: 'R-1', jobs: [{ id: 'J-1' }] }] };
  const route = await sandbox.api('POST', `/sync/projects/${project}/routes/batch`, routes);
  expect(await changedBy(project, idOf(route))).toEqual(['routes/R-1', 'jobs/J-1']);
  const user = { username: 'ana', password: 'Gehe1m!', type: 'driver', visibleBy: 'S-1', access: 'DRIVER' };
  const added = await sandbox.api('POST', `/projects/${project}/users`, user);
  expect(await changedBy(project, idOf(added))).toEqual(['users/ana']);
  const seen = {
    deviceId: 'D-1',
    eventDateTime: '2026-03-02T09:30:00Z',
    geoJson: { type: 'Point', coordinates: [1, 2] },
  };
  expect(await changedBy(project, idOf(await sandbox.api('POST', `/projects/${project}/locations`, seen)))).toEqual([
    'locations/D-1',
  ]);
  const update = await sandbox.api('PATCH', `/async/projects/${project}/jobs/J-1`, { status: 'DELIVERED' });
  await sandbox.advance(project);
  expect(await changedBy(project, idOf(update))).toEqual(['jobs/J-1']);
});

test('a rejected request lists no changes', async () => {
  const project = freshProject();
  const answer = await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: 'J-1' });
  expect(answer.status).toBe(400);
  expect(await changedBy(project, idOf(answer))).toEqual([]);
});

test("a record's history lists every request that contains it", async () => {
  const project = freshProject();
  await jobs(project, 'J-1', 'J-2');
  await sandbox.advance(project);
  await sandbox.api('PATCH', `/async/projects/${project}/jobs/J-1`, { status: 'DELIVERED' });
  await jobs(project, 'J-3');
  const list = async (record: string) =>
    (await sandbox.control('GET', `/projects/${project}/requests?record=${encodeURIComponent(record)}`)).body.items.map(
      ({ operation }: { operation: string }) => operation,
    );
  expect(await list('jobs/J-1')).toEqual(['asyncImportJobs', 'asyncUpdateJob']);
  expect(await list('jobs/J-3')).toEqual(['asyncImportJobs']);
  expect(await list('orders/J-1')).toEqual([]);
  expect((await sandbox.control('GET', `/projects/${project}/requests?record=J-1`)).body.errors).toEqual([
    { path: 'query:record', message: expect.stringContaining('expected jobs, orders, routes, users or locations') },
  ]);
});

test('long lists omit bodies', async () => {
  const project = freshProject();
  await jobs(project, 'J-1');
  const [item] = (await sandbox.control('GET', `/projects/${project}/requests?bodies=false`)).body.items;
  expect(item.request.body).toBeUndefined();
  expect(item.response.body).toBeUndefined();
  expect(item.status).toBe(202);
});

test('lists due work in its order', async () => {
  const project = freshProject();
  const path = `/projects/${project}/pending`;
  expect((await sandbox.control('GET', path)).body.items).toEqual([]);
  const rules = [{ then: { fail: 'no', after: '5s' }, when: { item: 2 } }];
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'later', rules }] });
  const answer = await jobs(project, 'J-1', 'J-2');
  const due = { kind: 'instruction', operation: 'asyncImportJobs', requestId: idOf(answer), entries: 1 };
  expect((await sandbox.control('GET', path)).body.items).toEqual([
    { ...due, dueAt: '2026-03-02T09:30:00.200Z' },
    { ...due, dueAt: '2026-03-02T09:30:05.000Z' },
  ]);
  await sandbox.advance(project);
  expect((await sandbox.control('GET', path)).body.items).toEqual([]);
});
