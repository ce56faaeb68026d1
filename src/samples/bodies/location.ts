/** Creates device locations: each report of a driver is a short distance from the one before. */
import type { Faker } from '@faker-js/faker';
import type { components } from '../../openapi/api.gen.ts';
import { createPoint, randomOffset, toLocalTime } from '../places/city.ts';
import { eachOf, type SampleContext } from '../sample-context.ts';

type Schemas = components['schemas'];

const intervalMs = 5000;
// Maximum distance between two reports, in degrees. Each step also moves a share of the way home, to stay in the city.
const maxStep = 0.002;
const homePull = 0.05;

interface Van {
  readonly deviceId: string;
  readonly home: readonly [longitude: number, latitude: number];
  at: readonly [longitude: number, latitude: number];
}

/** Creates reports of all drivers in turn, in order of time, each when it is read. The time of the last one is now. */
export function createLocations(context: SampleContext, count: number): Generator<Schemas['DeviceLocation']> {
  const { faker, nowMs, city, staff } = context;
  const vans = faker.helpers.shuffle(staff.drivers).map(({ deviceId }): Van => {
    const [, , longitude, latitude] = faker.helpers.arrayElement(city.suburbs);
    return { deviceId, home: [longitude, latitude], at: [longitude, latitude] };
  });
  // One device for every five locations, so that each device has a trail.
  const used = vans.slice(0, Math.max(1, Math.ceil(count / 5)));
  return eachOf(count, (index) => {
    const van = used[index % used.length] as Van;
    const atMs = nowMs - (count - 1 - index) * intervalMs;
    van.at = [move(faker, van, 0), move(faker, van, 1)];
    return { deviceId: van.deviceId, eventDateTime: toLocalTime(atMs, city), geoJson: createPoint(...van.at) };
  });
}

function move(faker: Faker, { at, home }: Van, axis: 0 | 1): number {
  return at[axis] + (home[axis] - at[axis]) * homePull + randomOffset(faker, maxStep);
}
