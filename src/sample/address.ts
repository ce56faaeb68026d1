/** Addresses whose locality, postcode, state and position belong together; knows nobody who lives there. */
import type { Faker } from '@faker-js/faker';
import type { components } from '../contract/api.gen.ts';
import type { City } from './city.ts';

type Schemas = components['schemas'];

// Half the width of what counts as one suburb, in degrees: some 500 metres.
const reach = 0.005;

const kindsOfStreet = ['Street', 'Street', 'Road', 'Avenue', 'Parade', 'Terrace', 'Lane'];

/** An address somewhere in the city. */
export function createAddress(faker: Faker, city: City): Schemas['Address'] {
  const { region, country, countryCode } = city;
  const [locality, postcode, longitude, latitude] = faker.helpers.arrayElement(city.suburbs);
  const unit = faker.datatype.boolean(0.3) && { subStreetAddress: `Unit ${faker.number.int({ min: 1, max: 48 })}` };
  return {
    streetAddress: createStreetAddress(faker, city),
    ...unit,
    locality,
    ...(region !== undefined && { region }),
    ...(postcode !== undefined && { postcode }),
    ...(country !== undefined && { country }),
    ...(countryCode !== undefined && { countryCode }),
    geoJson: createPoint(longitude + aside(faker, reach), latitude + aside(faker, reach)),
  };
}

function createStreetAddress(faker: Faker, { hasOwnStreets }: City): string {
  if (hasOwnStreets) return faker.location.streetAddress();
  return `${faker.number.int({ min: 1, max: 380 })} ${faker.person.lastName()} ${faker.helpers.arrayElement(kindsOfStreet)}`;
}

/** A point of the map: longitude first, rounded to about ten centimetres; a place may lie where degrees begin anew. */
export function createPoint(longitude: number, latitude: number): Schemas['LocationPoint'] {
  return {
    type: 'Point',
    coordinates: [
      round(longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude),
      round(latitude),
    ],
  };
}

/** Some way to either side, at most `most`. */
export function aside(faker: Faker, most: number): number {
  return faker.number.float({ min: -most, max: most });
}

function round(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
