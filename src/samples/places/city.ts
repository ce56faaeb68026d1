/** The built-in city of samples, with real suburbs, and the addresses and local times of cities. */
import type { Faker } from '@faker-js/faker';
import type { components } from '../../openapi/api.gen.ts';

type Schemas = components['schemas'];

/** Locality, postcode, and the longitude and latitude of its centre. */
export type Suburb = readonly [locality: string, postcode: string, longitude: number, latitude: number];

/** A city with the data that samples need. */
export interface City {
  /** The region and country of its addresses, as far as they are known. */
  readonly area: { readonly region?: string; readonly country?: string; readonly countryCode?: string };
  readonly stores: readonly string[];
  readonly suburbs: readonly Suburb[];
  readonly utcHours: number;
}

export const brisbane: City = {
  area: { region: 'QLD', country: 'Australia', countryCode: 'AU' },
  stores: createStores('BNE'),
  suburbs: [
    ['Brisbane City', '4000', 153.0251, -27.4698],
    ['West End', '4101', 153.009, -27.481],
    ['New Farm', '4005', 153.049, -27.468],
    ['Paddington', '4064', 152.999, -27.46],
    ['Toowong', '4066', 152.99, -27.485],
    ['Chermside', '4032', 153.031, -27.386],
    ['Indooroopilly', '4068', 152.973, -27.5],
    ['Carindale', '4152', 153.102, -27.506],
    ['Coorparoo', '4151', 153.058, -27.494],
    ['Sunnybank', '4109', 153.06, -27.579],
  ],
  utcHours: 10,
};

/** Returns the codes of a city's stores. */
export function createStores(code: string): readonly string[] {
  return ['003', '014', '021', '033'].map((number) => `${code}-${number}`);
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Formats a time as local time of the city with its offset: `2026-03-02T09:30:00+10:00`. */
export function toLocalTime(atMs: number, { utcHours }: City): string {
  const offset = `${utcHours < 0 ? '-' : '+'}${String(Math.abs(utcHours)).padStart(2, '0')}:00`;
  return new Date(atMs + utcHours * hourMs).toISOString().slice(0, 19) + offset;
}

/** Returns the time that is `minutes` after local midnight, `days` after the day of `nowMs`, in milliseconds. */
export function atLocalTime(nowMs: number, { utcHours }: City, days: number, minutes: number): number {
  const offsetMs = utcHours * hourMs;
  const midnightMs = Math.floor((nowMs + offsetMs) / dayMs) * dayMs - offsetMs;
  return midnightMs + days * dayMs + minutes * 60_000;
}

// Half the width of a suburb, in degrees: about 500 metres.
const suburbRadius = 0.005;

/** Creates an address in the city. */
export function createAddress(faker: Faker, { suburbs, area }: City): Schemas['Address'] {
  const [locality, postcode, longitude, latitude] = faker.helpers.arrayElement(suburbs);
  return {
    streetAddress: faker.location.streetAddress(),
    ...(faker.datatype.boolean(0.3) && { subStreetAddress: `Unit ${faker.number.int({ min: 1, max: 48 })}` }),
    locality,
    postcode,
    ...area,
    geoJson: createPoint(longitude + randomOffset(faker, suburbRadius), latitude + randomOffset(faker, suburbRadius)),
  };
}

/** Creates a GeoJSON point, rounded to about ten centimetres. Wraps a longitude beyond ±180 degrees. */
export function createPoint(longitude: number, latitude: number): Schemas['LocationPoint'] {
  const wrapped = longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude;
  return { type: 'Point', coordinates: [round(wrapped), round(latitude)] };
}

/** Returns a random offset from `-max` to `max`. */
export function randomOffset(faker: Faker, max: number): number {
  return faker.number.float({ min: -max, max });
}

function round(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
