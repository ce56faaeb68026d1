/** The control API shows records as the console does: as rows of a table, with what belongs to one, and on a map. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });

const get = async (project: string, path: string) => (await sandbox.control('GET', `/projects/${project}${path}`)).body;
const createJobs = (project: string, ...jobs: readonly object[]) =>
  sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
const point = (lng: number, lat: number) => ({ geoJson: { type: 'Point', coordinates: [lng, lat] } });
const locate = (project: string, deviceId: string, minute: number, lng: number) =>
  sandbox.api('POST', `/projects/${project}/locations`, {
    ...{ deviceId, eventDateTime: new Date(Date.UTC(2026, 2, 2, 9, minute)).toISOString() },
    ...point(lng, -27),
  });
const fill = async (project: string) => {
  const driver = { deviceId: 'van-1', firstName: 'Ana', lastName: 'Silva' };
  const jobs = [
    { id: 'B', sequence: 2, status: 'ARRIVING', address: { locality: 'Bonn', ...point(153, -27) } },
    { id: 'A', sequence: 1, address: point(154, -28) },
    { id: 'C' },
  ];
  await sandbox.api('POST', `/sync/projects/${project}/routes/batch`, { routes: [{ id: 'R-1', driver, jobs }] });
  await createJobs(project, { id: 'J-1', status: 'DISPATCH', address: point(152, -26) });
  for (const minute of [0, 1]) await locate(project, 'van-1', minute, 150 + minute);
};

test('lists rows with the columns that are used, and finds, sorts, counts and pages them', async () => {
  const project = freshProject();
  const jobs = Array.from({ length: 12 }, (_, n) => ({ id: `J-${n + 1}`, status: n < 2 ? 'PENDING' : 'DISPATCH' }));
  await createJobs(project, ...jobs, { id: 'LAST', address: { locality: 'Köln', postcode: '50667' } });
  const all = await get(project, '/jobs?view=rows&sort=-id&counts=true&limit=3');
  expect(all).toEqual({
    columns: [
      { key: 'id', title: 'Id' },
      { key: 'status', title: 'Status' },
      { key: 'address', title: 'Address' },
      { key: 'updatedAt', title: 'Updated', isTime: true },
    ],
    items: [
      { id: 'LAST', cells: { id: 'LAST', address: 'Köln, 50667', updatedAt: '2026-03-02T09:30:00.000Z' } },
      { id: 'J-12', cells: { id: 'J-12', status: 'DISPATCH', updatedAt: '2026-03-02T09:30:00.000Z' } },
      { id: 'J-11', cells: expect.anything() },
    ],
    next: expect.any(String),
    counts: { total: 13, status: { DISPATCH: 10, PENDING: 2 } },
  });
  const ids = async (query: string) => (await get(project, `/jobs?${query}`)).items.map(({ id }: { id: string }) => id);
  expect(await ids(`view=rows&sort=-id&limit=3&cursor=${all.next}`)).toEqual(['J-10', 'J-9', 'J-8']);
  expect(await ids('contains=KÖLN')).toEqual(['LAST']);
  expect(await ids('status=PENDING&order=newest')).toEqual(['J-2', 'J-1']);
  const { status, body } = await sandbox.control('GET', `/projects/${project}/jobs?view=rows&sort=adress`);
  expect([status, body.errors[0]]).toEqual([
    400,
    { path: 'query:sort', message: expect.stringMatching(/^expected a column of jobs: id, .*did you mean address\?$/) },
  ]);
});

test('rows of devices have the driver, the time in UTC and the place, and are found by the driver', async () => {
  const project = freshProject();
  await fill(project);
  await locate(project, 'van-2', 5, 151);
  const { items } = await get(project, '/locations?view=rows&contains=silva');
  expect(items.map(({ cells }: { cells: object }) => cells)).toEqual([
    expect.objectContaining({
      ...{ deviceId: 'van-1', driver: 'Ana Silva', eventDateTime: '2026-03-02T09:01:00.000Z' },
      place: '-27.00000, 151.00000',
    }),
  ]);
});

test('a record comes with its fields, its route and the jobs of the route', async () => {
  const project = freshProject();
  await fill(project);
  const { found } = await get(project, '/entities/R-1?view=record');
  expect(found).toEqual([
    expect.objectContaining({
      ...{ collection: 'routes', id: 'R-1', record: await get(project, '/routes/R-1') },
      cells: expect.objectContaining({ jobs: '3', driver: 'Ana Silva van-1' }),
      related: expect.objectContaining({ collection: 'jobs', count: 3 }),
    }),
  ]);
  expect(found[0].related.items.map(({ cells }: { cells: object }) => cells)).toEqual([
    { id: 'B', status: 'ARRIVING', address: 'Bonn' },
    { id: 'A' },
    { id: 'C' },
  ]);
  const [job] = (await get(project, '/entities/B?view=record')).found;
  expect(job.columns).toContainEqual({ key: 'routeId', title: 'Route', collection: 'routes' });
  expect(job.cells.routeId).toBe('R-1');
  expect(await get(project, '/entities/B')).not.toHaveProperty('found');
});

test('an id without a record has the event that decided it', async () => {
  const project = freshProject();
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'FAIL-GEOCODE-1' }] });
  const missing = async () => (await get(project, '/entities/FAIL-GEOCODE-1?view=record')).missing;
  expect(await missing()).toMatchObject({ kind: 'pending', operation: 'asyncImportJobs' });
  await sandbox.advance(project);
  expect(await missing()).toMatchObject({ kind: 'failed', reason: expect.stringContaining('geocode') });
});

test('an id that no request names lists the requests that may have named it', async () => {
  const project = freshProject();
  const path = `/async/projects/${project}/jobs`;
  const json = { 'content-type': 'application/json' };
  const text = '{"jobs":[{"id":"JOB-1"}]}';
  const sent = [
    await sandbox.api('POST', path, text, { ...json, apikey: 'wrong' }),
    await sandbox.api('POST', `/async/project/${project}/jobs`, text, json),
    await sandbox.api('POST', path, text, { 'content-type': 'text/plain' }),
    await sandbox.api('POST', path, text.slice(0, -1), json),
    await sandbox.api('POST', path, text.replace('jobs', 'job'), json),
    // These two can't have had it.
    await sandbox.api('POST', path, '{"jobs":', json),
    await sandbox.api('POST', path, { jobs: [{ id: 'JOB-2', status: 'DELIVERD' }] }),
  ];
  const ids = sent.map(({ headers }) => headers['x-request-id']);
  const { found, unread, items } = await get(project, '/entities/JOB-1?view=record');
  expect({ found, items }).toEqual({ found: [], items: [] });
  const shown = unread.map((one: { requestId: string; status: number; hasId: boolean }) => [
    ids.indexOf(one.requestId),
    one.status,
    one.hasId,
  ]);
  expect(shown).toEqual([
    [4, 400, true],
    [3, 400, true],
    [2, 415, false],
    [1, 404, false],
    [0, 401, false],
  ]);
});

test('the map has drivers with their trails, routes with their stops in order, and other jobs', async () => {
  const project = freshProject();
  await fill(project);
  await createJobs(project, { id: 'NOWHERE', address: { geoJson: { type: 'Point', coordinates: [500, 0] } } });
  const map = await get(project, '/map');
  expect(map).toMatchObject({
    type: 'FeatureCollection',
    counts: { drivers: 1, jobs: 3, routes: 1, unplaced: 2 },
  });
  expect(map).not.toHaveProperty('isCut');
  const group = 'device:van-1';
  const [device, trail, route, ...jobs] = map.features;
  expect(device).toEqual({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [151, -27] },
    properties: { kind: 'device', id: 'van-1', group, driver: 'Ana Silva', at: '2026-03-02T09:01:00.000Z' },
  });
  expect(trail.properties).toEqual({
    ...{ kind: 'trail', id: 'van-1', group },
    times: ['2026-03-02T09:00:00.000Z', '2026-03-02T09:01:00.000Z'],
  });
  const line = (coordinates: readonly (readonly number[])[]) => ({ type: 'LineString', coordinates });
  expect(trail.geometry).toEqual(
    line([
      [150, -27],
      [151, -27],
    ]),
  );
  expect(route.geometry).toEqual(
    line([
      [154, -28],
      [153, -27],
    ]),
  );
  expect(route.properties).toEqual({ kind: 'route', id: 'R-1', group, driver: 'Ana Silva', stops: 2 });
  expect(jobs.map(({ properties }: { properties: object }) => properties)).toEqual([
    { kind: 'job', id: 'A', group, route: 'R-1', stop: 1, stops: 2 },
    { kind: 'job', id: 'B', group, route: 'R-1', stop: 2, stops: 2, status: 'ARRIVING', address: 'Bonn' },
    { kind: 'job', id: 'J-1', status: 'DISPATCH' },
  ]);
  const kinds = (await get(project, '/map?trails=false')).features.map(
    ({ properties }: { properties: { kind: string } }) => properties.kind,
  );
  expect(kinds).not.toContain('trail');
  expect((await get(freshProject(), '/map')).features).toEqual([]);
});
