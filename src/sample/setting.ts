/** What the samples of all nouns share: a seeded faker, the reference time, places, staff, and where numbers begin. */
import type { Faker } from '@faker-js/faker';
import { createHash } from '../base/random.ts';
import { parseTimestamp } from '../base/time.ts';
import { type City, createCities } from './city.ts';
import { usualLocale } from './locale.ts';
import { createPlace, type Point } from './place.ts';
import { createTeams, type Team } from './staff.ts';

/** Given to every generator. */
export interface Setting {
  readonly faker: Faker;
  readonly nowMs: number;
  readonly teams: readonly Team[];
  /** The number of the first entry. By the seed alone, so that an update names the records that an import made. */
  readonly firstNumber: number;
  /** Whether the seed's user is a driver; else an attendant. By the seed alone, for the same reason. */
  readonly userDrives: boolean;
  /** Whether the URL names a subproject already. */
  readonly inSubproject: boolean;
  /** What customers speak, the more often the more often it is named; the built-in cities' where left out. */
  readonly languages?: readonly string[];
}

const referenceTime = '2026-03-02T09:30:00+10:00';

/** Where a sample is set, if not in the built-in cities. */
export interface Where {
  /** One of faker's, with its country; where left out, the words are those of the built-in cities. */
  readonly locale?: string;
  /** What all positions are near to; where left out, the locale's own city. */
  readonly near?: Point;
  /** Only the first of the built-in cities. */
  readonly oneCity?: true;
}

/**
 * The setting of one sample. Seeds `faker`: all that is generated must be generated before anyone else does.
 * @throws Error where `now` is no ISO 8601 timestamp with offset.
 */
export function createSetting(
  faker: Faker,
  operationId: string,
  seed: string,
  now: string = referenceTime,
  where: Where = {},
): Setting {
  const nowMs = parseTimestamp(now);
  if (nowMs === undefined) throw new Error(`now must be a timestamp with offset such as ${referenceTime}, got ${now}`);
  const hash = createHash(seed, 'sample');
  const reseed = (name: string) => faker.seed(Math.floor(hash.fraction(name) * 2 ** 32));
  reseed('place');
  const cities = toCities(faker, nowMs, where);
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
    ...(isElsewhere(where) && { languages: toLanguages(where.locale) }),
  };
}

function toCities(faker: Faker, nowMs: number, where: Where): readonly City[] {
  if (isElsewhere(where)) return [createPlace(faker, where.locale, where.near)];
  const cities = createCities(nowMs);
  return where.oneCity ? cities.slice(0, 1) : cities;
}

function isElsewhere({ locale = usualLocale, near }: Where): boolean {
  return near !== undefined || locale !== usualLocale;
}

function toLanguages(locale: string = usualLocale): readonly string[] {
  const [language = ''] = locale.split('_');
  return [language, language, language, language, 'en'];
}

/** The items of a list of `count`. */
export function createList<T>(count: number, create: (index: number) => T): T[] {
  return [...eachOf(count, create)];
}

/** The same, each made when it is asked for. */
export function* eachOf<T>(count: number, create: (index: number) => T): Generator<T> {
  for (let index = 0; index < count; index += 1) yield create(index);
}
