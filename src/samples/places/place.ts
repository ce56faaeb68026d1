/** Lists the locales of samples, and creates fictional cities around their homes or other points. */
import type { Faker } from '@faker-js/faker';
import { didYouMean } from '../../lib/nearest.ts';
import { type City, createStores, type Suburb } from './city.ts';

/** A locale's country, and the centre of its capital or largest city. For a language of many countries, one of them. */
type Home = readonly [countryCode: string, country: string, latitude: number, longitude: number];

/** The default locale of samples. */
export const defaultLocale = 'en_AU';

/** The locales of samples. `--near` moves a sample to any other place. */
export const homes: Readonly<Record<string, Home>> = {
  de: ['DE', 'Germany', 52.52, 13.405],
  en_AU: ['AU', 'Australia', -27.47, 153.025],
  en_CA: ['CA', 'Canada', 43.653, -79.383],
  en_GB: ['GB', 'United Kingdom', 51.507, -0.128],
  en_IE: ['IE', 'Ireland', 53.35, -6.26],
  en_IN: ['IN', 'India', 19.076, 72.878],
  en_US: ['US', 'United States', 40.713, -74.006],
  en_ZA: ['ZA', 'South Africa', -26.204, 28.047],
  es: ['ES', 'Spain', 40.417, -3.704],
  fr: ['FR', 'France', 48.857, 2.352],
  it: ['IT', 'Italy', 41.903, 12.496],
  ja: ['JP', 'Japan', 35.677, 139.65],
  nl: ['NL', 'Netherlands', 52.368, 4.904],
  pt_BR: ['BR', 'Brazil', -23.551, -46.633],
};

/** Returns an error message if the locale is unknown, otherwise undefined. */
export function localeProblem(locale: string): string | undefined {
  if (Object.hasOwn(homes, locale)) return undefined;
  const names = Object.keys(homes);
  const suggestion = didYouMean(locale, names);
  return `unknown locale ${JSON.stringify(locale)}${suggestion === '' ? `: must be one of ${names.join(', ')}` : suggestion}`;
}

/**
 * Loads the faker of one locale only, because that takes as long as loading the rest of the program. Returns a new
 * instance for each call, so that parallel samples do not change each other's random values.
 */
export async function loadFaker(locale: string): Promise<Faker> {
  // Not resolved by bundlers: faker's package has a separate file for each locale.
  const { faker } = (await import(/* @vite-ignore */ `@faker-js/faker/locale/${locale}`)) as { faker: Faker };
  return new (faker.constructor as typeof Faker)({ locale: faker.rawDefinitions });
}

/** A geographic point, in degrees. */
export interface GeoPoint {
  readonly latitude: number;
  readonly longitude: number;
}

const suburbCount = 10;
// Addresses and vans lie outside the centre of their suburb, so a sample can be up to 20 km away.
const maxKm = 15;
const kmPerDegree = 111.2;
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
  const suburbs = Array.from({ length: suburbCount }, () => createSuburb(faker, middle));
  // Faker has American states for Ireland.
  const region = countryCode === 'IE' ? faker.location.county() : faker.location.state();
  return {
    area: locale === undefined ? {} : { region, country, countryCode },
    stores: createStores(locale === undefined ? 'LOC' : countryCode),
    suburbs,
    utcHours: Math.round(middle.longitude / 15),
  };
}

function createSuburb(faker: Faker, { latitude, longitude }: GeoPoint): Suburb {
  const locality = faker.location.city().trim();
  const postcode = faker.location.zipCode();
  // The square root gives an even density: otherwise most suburbs would be near the centre.
  const degrees = (maxKm * Math.sqrt(faker.number.float())) / kmPerDegree;
  const direction = faker.number.float({ max: 2 * Math.PI });
  const width = Math.cos((latitude * Math.PI) / 180);
  return [
    locality,
    postcode,
    longitude + (degrees * Math.sin(direction)) / width,
    latitude + degrees * Math.cos(direction),
  ];
}
