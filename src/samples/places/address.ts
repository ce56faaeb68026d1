/** Creates addresses in which locality, postcode, state and position match. */
import type { Faker } from '@faker-js/faker';
import type { components } from '../../openapi/api.gen.ts';
import type { City } from './city.ts';

type Schemas = components['schemas'];

// Half the width of a suburb, in degrees: about 500 metres.
const suburbRadius = 0.005;

const streetTypes = ['Street', 'Street', 'Road', 'Avenue', 'Parade', 'Terrace', 'Lane'];

/** Creates an address in the city. */
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
    geoJson: createPoint(longitude + randomOffset(faker, suburbRadius), latitude + randomOffset(faker, suburbRadius)),
  };
}

function createStreetAddress(faker: Faker, { hasOwnStreets }: City): string {
  if (hasOwnStreets) return faker.location.streetAddress();
  return `${faker.number.int({ min: 1, max: 380 })} ${faker.person.lastName()} ${faker.helpers.arrayElement(streetTypes)}`;
}

/** Creates a GeoJSON point, rounded to about ten centimetres. Wraps a longitude beyond ±180 degrees. */
export function createPoint(longitude: number, latitude: number): Schemas['LocationPoint'] {
  return {
    type: 'Point',
    coordinates: [
      round(longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude),
      round(latitude),
    ],
  };
}

/** Returns a random offset from `-max` to `max`. */
export function randomOffset(faker: Faker, max: number): number {
  return faker.number.float({ min: -max, max });
}

function round(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
