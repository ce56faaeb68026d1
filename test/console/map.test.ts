/** Locations over time, and the degrees at the edges of the map. */
import { describe, expect, test } from 'vitest';
import { degrees } from '../../src/console/screens/map/degrees.ts';
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
