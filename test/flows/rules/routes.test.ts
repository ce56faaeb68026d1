/** The rules of routes: taken or refused as one, stored with the jobs that were taken. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });

type Callback = { data: { failed: unknown } };

/** Sends routes synchronously or asynchronously, carries them out, and tells what came of it. */
async function send(mode: string, routes: unknown, project = freshProject(), scope = '') {
  const path = `/${mode}/projects/${project}${scope}/routes${mode === 'sync' ? '/batch' : ''}`;
  const response = await sandbox.api('POST', path, { routes });
  await sandbox.advance(project);
  const callbacks = await sandbox.items(project, 'callbacks');
  return {
    project,
    response,
    failedLater: callbacks.map(({ body }) => (body as Callback).data.failed),
    routes: await sandbox.items(project, 'routes'),
    jobs: await sandbox.items(project, 'jobs'),
  };
}

const accepted = (...ids: string[]) => ids.map((orderNumber) => ({ orderNumber, trackingId: expect.any(String) }));

describe.each(['sync', 'async'])('%s routes', (mode) => {
  test('accepts an empty list', async () => {
    const done = await send(mode, []);
    expect(done.response.body).toEqual({ failed: [], jobs: [], jobsReceived: 0 });
    expect(done.routes).toEqual([]);
  });

  test('a route with invalid fields fails as a whole under its id; others are accepted', async () => {
    const done = await send(mode, [
      { id: 'R-1', jobs: [{ id: 'J-1' }] },
      { id: 'R-2', routeDate: 'tomorrow', driver: 'Liam', jobs: [{ id: 'J-2' }, { id: 'J-3', status: 'DONE' }] },
      { id: 'R-3', jobs: [{ id: 'J-4' }] },
    ]);
    const reason = expect.stringMatching(/driver: expected an object.*routeDate: |routeDate: .*driver: expected/);
    expect(done.response.body).toEqual({
      failed: [
        { id: 'R-2', reason },
        { id: 'J-2', reason: 'its route R-2 failed' },
        { id: 'J-3', reason: expect.stringMatching(/^its route R-2 failed; status: expected one of/) },
      ],
      jobs: accepted('J-1', 'J-4'),
      jobsReceived: 2,
    });
    expect(done.routes.map(({ id }) => id)).toEqual(['R-1', 'R-3']);
    expect(done.jobs.map(({ id }) => id)).toEqual(['J-1', 'J-4']);
  });

  test('rejects null as the driver of a route', async () => {
    const done = await send(mode, [{ id: 'R-1', driver: null }]);
    expect(done.response.body.failed).toEqual([{ id: 'R-1', reason: 'driver: expected an object, got null' }]);
  });

  test("a job's subProjectId overrides the URL's", async () => {
    const jobs = [{ id: 'J-1', subProjectId: 'inner' }, { id: 'J-2' }];
    const done = await send(mode, [{ id: 'R-1', jobs }], freshProject(), '/subprojects/outer');
    expect(done.response.body.jobs).toMatchObject([{ subProjectId: 'inner' }, { subProjectId: 'outer' }]);
    expect(done.jobs).toMatchObject([{ subProjectId: 'inner' }, { subProjectId: 'outer' }]);
    expect(done.routes).toMatchObject([{ subProjectId: 'outer' }]);
  });
});

describe('a route that is sent again', () => {
  const exists = { id: 'R-1', reason: expect.stringMatching(/^route R-1 exists already; .*duplicates\.routes/) };

  test('gets the jobs that it lacks; its other jobs are updated, and its own fields stay', async () => {
    const jobs = [{ id: 'J-1', sequence: 1 }, { id: 'J-2', status: 'DONE' }, { id: 'FAIL-3' }];
    const first = await send('async', [{ id: 'R-1', routeDate: '2026-03-02T09:30:00Z', jobs }]);
    expect(first.routes).toMatchObject([{ id: 'R-1', jobs: ['J-1'] }]);
    const corrected = [{ id: 'J-1', tags: ['again'] }, { id: 'J-2', status: 'PENDING' }, { id: 'J-3' }];
    const again = [{ id: 'R-1', routeDate: '2026-03-09T09:30:00Z', jobs: corrected }];
    const done = await send('async', again, first.project);
    expect(done.response.body).toEqual({ failed: [], jobs: accepted('J-1', 'J-2', 'J-3'), jobsReceived: 3 });
    expect(done.failedLater).toHaveLength(1);
    expect(done.routes).toMatchObject([{ routeDate: '2026-03-02T09:30:00Z', jobs: ['J-1', 'J-2', 'J-3'] }]);
    expect(done.jobs).toMatchObject([{ sequence: 1, tags: ['again'] }, { routeId: 'R-1' }, { routeId: 'R-1' }]);
  });

  test('does not fail if all jobs that it lacks fail', async () => {
    const { project } = await send('async', [{ id: 'R-1', jobs: [{ id: 'J-1' }] }]);
    const done = await send('async', [{ id: 'R-1', jobs: [{ id: 'FAIL-2' }] }], project);
    expect(done.failedLater).toEqual([[{ id: 'FAIL-2', reason: expect.stringContaining('on purpose') }]]);
    expect(done.routes).toMatchObject([{ jobs: ['J-1'] }]);
  });

  test('fails as a whole with all its jobs if it lacks none; others do not', async () => {
    const { project } = await send('sync', [{ id: 'R-1', jobs: [{ id: 'J-1' }] }]);
    const again = [
      { id: 'R-1', jobs: [{ id: 'J-1' }] },
      { id: 'R-2', jobs: [{ id: 'J-3' }] },
    ];
    const done = await send('sync', again, project);
    const failed = [exists, { id: 'J-1', reason: 'its route R-1 failed' }];
    expect(done.response.body).toEqual({ failed, jobs: accepted('J-3'), jobsReceived: 1 });
    expect(done.routes).toMatchObject([{ jobs: ['J-1'] }, { jobs: ['J-3'] }]);
  });
});

