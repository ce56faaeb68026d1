/** The rules of device locations: which is the latest, what the trail keeps, and that a batch is all or nothing. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });

function at(eventDateTime: string, deviceId = 'van-1', longitude = 153) {
  return { deviceId, eventDateTime, geoJson: { type: 'Point', coordinates: [longitude, -27.5] } };
}

async function submit(project: string, body: unknown, path = '/locations') {
  return sandbox.api('POST', `/projects/${project}${path}`, body);
}

async function trail(project: string, device = 'van-1'): Promise<Record<string, unknown>[]> {
  const response = await sandbox.control('GET', `/projects/${project}/locations/${device}?limit=1000`);
  return response.body.items;
}

const nine = '2026-03-02T09:00:00Z';
const ten = '2026-03-02T20:00:00+10:00';
const eleven = '2026-03-02T05:00:00-06:00';

describe('the latest location is that with the latest eventDateTime', () => {
  test.each([[[nine, ten, eleven]], [[eleven, ten, nine]], [[ten, eleven, nine]], [[eleven, nine, ten]]])(
    'arriving one by one as %j',
    async (times) => {
      const project = freshProject();
      for (const time of times) {
        const response = await submit(project, at(time));
        expect(response.status).toBe(200);
        expect(response.body).toEqual({});
      }
      expect(await sandbox.items(project, 'locations')).toMatchObject([at(eleven)]);
      expect(await trail(project)).toEqual([at(nine), at(ten), at(eleven)]);
    },
  );

  test('arriving in one batch, each device for itself', async () => {
    const project = freshProject();
    const locations = [at(eleven), at(nine, 'van-2'), at(ten, 'van-2'), at(nine), at(ten)];
    const response = await submit(project, { locations }, '/locations/batch');
    expect(response.status).toBe(200);
    expect(response.body).toEqual({});
    expect(await sandbox.items(project, 'locations')).toMatchObject([at(eleven), at(ten, 'van-2')]);
    expect(await trail(project)).toEqual([at(nine), at(ten), at(eleven)]);
    expect(await trail(project, 'van-2')).toEqual([at(nine, 'van-2'), at(ten, 'van-2')]);
  });

  test('of one instant, written with two offsets, the one that arrived last', async () => {
    const project = freshProject();
    await submit(project, at('2026-03-02T10:00:00Z', 'van-1', 1));
    await submit(project, at(ten, 'van-1', 2));
    expect(await sandbox.items(project, 'locations')).toMatchObject([at(ten, 'van-1', 2)]);
  });
});

test('a trail keeps the latest 1,000', async () => {
  const project = freshProject();
  const times = Array.from({ length: 2500 }, (_, index) => new Date(Date.UTC(2026, 2, 2) + index * 1000).toISOString());
  const locations = times.toReversed().map((time) => at(time));
  await submit(project, { locations: locations.slice(0, 1250) }, '/locations/batch');
  await submit(project, { locations: locations.slice(1250) }, '/locations/batch');
  const kept = (await trail(project)).map(({ eventDateTime }) => eventDateTime);
  expect(kept).toEqual(times.slice(-1000));
});

describe('a location needs its three fields', () => {
  test.each([
    ['deviceId', '/deviceId'],
    ['eventDateTime', '/eventDateTime'],
    ['geoJson', '/geoJson'],
  ])('%s is required', async (field, path) => {
    const project = freshProject();
    const response = await submit(project, { ...at(nine), [field]: undefined });
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([{ path, message: 'required, but missing' }]);
    expect(await sandbox.items(project, 'locations')).toEqual([]);
  });

  test.each([
    [{ coordinates: [153, -27] }, '/geoJson/type', 'required, but missing'],
    [{ type: 'Point' }, '/geoJson/coordinates', 'required, but missing'],
    [{ type: 'point', coordinates: [153, -27] }, '/geoJson/type', 'expected Point, got "point", did you mean Point?'],
  ])('geoJson %j is refused', async (geoJson, path, message) => {
    const response = await submit(freshProject(), { ...at(nine), geoJson });
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([{ path, message }]);
  });
});

describe('submitLocations is all or nothing', () => {
  test('one invalid location refuses the whole batch, by its place, and nothing is stored', async () => {
    const project = freshProject();
    await submit(project, at(nine));
    const locations = [at(ten), { ...at(ten), deviceId: 7 }, at(eleven, 'van-2'), { ...at('noon'), geoJson: {} }, null];
    const response = await submit(project, { locations }, '/locations/batch');
    expect(response.status).toBe(400);
    const paths = response.body.errors.map(({ path }: { path: string }) => path);
    const inGeoJson = ['/locations/3/geoJson/type', '/locations/3/geoJson/coordinates'];
    expect(paths.toSorted()).toEqual(
      ['/locations/1/deviceId', '/locations/3/eventDateTime', ...inGeoJson, '/locations/4'].toSorted(),
    );
    expect(await sandbox.items(project, 'locations')).toMatchObject([at(nine)]);
    expect(await trail(project)).toHaveLength(1);
  });

  test('none at all are fine', async () => {
    const response = await submit(freshProject(), { locations: [] }, '/locations/batch');
    expect(response.status).toBe(200);
    expect(response.body).toEqual({});
  });

  test.each([[{}], [{ locations: {} }], [[]]])('%j is no batch', async (body) => {
    expect((await submit(freshProject(), body, '/locations/batch')).status).toBe(400);
  });
});

test('unknown fields of a location are ignored with a warning each', async () => {
  const project = freshProject();
  const response = await submit(project, { ...at(nine), speed: 12, geoJson: { ...at(nine).geoJson, bbox: [] } });
  expect(response.headers['x-sandbox-warnings']).toBe('2');
  expect(await trail(project)).toEqual([at(nine)]);
});
