/** Rule 2: batch results list failures in `failed`, what was accepted beside them, counted, in the request's order. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });

const send = (project: string, jobs: unknown) => sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });

test("an invalid entry does not affect others; both lists keep the request's order", async () => {
  const response = await send(freshProject(), [
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
  expect(response.status).toBe(200);
  expect(response.body.failed).toEqual([
    { id: 'E-5', reason: expect.stringMatching(/^status: .*did you mean PENDING\?$/) },
    { id: '', reason: 'id: required, but missing' },
    { id: 'E-1', reason: 'isPriority: expected a boolean, got "yes"; tags/0: expected a string, got number 1' },
    { id: '', reason: 'expected an object, got null' },
    { id: '7', reason: 'id: expected a string, got number 7' },
    { id: '', reason: 'expected an object, got "E-9"' },
    { id: '', reason: 'expected an object, got []' },
  ]);
  const taken = response.body.jobs.map(({ orderNumber }: { orderNumber: string }) => orderNumber);
  expect([taken, response.body.jobsReceived]).toEqual([['E-6', 'E-2', 'E-4'], 3]);
});

test('the status is the same if every entry fails, and nothing is stored', async () => {
  const project = freshProject();
  const response = await send(project, [{ id: 'E-1', status: 'NO' }, {}]);
  expect(response.status).toBe(200);
  expect(response.body).toEqual({ failed: [expect.anything(), expect.anything()], jobs: [], jobsReceived: 0 });
  expect(await sandbox.items(project, 'jobs')).toEqual([]);
});

test.each([
  [{ id: 'E-1' }, 'expected an array, got an object'],
  [null, 'expected an array, got null'],
  ['E-1', 'expected an array, got "E-1"'],
])('rejects %j in place of the list with 400', async (list, message) => {
  const response = await send(freshProject(), list);
  expect(response.status).toBe(400);
  expect(response.body.errors).toEqual([{ path: '/jobs', message }]);
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
