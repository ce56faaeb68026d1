/** What the samples of all nouns share: a seeded faker, the reference time, places, staff, and where numbers begin. */
import type { Faker } from '@faker-js/faker';
import { createHash } from '../base/random.ts';
import { parseTimestamp } from '../base/time.ts';
import { createCities } from './city.ts';
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
}

const referenceTime = '2026-03-02T09:30:00+10:00';

/**
 * The setting of one sample. Seeds `faker`: all that is generated must be generated before anyone else does.
 * @throws Error where `now` is no ISO 8601 timestamp with offset.
 */
export function createSetting(faker: Faker, operationId: string, seed: string, now: string = referenceTime): Setting {
  const nowMs = parseTimestamp(now);
  if (nowMs === undefined) throw new Error(`now must be a timestamp with offset such as ${referenceTime}, got ${now}`);
  const hash = createHash(seed, 'sample');
  const reseed = (name: string) => faker.seed(Math.floor(hash.fraction(name) * 2 ** 32));
  reseed('staff');
  const teams = createTeams(faker, hash, createCities(nowMs));
  reseed(operationId);
  return {
    faker,
    nowMs,
    teams,
    firstNumber: 10_000 + Math.floor(hash.fraction('first number') * 30_000),
    userDrives: hash.fraction('user') < 0.5,
    inSubproject: operationId.endsWith('InSubproject'),
  };
}

/** The items of a list of `count`. */
export function createList<T>(count: number, create: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => create(index));
}
