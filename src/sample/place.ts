/** Samples in places other than the built-in cities: the suburbs of a city that there is not, around a point that there is. */
import type { Faker } from '@faker-js/faker';
import type { City, Suburb } from './city.ts';
import { type Home, homes, usualLocale } from './locale.ts';

/** A point of the map, in degrees. */
export interface Point {
  readonly latitude: number;
  readonly longitude: number;
}

const suburbCount = 10;
// With the way that suburbs and vans reach beyond their middle, no sample is more than 20 km away.
const mostKm = 15;
const earthKm = 6371;
// Nearer to a pole a degree of longitude is no distance, and nobody is there.
const mostLatitude = 85;

/** A point from `LAT,LON`, or what is wrong with the text. */
export function parseNear(text: string): Point | string {
  const [latitude = Number.NaN, longitude = Number.NaN, ...rest] = text
    .split(',')
    .map((part) => (/^\s*[+-]?\d+(\.\d+)?\s*$/.test(part) ? Number(part) : Number.NaN));
  const expected = 'near must be a latitude and a longitude in degrees, such as -27.47,153.02';
  if (rest.length > 0 || Number.isNaN(latitude) || Number.isNaN(longitude))
    return `${expected}, got ${JSON.stringify(text)}`;
  if (Math.abs(latitude) <= mostLatitude && Math.abs(longitude) <= 180) return { latitude, longitude };
  const isTurned = Math.abs(longitude) <= mostLatitude && Math.abs(latitude) <= 180;
  const bounds = `${expected}, from -${mostLatitude} to ${mostLatitude} and from -180 to 180, got ${JSON.stringify(text)}`;
  return isTurned ? `${bounds}, did you mean ${longitude},${latitude}?` : bounds;
}

/** The city around a point, with the words of the faker's locale; of a locale that was not asked for no country is told. */
export function createPlace(faker: Faker, locale: string | undefined, near: Point | undefined): City {
  const [countryCode, country, latitude, longitude] = homes[locale ?? usualLocale] as Home;
  const middle = near ?? { latitude, longitude };
  const suburbs = Array.from({ length: suburbCount }, () => createSuburb(faker, middle, countryCode));
  const hours = Math.round(middle.longitude / 15);
  const region = locale === undefined ? undefined : createRegion(faker, countryCode);
  return {
    ...(region !== undefined && { region }),
    ...(locale !== undefined && { country, countryCode, hasOwnStreets: true }),
    areaCode: '2',
    stores: ['003', '014', '021', '033'].map((number) => `${locale === undefined ? 'LOC' : countryCode}-${number}`),
    suburbs,
    offset: `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`,
    offsetMs: hours * 3_600_000,
  };
}

function createSuburb(faker: Faker, middle: Point, countryCode: string): Suburb {
  const locality = faker.location.city().trim();
  const postcode = isOwn(faker, 'postcode', countryCode) ? faker.location.zipCode() : undefined;
  // By the root of it, so that they lie as densely outside as within.
  const km = mostKm * Math.sqrt(faker.number.float());
  const { longitude, latitude } = travel(middle, km, faker.number.float({ max: 2 * Math.PI }));
  return [locality, postcode, longitude, latitude];
}

function createRegion(faker: Faker, countryCode: string): string | undefined {
  return isOwn(faker, 'state', countryCode) ? faker.location.state() : undefined;
}

/** Whether a locale has words for this; where it has none, faker takes American ones, and some countries have no such thing. */
function isOwn(faker: Faker, kind: 'postcode' | 'state', countryCode: string): boolean {
  const words = faker.rawDefinitions.location?.[kind];
  if (!words) return false;
  if (countryCode === 'US') return true;
  return !words.includes(kind === 'state' ? 'Ohio' : '#####-####');
}

/** Where one comes to from a point, so far in a direction. */
function travel({ latitude, longitude }: Point, km: number, direction: number): Point {
  const far = km / earthKm;
  const from = (latitude * Math.PI) / 180;
  const to = Math.asin(Math.sin(from) * Math.cos(far) + Math.cos(from) * Math.sin(far) * Math.cos(direction));
  const aside = Math.atan2(
    Math.sin(direction) * Math.sin(far) * Math.cos(from),
    Math.cos(far) - Math.sin(from) * Math.sin(to),
  );
  return { latitude: (to * 180) / Math.PI, longitude: longitude + (aside * 180) / Math.PI };
}
