/** Samples in other places: in every locale, and near any point. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OperationId, operationIds, operations } from '../../../src/operations/index.ts';
import { homes } from '../../../src/samples/places/place.ts';
import { sampleBody } from '../../../src/samples/sample.ts';
import { sampleOf } from '../../harness/amounts.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { findings, valuesOf } from '../validate.ts';

const sandbox = useSandbox();
const countFor = (id: OperationId, count: number): number => (operations[id].list === undefined ? 1 : count);

/** Returns the distance between two points on the earth, in kilometres. */
function kmBetween([x, y]: readonly [number, number], latitude: number, longitude: number): number {
  const [a, b, turn] = [y, latitude, x - longitude].map((degrees) => (degrees * Math.PI) / 180) as [
    number,
    number,
    number,
  ];
  const half = Math.sin((b - a) / 2) ** 2 + Math.cos(a) * Math.cos(b) * Math.sin(turn / 2) ** 2;
  return 2 * 6371 * Math.asin(Math.sqrt(half));
}

const positionsOf = (body: unknown) => valuesOf(body, 'coordinates') as readonly (readonly [number, number])[];

describe.each(Object.keys(homes).map((locale, turn) => [locale, turn] as const))('%s', (locale, turn) => {
  test('every body is valid, near the home of the locale, and reproducible', async () => {
    const [countryCode, country, latitude, longitude] = homes[locale] ?? ['', '', 0, 0];
    for (const id of sampleOf(operationIds, turn)) {
      const options = { count: countFor(id, 10), seed: 'a', locale };
      const body = await sampleBody(id, options);
      expect(findings(id, body), id).toEqual([]);
      expect(JSON.stringify(await sampleBody(id, options)), id).toBe(JSON.stringify(body));
      expect(new Set([countryCode, ...valuesOf(body, 'countryCode')])).toEqual(new Set([countryCode]));
      expect(new Set([country, ...valuesOf(body, 'country')])).toEqual(new Set([country]));
      for (const address of valuesOf(body, 'email'))
        expect(address).toMatch(/^[a-z0-9]+\.[a-z0-9]+@(mail|stores)\.example$/);
      for (const position of positionsOf(body)) expect(kmBetween(position, latitude, longitude)).toBeLessThan(20);
    }
  });
});

test('every body near any point is valid and within 20 km', async () => {
  const latitude = fc.double({ min: -85, max: 85, noNaN: true });
  const longitude = fc.double({ min: -180, max: 180, noNaN: true });
  const locale = fc.constantFrom(undefined, 'en_AU', 'de', 'ja', 'pt_BR');
  const place = fc.record({ latitude, longitude });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...operationIds), place, locale, fc.string(), async (id, near, name, seed) => {
      const body = await sampleBody(id, { count: countFor(id, 20), seed, near, ...(name && { locale: name }) });
      expect(findings(id, body)).toEqual([]);
      for (const position of positionsOf(body)) {
        expect(kmBetween(position, near.latitude, near.longitude)).toBeLessThan(20);
        expect(Math.abs(position[0])).toBeLessThanOrEqual(180);
      }
      if (!name) expect(valuesOf(body, 'country')).toEqual([]);
    }),
    { numRuns: 200, examples: [['submitLocations', { latitude: 85, longitude: 180 }, 'de', 'a']] },
  );
});

test('positions are on all sides of the point, and devices have trails', async () => {
  const near = { latitude: 52.52, longitude: 13.4 };
  const positions = positionsOf(await sampleBody('asyncImportJobs', { count: 300, seed: 'a', near }));
  const quarters = positions.map(([x, y]) => `${x > near.longitude} ${y > near.latitude}`);
  expect(new Set(quarters).size).toBeGreaterThan(2);
  const { locations } = await sampleBody('submitLocations', { count: 60, seed: 'a', near });
  expect(new Set(valuesOf(locations, 'deviceId')).size).toBeLessThanOrEqual(12);
});

test('times are in the local time of the place', async () => {
  const body = await sampleBody('asyncImportJobs', { count: 20, seed: 'a', near: { latitude: 40.7, longitude: -74 } });
  for (const at of valuesOf(body, 'deliveryDate')) expect(at).toMatch(/-05:00$/);
});

test.each(['de', 'ja', 'pt_BR'])('a running sandbox accepts samples without a warning: %s', async (locale) => {
  const project = freshProject();
  const where = { locale, near: { latitude: -33.87, longitude: 151.2 } };
  for (const [id, path] of [
    ['registerUser', `/projects/${project}/users`],
    ['syncCreateJobs', `/sync/projects/${project}/jobs/batch`],
    ['syncCreateRoutes', `/sync/projects/${project}/routes/batch`],
    ['asyncImportOrders', `/async/projects/${project}/orders`],
    ['submitLocations', `/projects/${project}/locations/batch`],
  ] as const) {
    const body = await sampleBody(id, { count: countFor(id, 20), seed: 'a', ...where });
    const { status, headers, text } = await sandbox.api('POST', path, body);
    expect(status, `${id}: ${text}`).toBeLessThan(300);
    expect(text).not.toContain('reason');
    expect(headers).not.toHaveProperty('x-sandbox-warnings');
  }
});
