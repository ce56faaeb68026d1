/** Rule 2: batch results list failures in `failed`, what was accepted beside them, counted, in the request's order. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });

/** Every operation with a list of jobs or orders: method, path after `/MODE/projects/ID`, list, counter, status. */
const lists = [
  ['POST', 'async', '/jobs', 'jobs', 'jobsReceived', 202],
  ['PATCH', 'async', '/jobs', 'jobs', 'jobsReceived', 202],
  ['POST', 'async', '/subprojects/s/jobs', 'jobs', 'jobsReceived', 202],
  ['PATCH', 'async', '/subprojects/s/jobs', 'jobs', 'jobsReceived', 202],
  ['POST', 'sync', '/jobs/batch', 'jobs', 'jobsReceived', 200],
  ['PATCH', 'sync', '/jobs/batch', 'jobs', 'jobsReceived', 200],
  ['POST', 'sync', '/subprojects/s/jobs/batch', 'jobs', 'jobsReceived', 200],
  ['POST', 'async', '/orders', 'orders', 'ordersReceived', 202],
  ['POST', 'async', '/subprojects/s/orders', 'orders', 'ordersReceived', 202],
  ['POST', 'sync', '/orders', 'orders', 'ordersReceived', 200],
  ['POST', 'sync', '/subprojects/s/orders', 'orders', 'ordersReceived', 200],
] as const;
const routes = [
  ['POST', 'async', '/routes', 'routes', 'jobsReceived', 202],
  ['POST', 'async', '/subprojects/s/routes', 'routes', 'jobsReceived', 202],
  ['POST', 'sync', '/routes/batch', 'routes', 'jobsReceived', 200],
  ['POST', 'sync', '/subprojects/s/routes/batch', 'routes', 'jobsReceived', 200],
] as const;

/** A project in which the ids that updates name are there. */
async function projectFor(method: string, ...ids: string[]) {
  const project = freshProject();
  const jobs = ids.map((id) => ({ id }));
  if (method === 'PATCH') await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
  return project;
}

describe.each(lists)('%s /%s…%s', (method, mode, path, list, counter, status) => {
  const send = (project: string, entries: unknown) =>
    sandbox.api(method, `/${mode}/projects/${project}${path}`, { [list]: entries });

  test("an invalid entry does not affect others; both lists keep the request's order", async () => {
    const project = await projectFor(method, 'E-6', 'E-2', 'E-4');
    const response = await send(project, [
      { id: 'E-6' },
      { id: 'E-5', status: 'PENDNG' },
      { id: 'E-2' },
      { status: 'PENDING' },
      { id: 'E-1', isPriority: 'yes', tags: [1] },
      null,
      { id: 7 },
      'E-9',
      [],
      { id: 'E-4' },
    ]);
    expect(response.status).toBe(status);
    expect(response.body.failed).toEqual([
      { id: 'E-5', reason: expect.stringMatching(/^status: .*did you mean PENDING\?$/) },
      { id: '', reason: 'id: required, but missing' },
      { id: 'E-1', reason: 'isPriority: expected a boolean, got "yes"; tags/0: expected a string, got number 1' },
      { id: '', reason: 'expected an object, got null' },
      { id: '7', reason: 'id: expected a string, got number 7' },
      { id: '', reason: 'expected an object, got "E-9"' },
      { id: '', reason: 'expected an object, got []' },
    ]);
    const taken = response.body[list].map(({ orderNumber }: { orderNumber: string }) => orderNumber);
    expect(taken).toEqual(['E-6', 'E-2', 'E-4']);
    expect(response.body[counter]).toBe(3);
  });

  test('the status is the same if every entry fails, and nothing is stored', async () => {
    const project = freshProject();
    const response = await send(project, [{ id: 'E-1', status: 'NO' }, {}]);
    expect(response.status).toBe(status);
    expect(response.body).toEqual({ failed: [expect.anything(), expect.anything()], [list]: [], [counter]: 0 });
    expect(await sandbox.advance(project)).toMatchObject({ processed: 0, delivered: 0 });
    expect(await sandbox.items(project, list)).toEqual([]);
  });

  test('an entry requires only `id`', async () => {
    const project = await projectFor(method, 'E-1');
    expect((await send(project, [{ id: 'E-1' }])).body).toMatchObject({ failed: [], [counter]: 1 });
  });

  test('omits subProjectId if there is none', async () => {
    const project = await projectFor(method, 'E-1');
    const [entry] = (await send(project, [{ id: 'E-1' }])).body[list];
    expect(entry).toEqual({
      orderNumber: 'E-1',
      trackingId: expect.stringMatching(/./),
      ...(path.startsWith('/subprojects') ? { subProjectId: 's' } : {}),
    });
  });
});

