/** Creates what all samples share: a seeded faker, the reference time, cities, staff, and the first number. */
import type { Faker } from '@faker-js/faker';
import { createHash } from '../lib/random.ts';
import { parseTimestamp } from '../lib/time.ts';
import { type City, createCities } from './places/city.ts';
import { defaultLocale } from './places/locale.ts';
import { createPlace, type GeoPoint } from './places/place.ts';
import { createTeams, type Team } from './staff.ts';

/** Input of every generator. */
export interface SampleContext {
  readonly faker: Faker;
  readonly nowMs: number;
  readonly teams: readonly Team[];
  /** Number of the first entry. Depends on the seed only, so that an update names the records of an import. */
  readonly firstNumber: number;
  /** Whether the seed's user is a driver, otherwise an attendant. Depends on the seed only, for the same reason. */
  readonly userDrives: boolean;
  /** Whether the URL names a subproject. */
  readonly inSubproject: boolean;
  /** Languages of customers; repeated ones are more frequent. Default: languages of the built-in cities. */
  readonly languages?: readonly string[];
}

const referenceTime = '2026-03-02T09:30:00+10:00';

/** Place of a sample. Default: the built-in cities. */
export interface SamplePlace {
  /** A locale of faker, which also sets the country. Default: the locale of the built-in cities. */
  readonly locale?: string;
  /** All positions are near this point. Default: the locale's home city. */
  readonly near?: GeoPoint;
  /** Uses only the first of the built-in cities. */
  readonly oneCity?: true;
}

/**
 * Creates the context of one sample. Seeds `faker`, so complete the sample before another one uses the same faker.
 * @throws Error if `now` is not an ISO 8601 timestamp with offset
 */
export function createSetting(
  faker: Faker,
  operationId: string,
  seed: string,
  now: string = referenceTime,
  place: SamplePlace = {},
): SampleContext {
  const nowMs = parseTimestamp(now);
  if (nowMs === undefined) throw new Error(`now must be a timestamp with offset such as ${referenceTime}, got ${now}`);
  const hash = createHash(seed, 'sample');
  const reseed = (name: string) => faker.seed(Math.floor(hash.fraction(name) * 2 ** 32));
  reseed('place');
  const cities = toCities(faker, nowMs, place);
  reseed('staff');
  const teams = createTeams(faker, hash, cities);
  reseed(operationId);
  return {
    faker,
    nowMs,
    teams,
    firstNumber: 10_000 + Math.floor(hash.fraction('first number') * 30_000),
    userDrives: hash.fraction('user') < 0.5,
    inSubproject: operationId.endsWith('InSubproject'),
    ...(isElsewhere(place) && { languages: toLanguages(place.locale) }),
  };
}

function toCities(faker: Faker, nowMs: number, place: SamplePlace): readonly City[] {
  if (isElsewhere(place)) return [createPlace(faker, place.locale, place.near)];
  const cities = createCities(nowMs);
  return place.oneCity ? cities.slice(0, 1) : cities;
}

function isElsewhere({ locale = defaultLocale, near }: SamplePlace): boolean {
  return near !== undefined || locale !== defaultLocale;
}

function toLanguages(locale: string = defaultLocale): readonly string[] {
  const [language = ''] = locale.split('_');
  return [language, language, language, language, 'en'];
}

/** Creates a list of `count` items. */
export function createList<T>(count: number, create: (index: number) => T): T[] {
  return [...eachOf(count, create)];
}

/** Creates `count` items, each when it is read. */
export function* eachOf<T>(count: number, create: (index: number) => T): Generator<T> {
  for (let index = 0; index < count; index += 1) yield create(index);
}
