/** Creates a fictional city around a real point, for samples outside the built-in cities. */
import type { Faker } from '@faker-js/faker';
import type { City, Suburb } from './city.ts';
import { defaultLocale, type Home, homes } from './locale.ts';

/** A geographic point, in degrees. */
export interface GeoPoint {
  readonly latitude: number;
  readonly longitude: number;
}

const suburbCount = 10;
// Addresses and vans lie outside the centre of their suburb, so a sample can be up to 20 km away.
const maxKm = 15;
const earthKm = 6371;
// Closer to a pole, a degree of longitude is too short, and nobody lives there.
const maxLatitude = 85;

/** Parses a point from `LAT,LON`; returns an error message if the text is not valid. */
export function parseNear(text: string): GeoPoint | string {
  const [latitude = Number.NaN, longitude = Number.NaN, ...rest] = text
    .split(',')
    .map((part) => (/^\s*[+-]?\d+(\.\d+)?\s*$/.test(part) ? Number(part) : Number.NaN));
  const expected = 'near must be a latitude and a longitude in degrees, such as -27.47,153.02';
  if (rest.length > 0 || Number.isNaN(latitude) || Number.isNaN(longitude))
    return `${expected}, got ${JSON.stringify(text)}`;
  if (Math.abs(latitude) <= maxLatitude && Math.abs(longitude) <= 180) return { latitude, longitude };
  const isSwapped = Math.abs(longitude) <= maxLatitude && Math.abs(latitude) <= 180;
  const bounds = `${expected}, from -${maxLatitude} to ${maxLatitude} and from -180 to 180, got ${JSON.stringify(text)}`;
  return isSwapped ? `${bounds}, did you mean ${longitude},${latitude}?` : bounds;
}

/** Creates a city around a point, with words of the faker's locale. Without a `locale`, the city has no country. */
export function createPlace(faker: Faker, locale: string | undefined, near: GeoPoint | undefined): City {
  const [countryCode, country, latitude, longitude] = homes[locale ?? defaultLocale] as Home;
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

function createSuburb(faker: Faker, middle: GeoPoint, countryCode: string): Suburb {
  const locality = faker.location.city().trim();
  const postcode = hasOwnWords(faker, 'postcode', countryCode) ? faker.location.zipCode() : undefined;
  // The square root gives an even density: otherwise most suburbs would be near the centre.
  const km = maxKm * Math.sqrt(faker.number.float());
  const { longitude, latitude } = travel(middle, km, faker.number.float({ max: 2 * Math.PI }));
  return [locality, postcode, longitude, latitude];
}

function createRegion(faker: Faker, countryCode: string): string | undefined {
  return hasOwnWords(faker, 'state', countryCode) ? faker.location.state() : undefined;
}

/** Returns whether the locale has its own words of this kind. Otherwise faker uses American ones, which do not fit. */
function hasOwnWords(faker: Faker, kind: 'postcode' | 'state', countryCode: string): boolean {
  const words = faker.rawDefinitions.location?.[kind];
  if (!words) return false;
  if (countryCode === 'US') return true;
  return !words.includes(kind === 'state' ? 'Ohio' : '#####-####');
}

/** Returns the point at a distance of `km` in a direction, in radians. */
function travel({ latitude, longitude }: GeoPoint, km: number, direction: number): GeoPoint {
  const angle = km / earthKm;
  const from = (latitude * Math.PI) / 180;
  const to = Math.asin(Math.sin(from) * Math.cos(angle) + Math.cos(from) * Math.sin(angle) * Math.cos(direction));
  const longitudeChange = Math.atan2(
    Math.sin(direction) * Math.sin(angle) * Math.cos(from),
    Math.cos(angle) - Math.sin(from) * Math.sin(to),
  );
  return { latitude: (to * 180) / Math.PI, longitude: longitude + (longitudeChange * 180) / Math.PI };
}
