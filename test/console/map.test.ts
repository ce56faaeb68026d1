/** Locations over time, and the degrees at the edges of the map. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { feature } from 'topojson-client';
import { describe, expect, test } from 'vitest';
import { degrees } from '../../src/console/screens/map/degrees.ts';
import { assignColors, colorCount } from '../../src/console/screens/map/driver-colors.ts';
import { splitAtMeridian } from '../../src/console/screens/map/rings.ts';
import { periodOf, placeAt } from '../../src/console/screens/map/trail-time.ts';

const minute = 1 / 60;
const trail = [
  { at: 1000, lat: 10, lng: 20 },
  { at: 3000, lat: 20, lng: 40 },
  { at: 4000, lat: 20, lng: -170 },
];

describe('the location at a time', () => {
  test.each([
    ['before the first point', 999, undefined],
    ['at a point', 1000, { lat: 10, lng: 20 }],
    ['between two points', 1500, { lat: 12.5, lng: 25 }],
    ['on a step over the 180th meridian', 3999, { lat: 20, lng: 40 }],
    ['after the last point', 9000, { lat: 20, lng: -170 }],
  ])('%s', (_when, at, place) => {
    const found = placeAt(trail, at);
    expect(found && { lat: found.lat, lng: found.lng }).toEqual(place);
  });

  test('without points is undefined', () => expect(placeAt([], 1)).toBeUndefined());
});

test('the period covers all trails, and there is none if nothing moved', () => {
  expect(periodOf([trail, [{ at: 500, lat: 0, lng: 0 }], []])).toEqual({ from: 500, to: 4000 });
  expect(periodOf([[{ at: 500, lat: 0, lng: 0 }], []])).toBeUndefined();
});

test.each([
  [-27.5, 30 * minute, '27°30′S'],
  [27 + 1 / 120, minute / 2, '27°00′30″N'],
  [-20, 5, '20°S'],
  [0, 10, '0°'],
  [-27.999_999_9, minute, '28°00′S'],
])('%s degrees in steps of %s: %s', (value, step, text) => {
  expect(degrees(value, 'N', 'S', step)).toBe(text);
});

test('the first twelve drivers have different colors, also with routes of others', () => {
  const devices = Array.from({ length: 12 }, (_, n) => ({ id: `van-${n}` }));
  const colorOf = assignColors(devices, [
    { id: 'R-1', driver: { deviceId: 'other' } },
    { id: 'R-2', driver: { deviceId: 'van-11' } },
  ]);
  expect(new Set(devices.map(({ id }) => colorOf.get(`device:${id}`))).size).toBe(12);
  const css = readFileSync('src/console/screens/map/colors.css', 'utf8');
  const colors = [...css.matchAll(/--driver-(\d+): light-dark\((#\w+), (#\w+)\)/g)];
  expect(colors.map(([, n]) => Number(n))).toEqual(Array.from({ length: colorCount }, (_, n) => n + 1));
  expect(new Set(colors.flatMap(([, , light, dark]) => [light, dark])).size).toBe(2 * colorCount);
});

const wide = new Set(['Russia', 'Fiji', 'Antarctica']);

test('the outlines have each place once, and no line along a pole', () => {
  const topology = createRequire(import.meta.url)('world-atlas/countries-50m.json');
  const { geometries } = topology.objects.countries;
  const some = geometries.filter(({ properties }: GeoJSON.Feature) => wide.has(properties?.['name']));
  const countries = { type: 'GeometryCollection', geometries: some } as const;
  const { features } = feature(topology, countries) as unknown as GeoJSON.FeatureCollection;
  const rings = features
    .map(({ geometry }) => splitAtMeridian(geometry))
    .flatMap((geometry) => (geometry.type === 'MultiPolygon' ? geometry.coordinates.flat() : []));
  const places = rings.flat();
  // The tip of Siberia, west of Alaska, is in one piece with the rest of it.
  expect(Math.min(...places.map(([lng = 0]) => lng))).toBeGreaterThan(-182);
  expect(Math.max(...places.map(([lng = 0]) => lng))).toBeLessThan(191);
  const polar = rings.filter((ring) => ring.some(([, lat = 0]) => lat < -84));
  expect(polar).toHaveLength(1);
  expect(polar[0]?.filter(([, lat]) => lat === -90).map(([lng]) => lng)).toEqual([180, -180]);
});
