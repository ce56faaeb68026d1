/** Device locations: the seed's drivers on the road, each report a little further than the one before. */
import type { Faker } from '@faker-js/faker';
import type { components } from '../contract/api.gen.ts';
import { aside, createPoint } from './address.ts';
import { toLocalTime } from './city.ts';
import { eachOf, type Setting } from './setting.ts';
import type { Worker } from './staff.ts';

type Schemas = components['schemas'];

const secondMs = 1000;
const secondsBetween = 5;
// How far a device gets from one report to the next, and how strongly it is drawn home, so that it stays in its city.
const step = 0.002;
const drawn = 0.05;

interface Van {
  readonly driver: Worker;
  readonly home: readonly [longitude: number, latitude: number];
  at: readonly [longitude: number, latitude: number];
}

/** Where one device is now. */
export function createLocation(setting: Setting): Schemas['DeviceLocation'] {
  const [location] = createLocations(setting, 1);
  return location as Schemas['DeviceLocation'];
}

/** Reports of all drivers in turn, in the order of time, the last one now; each made when it is asked for. */
export function createLocations(setting: Setting, count: number): Iterable<Schemas['DeviceLocation']> {
  const { faker, nowMs, teams } = setting;
  const vans = faker.helpers.shuffle(teams.flatMap(({ drivers }) => drivers)).map((driver) => createVan(faker, driver));
  // Few locations are of few devices, so that each has a trail.
  const used = vans.slice(0, Math.max(1, Math.ceil(count / 5)));
  return eachOf(count, (index) => {
    const van = used[index % used.length] as Van;
    const atMs = nowMs - (count - 1 - index) * secondsBetween * secondMs;
    van.at = [move(faker, van, 0), move(faker, van, 1)];
    const { deviceId, city } = van.driver;
    return { deviceId, eventDateTime: toLocalTime(atMs, city), geoJson: createPoint(...van.at) };
  });
}

function createVan(faker: Faker, driver: Worker): Van {
  const [, , longitude, latitude] = faker.helpers.arrayElement(driver.city.suburbs);
  return { driver, home: [longitude, latitude], at: [longitude, latitude] };
}

function move(faker: Faker, { at, home }: Van, axis: 0 | 1): number {
  return at[axis] + (home[axis] - at[axis]) * drawn + aside(faker, step);
}
