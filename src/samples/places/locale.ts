/** Lists the locales of samples, each with its home city, and loads their faker. */
import type { Faker } from '@faker-js/faker';
import { didYouMean } from '../../lib/nearest.ts';

/** A locale's country, and the centre of its capital or largest city. For a language of many countries, one of them. */
export type Home = readonly [countryCode: string, country: string, latitude: number, longitude: number];

/** The default locale of samples. */
export const defaultLocale = 'en_AU';

/** The home of every faker locale that has its own words. */
export const homes: Readonly<Record<string, Home>> = {
  af_ZA: ['ZA', 'South Africa', -33.925, 18.424],
  ar: ['EG', 'Egypt', 30.044, 31.236],
  az: ['AZ', 'Azerbaijan', 40.409, 49.867],
  bn_BD: ['BD', 'Bangladesh', 23.811, 90.412],
  cs_CZ: ['CZ', 'Czechia', 50.088, 14.421],
  cy: ['GB', 'United Kingdom', 51.482, -3.179],
  da: ['DK', 'Denmark', 55.676, 12.568],
  de: ['DE', 'Germany', 52.52, 13.405],
  de_AT: ['AT', 'Austria', 48.208, 16.373],
  de_CH: ['CH', 'Switzerland', 47.377, 8.541],
  dv: ['MV', 'Maldives', 4.175, 73.509],
  el: ['GR', 'Greece', 37.984, 23.728],
  en: ['US', 'United States', 40.713, -74.006],
  en_AU: ['AU', 'Australia', -27.47, 153.025],
  en_AU_ocker: ['AU', 'Australia', -33.869, 151.207],
  en_BORK: ['SE', 'Sweden', 59.329, 18.069],
  en_CA: ['CA', 'Canada', 43.653, -79.383],
  en_GB: ['GB', 'United Kingdom', 51.507, -0.128],
  en_GH: ['GH', 'Ghana', 5.604, -0.187],
  en_HK: ['HK', 'Hong Kong', 22.32, 114.169],
  en_IE: ['IE', 'Ireland', 53.35, -6.26],
  en_IN: ['IN', 'India', 19.076, 72.878],
  en_NG: ['NG', 'Nigeria', 6.524, 3.379],
  en_NP: ['NP', 'Nepal', 27.717, 85.324],
  en_US: ['US', 'United States', 40.713, -74.006],
  en_ZA: ['ZA', 'South Africa', -26.204, 28.047],
  eo: ['PL', 'Poland', 53.132, 23.169],
  es: ['ES', 'Spain', 40.417, -3.704],
  es_MX: ['MX', 'Mexico', 19.433, -99.133],
  fa: ['IR', 'Iran', 35.689, 51.389],
  fi: ['FI', 'Finland', 60.17, 24.938],
  fr: ['FR', 'France', 48.857, 2.352],
  fr_BE: ['BE', 'Belgium', 50.851, 4.352],
  fr_CA: ['CA', 'Canada', 45.502, -73.567],
  fr_CH: ['CH', 'Switzerland', 46.204, 6.143],
  fr_LU: ['LU', 'Luxembourg', 49.611, 6.13],
  fr_SN: ['SN', 'Senegal', 14.716, -17.467],
  he: ['IL', 'Israel', 32.085, 34.782],
  hr: ['HR', 'Croatia', 45.815, 15.982],
  hu: ['HU', 'Hungary', 47.498, 19.04],
  hy: ['AM', 'Armenia', 40.179, 44.499],
  id_ID: ['ID', 'Indonesia', -6.208, 106.846],
  it: ['IT', 'Italy', 41.903, 12.496],
  ja: ['JP', 'Japan', 35.677, 139.65],
  ka_GE: ['GE', 'Georgia', 41.715, 44.827],
  ko: ['KR', 'South Korea', 37.567, 126.978],
  ku_ckb: ['IQ', 'Iraq', 36.191, 44.009],
  ku_kmr_latin: ['TR', 'Türkiye', 37.914, 40.231],
  lv: ['LV', 'Latvia', 56.949, 24.105],
  mk: ['MK', 'North Macedonia', 41.998, 21.425],
  mn_MN_cyrl: ['MN', 'Mongolia', 47.886, 106.906],
  nb_NO: ['NO', 'Norway', 59.914, 10.752],
  ne: ['NP', 'Nepal', 27.717, 85.324],
  nl: ['NL', 'Netherlands', 52.368, 4.904],
  nl_BE: ['BE', 'Belgium', 51.219, 4.402],
  pl: ['PL', 'Poland', 52.23, 21.012],
  pt_BR: ['BR', 'Brazil', -23.551, -46.633],
  pt_PT: ['PT', 'Portugal', 38.722, -9.139],
  ro: ['RO', 'Romania', 44.427, 26.103],
  ro_MD: ['MD', 'Moldova', 47.01, 28.864],
  ru: ['RU', 'Russia', 55.756, 37.617],
  sk: ['SK', 'Slovakia', 48.149, 17.107],
  sl_SI: ['SI', 'Slovenia', 46.057, 14.506],
  sr_RS_latin: ['RS', 'Serbia', 44.787, 20.457],
  sv: ['SE', 'Sweden', 59.329, 18.069],
  ta_IN: ['IN', 'India', 13.083, 80.271],
  th: ['TH', 'Thailand', 13.756, 100.502],
  tr: ['TR', 'Türkiye', 41.008, 28.978],
  uk: ['UA', 'Ukraine', 50.45, 30.523],
  ur: ['PK', 'Pakistan', 24.861, 67.01],
  uz_UZ_latin: ['UZ', 'Uzbekistan', 41.299, 69.24],
  vi: ['VN', 'Vietnam', 10.823, 106.63],
  yo_NG: ['NG', 'Nigeria', 7.378, 3.947],
  zh_CN: ['CN', 'China', 31.23, 121.474],
  zh_TW: ['TW', 'Taiwan', 25.033, 121.565],
  zu_ZA: ['ZA', 'South Africa', -29.858, 31.022],
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
