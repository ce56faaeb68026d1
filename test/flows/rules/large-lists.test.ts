/** Rules that hold in large lists, whose records are kept as the text of the request until one is read. */
import { expect, test } from 'vitest';
import type { Json } from '../../../src/lib/json.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { withProfile } from '../profile-steps.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const ignoring = withProfile('nulls: ignore');

test('a trail stores the latest 1,000', async () => {
  const project = freshProject();
  const path = `/projects/${project}/locations`;
  const times = Array.from({ length: 2500 }, (_, index) => new Date(Date.UTC(2026, 2, 2) + index * 1000).toISOString());
  const geoJson = { type: 'Point', coordinates: [153, -27.5] };
  const locations = times.toReversed().map((eventDateTime) => ({ deviceId: 'van-1', eventDateTime, geoJson }));
  await sandbox.api('POST', `${path}/batch`, { locations: locations.slice(0, 1250) });
  await sandbox.api('POST', `${path}/batch`, { locations: locations.slice(1250) });
  const { body } = await sandbox.control('GET', `${path}/van-1?limit=1000`);
  expect(body.items.map(({ eventDateTime }: Json) => eventDateTime)).toEqual(times.slice(-1000));
});

test('a job is in one route after an import that moves many jobs', async () => {
  const project = freshProject();
  const path = `/sync/projects/${project}/routes/batch`;
  const jobs = Array.from({ length: 300 }, (_, n) => ({ id: `J-${n}` }));
  await sandbox.api('POST', path, { routes: [{ id: 'R-1', jobs }] });
  await sandbox.api('POST', path, { routes: [{ id: 'R-2', jobs: jobs.slice(100) }] });
  const routes = await sandbox.items(project, 'routes');
  expect(routes.map((route) => (route['jobs'] as string[]).length)).toEqual([100, 200]);
  expect((await sandbox.items(project, 'jobs')).filter(({ routeId }) => routeId === 'R-2')).toHaveLength(200);
});

test.each(['jobs/batch', 'orders'])('an empty subProjectId of %s counts as absent, with a warning', async (path) => {
  const list = path.replace('/batch', '');
  const many = Array.from({ length: 60 }, (_, n) => ({ id: `E-${n}`, subProjectId: '' }));
  for (const entries of [many, [{ id: 'E-0', subProjectId: '' }]]) {
    const project = freshProject();
    const { headers } = await sandbox.api('POST', `/sync/projects/${project}/${path}`, { [list]: entries });
    expect((await sandbox.items(project, list)).filter((record) => 'subProjectId' in record)).toEqual([]);
    expect(headers['x-sandbox-warnings']).toBe(String(entries.length));
  }
});

test('`nulls: ignore` leaves no null in records of a large import', async () => {
  const project = freshProject();
  const job = { status: null, customer: { firstName: 'Ana', phone: null }, fulfiller: 'x'.repeat(150) };
  const jobs = Array.from({ length: 4000 }, (_, index) => ({ ...job, id: `J-${index}` }));
  const response = await ignoring.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs });
  expect(response.body.jobsReceived).toBe(4000);
  const stored = await ignoring.items(project, 'jobs');
  expect(stored.filter((one) => 'status' in one || 'phone' in (one['customer'] as Json))).toEqual([]);
});
