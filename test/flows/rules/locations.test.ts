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

describe('the latest location has the latest eventDateTime', () => {
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

  test('in one batch, for each device', async () => {
    const project = freshProject();
    const locations = [at(eleven), at(nine, 'van-2'), at(ten, 'van-2'), at(nine), at(ten)];
    const response = await submit(project, { locations }, '/locations/batch');
    expect(response.status).toBe(200);
    expect(response.body).toEqual({});
    expect(await sandbox.items(project, 'locations')).toMatchObject([at(eleven), at(ten, 'van-2')]);
    expect(await trail(project)).toEqual([at(nine), at(ten), at(eleven)]);
    expect(await trail(project, 'van-2')).toEqual([at(nine, 'van-2'), at(ten, 'van-2')]);
  });

  test('in any form of ISO 8601', async () => {
    const project = freshProject();
    const times = ['2026-03-02T20:05+10:00', '20260302T093000Z', '2026-03-02T10:04:59Z', '2026-061T12+02'];
    for (const time of times) await submit(project, at(time));
    expect(await sandbox.items(project, 'locations')).toMatchObject([at('2026-03-02T20:05+10:00')]);
    expect(await trail(project)).toEqual([times[1], times[3], times[2], times[0]].map((time) => at(String(time))));
  });

  test('a date alone is rejected', async () => {
    expect((await submit(freshProject(), at('2026-03-02'))).status).toBe(400);
  });

  test('for one time with two offsets, the last received wins', async () => {
    const project = freshProject();
    await submit(project, at('2026-03-02T10:00:00Z', 'van-1', 1));
    await submit(project, at(ten, 'van-1', 2));
    expect(await sandbox.items(project, 'locations')).toMatchObject([at(ten, 'van-1', 2)]);
  });
});

test('a trail stores the latest 1,000', async () => {
  const project = freshProject();
  const times = Array.from({ length: 2500 }, (_, index) => new Date(Date.UTC(2026, 2, 2) + index * 1000).toISOString());
  const locations = times.toReversed().map((time) => at(time));
  await submit(project, { locations: locations.slice(0, 1250) }, '/locations/batch');
  await submit(project, { locations: locations.slice(1250) }, '/locations/batch');
  const kept = (await trail(project)).map(({ eventDateTime }) => eventDateTime);
  expect(kept).toEqual(times.slice(-1000));
});

describe('a location requires three fields', () => {
  test('reports all that are missing', async () => {
    const { body } = await submit(freshProject(), {});
    const paths = body.errors.map(({ path }: { path: string }) => path);
    expect(paths.toSorted()).toEqual(['/deviceId', '/eventDateTime', '/geoJson']);
  });

  test.each([
    [{ coordinates: [153, -27] }, '/geoJson/type', 'required, but missing'],
    [{ type: 'Point' }, '/geoJson/coordinates', 'required, but missing'],
    [{ type: 'point', coordinates: [153, -27] }, '/geoJson/type', 'expected Point, got "point", did you mean Point?'],
  ])('rejects geoJson %j', async (geoJson, path, message) => {
    const response = await submit(freshProject(), { ...at(nine), geoJson });
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([{ path, message }]);
  });
});

describe('submitLocations is all or nothing', () => {
  test('one invalid location rejects the whole batch with its path, and nothing is stored', async () => {
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
});

test('two locations of one device and time in a batch get a warning, and the last one counts', async () => {
  const project = freshProject();
  const later = { ...at(ten), geoJson: { type: 'Point', coordinates: [153.1, -27.5] } };
  const response = await submit(project, { locations: [at(ten), at(ten, 'van-2'), later] }, '/locations/batch');
  expect(response.headers['x-sandbox-warnings']).toBe('1');
  const { body } = await sandbox.control('GET', `/requests/${response.headers['x-request-id']}`);
  expect(body.warnings).toEqual([expect.stringMatching(/^device .* has two locations of .*; the last one counts$/)]);
  expect(await sandbox.items(project, 'locations')).toMatchObject([later, {}]);
});
