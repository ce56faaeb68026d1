/** Lists the locales of samples, each with its home city, and loads their faker. */
import type { Faker } from '@faker-js/faker';
import { didYouMean } from '../../lib/nearest.ts';

/** A locale's country, and the centre of its capital or largest city. For a language of many countries, one of them. */
export type Home = readonly [countryCode: string, country: string, latitude: number, longitude: number];

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