test.each(['sync', 'async'])('a route whose jobs all fail is not stored: %s', async (mode) => {
  const done = await send(mode, [
    { id: 'R-1', jobs: [{ id: 'FAIL-1' }, { id: 'J-2', status: 'DONE' }] },
    { id: 'R-2', jobs: [] },
  ]);
  expect(done.routes).toMatchObject([{ id: 'R-2', jobs: [] }]);
  const reported = [...done.response.body.failed, ...done.failedLater.flat()] as { id: string }[];
  expect(reported.map(({ id }) => id).toSorted()).toEqual(['FAIL-1', 'J-2']);
});

describe('a job that exists', () => {
  const stored = { id: 'J-1', status: 'DISPATCH', sequence: 1, trackingId: 'T-own', driver: { firstName: 'Mia' } };

  test.each(['sync', 'async'])('joins the route and is updated: %s', async (mode) => {
    const project = freshProject();
    await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: [stored] });
    const given = {
      sequence: 2,
      trackingId: 'T-new',
      driver: { firstName: 'Liam' },
      deliveryDate: '2026-03-02T09:30:00Z',
    };
    const done = await send(mode, [{ id: 'R-1', jobs: [{ id: 'J-1', ...given }] }], project);
    expect(done.response.body.jobs).toEqual([{ orderNumber: 'J-1', trackingId: 'T-own' }]);
    expect(done.response.headers['x-sandbox-warnings']).toBe('2');
    expect(done.jobs).toMatchObject([{ ...stored, sequence: 2, routeId: 'R-1' }]);
    expect(done.jobs[0]).not.toHaveProperty('deliveryDate');
    expect(done.routes).toMatchObject([{ jobs: ['J-1'] }]);
  });

  test('leaves its route for another one', async () => {
    const { project } = await send('sync', [{ id: 'R-1', jobs: [{ id: 'J-1' }, { id: 'J-2' }] }]);
    const done = await send('sync', [{ id: 'R-2', jobs: [{ id: 'J-1' }] }], project);
    expect(done.routes).toMatchObject([{ jobs: ['J-2'] }, { jobs: ['J-1'] }]);
    expect(done.jobs).toMatchObject([{ id: 'J-1', routeId: 'R-2' }, { routeId: 'R-1' }]);
  });

  test('is in one route after an import that moves many jobs', async () => {
    const ids = Array.from({ length: 300 }, (_, n) => ({ id: `J-${n}` }));
    const { project } = await send('sync', [{ id: 'R-1', jobs: ids }]);
    const done = await send('sync', [{ id: 'R-2', jobs: ids.slice(100) }], project);
    expect(done.routes.map(({ jobs }) => (jobs as string[]).length)).toEqual([100, 200]);
    expect(done.jobs.filter(({ routeId }) => routeId === 'R-2')).toHaveLength(200);
  });

  test('fails if the route names it twice', async () => {
    const done = await send('sync', [
      {
        id: 'R-1',
        jobs: [
          { id: 'J-1', sequence: 1 },
          { id: 'J-1', sequence: 2 },
        ],
      },
    ]);
    const reason = 'entry 2: job J-1 exists already, from entry 1 of this request';
    expect(done.response.body.failed).toEqual([{ id: 'J-1', reason }]);
    expect(done.jobs).toMatchObject([{ sequence: 1 }]);
  });
});

test('failures are in the order of the request, a route before its jobs', async () => {
  const { project } = await send('sync', [{ id: 'R-2', jobs: [{ id: 'J-0' }] }]);
  const done = await send(
    'sync',
    [
      { id: 'R-1', jobs: [{ id: 'J-4', status: 'NO' }, { id: 'J-1' }] },
      { id: 'R-2', jobs: [{ id: 'J-0' }] },
      { id: 'R-3', jobs: [{ id: 'J-3', status: 'NO' }] },
      { id: 'R-4', routeDate: 'no' },
      { id: 'R-5', jobs: [{ id: 'J-1' }] },
    ],
    project,
  );
  const ids = done.response.body.failed.map(({ id }: { id: string }) => id);
  expect(ids).toEqual(['J-4', 'R-2', 'J-0', 'J-3', 'R-4', 'J-1']);
});

test('failures are in the order of the request for routes without jobs', async () => {
  const { project } = await send('sync', [{ id: 'R-1' }]);
  const routes = [{ id: 'R-1' }, { id: 'R-2', routeDate: 'no' }, { id: 'R-3' }, { id: 'R-3', jobs: [] }];
  const refusedLast = [...routes, { jobs: [] }];
  const done = await send('sync', refusedLast, project);
  expect(done.response.body.failed.map(({ id }: { id: string }) => id)).toEqual(['R-1', 'R-2', 'R-3', '']);
});
