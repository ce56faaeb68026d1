/** Creates the built-in cities of samples, with real suburbs and local time. */

/** Locality, postcode if it has one, and the longitude and latitude of its centre. */
export type Suburb = readonly [locality: string, postcode: string | undefined, longitude: number, latitude: number];

/** A city with the data that samples need. */
export interface City {
  readonly region?: string;
  readonly country?: string;
  readonly countryCode?: string;
  /** Set if faker's locale names the streets; otherwise they are named like those of the built-in cities. */
  readonly hasOwnStreets?: true;
  /** Area code of its landline numbers after +61, also outside Australia: those numbers are reserved for fiction. */
  readonly areaCode: string;
  readonly stores: readonly string[];
  readonly suburbs: readonly Suburb[];
  /** UTC offset at the sample's reference time, such as `+10:00`. */
  readonly offset: string;
  readonly offsetMs: number;
}

const dayMs = 86_400_000;

const brisbane: readonly Suburb[] = [
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
];
const melbourne: readonly Suburb[] = [
  ['Melbourne', '3000', 144.9631, -37.8136],
  ['Richmond', '3121', 144.998, -37.823],
  ['Fitzroy', '3065', 144.978, -37.799],
  ['Brunswick', '3056', 144.96, -37.767],
  ['Footscray', '3011', 144.9, -37.8],
  ['Hawthorn', '3122', 145.035, -37.822],
  ['Carlton', '3053', 144.967, -37.8],
  ['South Yarra', '3141', 144.992, -37.838],
  ['Coburg', '3058', 144.964, -37.744],
  ['Box Hill', '3128', 145.122, -37.819],
];
const sydney: readonly Suburb[] = [
  ['Sydney', '2000', 151.207, -33.8688],
  ['Surry Hills', '2010', 151.211, -33.886],
  ['Newtown', '2042', 151.179, -33.897],
  ['Glebe', '2037', 151.184, -33.88],
  ['Parramatta', '2150', 151.003, -33.815],
  ['Chatswood', '2067', 151.181, -33.796],
  ['Marrickville', '2204', 151.155, -33.911],
  ['Randwick', '2031', 151.241, -33.914],
  ['Strathfield', '2135', 151.083, -33.879],
  ['Leichhardt', '2040', 151.156, -33.884],
];

/** Creates the built-in cities, with their UTC offset at `nowMs`. */
export function createCities(nowMs: number): readonly City[] {
  return [
    createCity('BNE', 'QLD', '7', 'Australia/Brisbane', brisbane, nowMs),
    createCity('MEL', 'VIC', '3', 'Australia/Melbourne', melbourne, nowMs),
    createCity('SYD', 'NSW', '2', 'Australia/Sydney', sydney, nowMs),
  ];
}

function createCity(
  code: string,
  region: string,
  areaCode: string,
  timeZone: string,
  suburbs: readonly Suburb[],
  nowMs: number,
): City {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(nowMs);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value.slice('GMT'.length) || '+00:00';
  const offsetMs = (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6))) * 60_000;
  const stores = ['003', '014', '021', '033'].map((number) => `${code}-${number}`);
  return { region, country: 'Australia', countryCode: 'AU', areaCode, stores, suburbs, offset, offsetMs };
}

/** Formats a time as local time of the city with its offset: `2026-03-02T09:30:00+10:00`. */
export function toLocalTime(atMs: number, city: City): string {
  return new Date(atMs + city.offsetMs).toISOString().slice(0, 19) + city.offset;
}

/** Returns the time that is `minutes` after local midnight, `days` after the day of `nowMs`, in milliseconds. */
export function atLocalTime(nowMs: number, city: City, days: number, minutes: number): number {
  const midnightMs = Math.floor((nowMs + city.offsetMs) / dayMs) * dayMs - city.offsetMs;
  return midnightMs + days * dayMs + minutes * 60_000;
}
