/** Creates the drivers and attendants of a seed: the same people in every sample and operation with that seed. */
import type { Faker } from '@faker-js/faker';
import { createMobile, createPerson, type Person } from './person.ts';

/** A person who works for a store. */
export interface Worker extends Person {
  readonly number: string;
  readonly phone: string;
  readonly deviceId: string;
  readonly store: string;
}

export interface Staff {
  readonly drivers: readonly Worker[];
  readonly attendants: readonly Worker[];
}

const driverCount = 12;

/** Creates the staff of some stores. `faker` must have a seed that only the staff uses. */
export function createStaff(faker: Faker, stores: readonly string[]): Staff {
  const create = (letter: string, index: number, store: string): Worker => {
    const [number, phone] = [`${letter}-0${101 + index}`, createMobile(faker)];
    return { ...createPerson(faker), number, phone, deviceId: faker.string.uuid(), store };
  };
  return {
    drivers: Array.from({ length: driverCount }, (_, index) => create('D', index, faker.helpers.arrayElement(stores))),
    attendants: stores.map((store, index) => create('A', index, store)),
  };
}
