/** Creates what all samples share: a seeded faker, the reference time, the city, its staff, and the first number. */
import type { Faker } from '@faker-js/faker';
import { createHash } from '../lib/random.ts';
import { parseTimestamp } from '../lib/time.ts';
import { createStaff, type Staff } from './person.ts';
import { brisbane, type City } from './places/city.ts';
import { createPlace, defaultLocale, type GeoPoint } from './places/place.ts';

/** Input of every generator. */
export interface SampleContext {
  readonly faker: Faker;
  readonly nowMs: number;
  readonly city: City;
  readonly staff: Staff;
  /** Number of the first entry. Depends on the seed only, so that an update names the records of an import. */
  readonly firstNumber: number;
  /** Whether the seed's user is a driver, otherwise an attendant. Depends on the seed only, for the same reason. */
  readonly userDrives: boolean;
  /** Whether the URL names a subproject. */
  readonly inSubproject: boolean;
  /** Languages of customers; repeated ones are more frequent. */
  readonly languages: readonly string[];
}

const referenceTime = '2026-03-02T09:30:00+10:00';
const defaultLanguages = ['en', 'en', 'en', 'en', 'zh', 'vi', 'it'];

/** Place of a sample. Default: Brisbane. */
export interface SamplePlace {
  /** A locale of faker, which also sets the country. Default: the locale of Brisbane. */
  readonly locale?: string;
  /** All positions are near this point. Default: the locale's home city. */
  readonly near?: GeoPoint;
}

/**
 * Creates the context of one sample. Seeds `faker`, so complete the sample before another one uses the same faker.
 * @throws Error if `now` is not an ISO 8601 timestamp with offset
 */
export function createContext(
  faker: Faker,
  operationId: string,
  { seed, now = referenceTime, locale, near }: SamplePlace & { readonly seed: string; readonly now?: string },
): SampleContext {
  const nowMs = parseTimestamp(now);
  if (nowMs === undefined) throw new Error(`now must be a timestamp with offset such as ${referenceTime}, got ${now}`);
  const hash = createHash(seed, 'sample');
  const reseed = (name: string) => faker.seed(Math.floor(hash.fraction(name) * 2 ** 32));
  const isBuiltIn = near === undefined && (locale ?? defaultLocale) === defaultLocale;
  const [language = ''] = (locale ?? defaultLocale).split('_');
  reseed('place');
  const city = isBuiltIn ? brisbane : createPlace(faker, locale, near);
  reseed('staff');
  const staff = createStaff(faker, city.stores);
  reseed(operationId);
  return {
    faker,
    nowMs,
    city,
    staff,
    firstNumber: 10_000 + Math.floor(hash.fraction('first number') * 30_000),
    userDrives: hash.fraction('user') < 0.5,
    inSubproject: operationId.endsWith('InSubproject'),
    languages: isBuiltIn ? defaultLanguages : [language, language, language, language, 'en'],
  };
}

/** Creates `count` items, each when it is read. */
export function* eachOf<T>(count: number, create: (index: number) => T): Generator<T> {
  for (let index = 0; index < count; index += 1) yield create(index);
}