describe.each([...lists, ...routes])('%s /%s…%s', (method, mode, path, list, counter, status) => {
  const send = (body: unknown) => sandbox.api(method, `/${mode}/projects/${freshProject()}${path}`, body);

  test('accepts an empty list', async () => {
    const response = await send({ [list]: [] });
    expect(response.status).toBe(status);
    expect(response.body).toEqual({ failed: [], [list === 'routes' ? 'jobs' : list]: [], [counter]: 0 });
  });

  test.each([
    [{}, `/${list}`, 'required, but missing'],
    [{ [list]: { id: 'E-1' } }, `/${list}`, 'expected an array, got an object'],
    [{ [list]: null }, `/${list}`, 'expected an array, got null'],
    [{ [list]: 'E-1' }, `/${list}`, 'expected an array, got "E-1"'],
    [[], '', 'expected an object, got []'],
    ['null', '', 'expected an object, got null'],
  ])('rejects the body %j with 400', async (body, at, message) => {
    const response = await send(body);
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([{ path: at, message }]);
  });
});

test('a misspelled list is a 400 with a suggestion', async () => {
  const response = await sandbox.api('POST', `/sync/projects/${freshProject()}/jobs/batch`, { job: [] });
  expect(response.status).toBe(400);
  expect(response.body.errors).toEqual([{ path: '/jobs', message: expect.stringContaining('did you mean jobs?') }]);
});

test('a reason lists five errors of an entry and counts the rest', async () => {
  const tags = Array.from({ length: 12 }, (_, index) => index);
  const response = await sandbox.api('POST', `/sync/projects/${freshProject()}/jobs/batch`, {
    jobs: [{ id: 'J', tags }],
  });
  expect(response.body.failed[0].reason.split('; ')).toHaveLength(6);
  expect(response.body.failed[0].reason).toMatch(/; and 7 more$/);
});

test("downstream failures are listed among invalid entries, in the request's order", async () => {
  const project = freshProject();
  const jobs = [{ id: 'J-1' }, { id: 'J-2', status: 'NO' }, { id: 'J-1' }, { id: 'J-3', status: 'NO' }, { id: 'J-4' }];
  const { body } = await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
  expect(body.failed.map(({ id }: { id: string }) => id)).toEqual(['J-2', 'J-1', 'J-3']);
  expect(body.jobs.map(({ orderNumber }: { orderNumber: string }) => orderNumber)).toEqual(['J-1', 'J-4']);
});

test("an asynchronous list reports all later failures in one callback, in the request's order", async () => {
  const project = freshProject();
  await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: [{ id: 'J-2' }, { id: 'J-4' }] });
  const jobs = ['J-5', 'J-4', 'FAIL-1', 'J-2', 'J-1'].map((id) => ({ id }));
  const response = await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });
  expect(response.body).toMatchObject({ failed: [], jobsReceived: 5 });
  await sandbox.advance(project);
  const callbacks = await sandbox.items(project, 'callbacks');
  expect(callbacks).toMatchObject([{ body: { data: { failed: [{ id: 'J-4' }, { id: 'FAIL-1' }, { id: 'J-2' }] } } }]);
  expect((await sandbox.items(project, 'jobs')).map(({ id }) => id)).toEqual(['J-2', 'J-4', 'J-5', 'J-1']);
});

test('a job, order, route, user and device can share an id', async () => {
  const project = freshProject();
  const user = { username: 'X', password: 'A!', type: 'driver', visibleBy: 'S', access: 'DRIVER' };
  const geoJson = { type: 'Point', coordinates: [1, 2] };
  const requests = [
    ['/sync/projects/:p/jobs/batch', { jobs: [{ id: 'X' }] }],
    ['/sync/projects/:p/orders', { orders: [{ id: 'X' }] }],
    ['/sync/projects/:p/routes/batch', { routes: [{ id: 'X', jobs: [{ id: 'Y' }] }] }],
    ['/projects/:p/users', user],
    ['/projects/:p/locations', { deviceId: 'X', eventDateTime: '2026-03-02T09:30:00Z', geoJson }],
  ] as const;
  for (const [path, body] of requests) {
    const response = await sandbox.api('POST', path.replace(':p', project), body);
    expect(response.status).toBeLessThan(300);
    expect(response.body.failed ?? []).toEqual([]);
  }
  const { body } = await sandbox.control('GET', `/projects/${project}`);
  expect(body.counts).toMatchObject({ jobs: 2, orders: 1, routes: 1, users: 1, locations: 1 });
});
