/** Creates the drivers and attendants of a seed: the same people in every sample and operation with that seed. */
import type { Faker } from '@faker-js/faker';
import type { SeededHash } from '../lib/random.ts';
import { createMobile, createPerson, type Person } from './person.ts';
import type { City } from './places/city.ts';

/** A person who works for a store. */
export interface Worker extends Person {
  readonly number: string;
  readonly phone: string;
  readonly deviceId: string;
  readonly city: City;
  readonly store: string;
}

/** The workers in one city. */
export interface Team {
  readonly city: City;
  readonly drivers: readonly Worker[];
  readonly attendants: readonly Worker[];
}

const driversPerCity = 12;

/** Creates one team for each city. `faker` must have a seed that only the staff uses. */
export function createTeams(faker: Faker, hash: SeededHash, cities: readonly City[]): readonly Team[] {
  return cities.map((city, index) => {
    const first = index * 100 + 101;
    const drivers = Array.from({ length: driversPerCity }, (_, i) =>
      createWorker(faker, hash, city, `D-0${first + i}`),
    );
    const attendants = city.stores.map((_, i) => createWorker(faker, hash, city, `A-0${first + i}`, i));
    return { city, drivers, attendants };
  });
}

function createWorker(faker: Faker, hash: SeededHash, city: City, number: string, store?: number): Worker {
  const { stores } = city;
  const found = store === undefined ? faker.helpers.arrayElement(stores) : stores[store];
  const phone = createMobile(faker);
  return { ...createPerson(faker), number, phone, deviceId: toUuid(hash, number), city, store: found ?? '' };
}

/** Creates a device id: a UUID that looks like version 4. */
function toUuid(hash: SeededHash, name: string): string {
  const high = hash.of(`${name} high`);
  const low = hash.of(`${name} low`);
  return `${high.slice(0, 8)}-${high.slice(8, 12)}-4${high.slice(13)}-a${low.slice(1, 4)}-${low.slice(4)}`;
}
