/** Shows records as lines of a table: the columns of each collection, and the texts of their cells. */
import type { Json } from '../../lib/json.ts';
import type { Records, StoredRecord } from '../../records/records.ts';
import type { Schema } from '../handler.ts';
import type { RecordCollection } from '../named-records.ts';

export interface Column extends Schema<'RecordColumn'> {
  /** Returns the text of a cell; empty if the record has none. */
  readonly text: (record: StoredRecord) => string;
}

/** A list is shown as its entries, and an object as empty, because it is too long for a cell. */
function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(', ');
  return typeof value === 'object' || value === undefined ? '' : String(value);
}

function field(key: string, title: string): Column {
  return { key, title, text: (record) => toText(record[key]) };
}

/** Returns a column of several fields of an object, joined by `between`. */
function parts(key: string, title: string, names: readonly string[], between: string): Column {
  return { key, title, text: (record) => joined(record[key], names, between) };
}

/** Returns the texts of several fields of an object; an empty text for everything else. */
export function joined(value: unknown, names: readonly string[], between: string): string {
  if (typeof value !== 'object' || value === null) return '';
  const texts = names.map((name) => toText((value as Json)[name]));
  return texts.filter((text) => text !== '').join(between);
}

function time(key: string, title: string): Column {
  return { key, title, isTime: true, text: (record) => toTime(record[key]) };
}

/** Writes a timestamp in UTC. A date, or a time without a zone, stays as it is. */
export function toTime(value: unknown): string {
  if (typeof value !== 'string') return '';
  // All times that the sandbox itself writes: reading them would take most of the time of a sorted list.
  if (value.length === 24 && value.endsWith('Z')) return value;
  const ms = /T.*(Z|[+-]\d\d:?\d\d)$/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? value : new Date(ms).toISOString();
}

/** Returns the longitude and latitude of a GeoJSON point; undefined if its coordinates are not valid. */
export function pointOf(geoJson: unknown): readonly [lng: number, lat: number] | undefined {
  const { coordinates } = (geoJson ?? {}) as { readonly coordinates?: unknown };
  if (!Array.isArray(coordinates)) return undefined;
  const [lng, lat] = coordinates as readonly unknown[];
  if (typeof lng !== 'number' || typeof lat !== 'number') return undefined;
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? [lng, lat] : undefined;
}

/** Writes latitude and longitude with a precision of about one meter. */
function toPlace({ geoJson }: StoredRecord): string {
  const [lng, lat] = pointOf(geoJson) ?? [];
  return lng === undefined || lat === undefined ? '' : `${lat.toFixed(5)}, ${lng.toFixed(5)}`;
}

const [id, status, subproject] = [field('id', 'Id'), field('status', 'Status'), field('subProjectId', 'Subproject')];
const updated = time('updatedAt', 'Updated');
const driver = parts('driver', 'Driver', ['firstName', 'lastName', 'deviceId'], ' ');

const columns: Readonly<Record<RecordCollection, readonly Column[]>> = {
  jobs: [
    id,
    status,
    subproject,
    { ...field('routeId', 'Route'), collection: 'routes' },
    parts('address', 'Address', ['streetAddress', 'locality', 'postcode'], ', '),
    driver,
    time('deliveryDate', 'Delivery'),
    updated,
  ],
  orders: [
    id,
    status,
    subproject,
    parts('customer', 'Customer', ['firstName', 'lastName'], ' '),
    field('storeId', 'Store'),
    time('scheduledDate', 'Scheduled'),
    updated,
  ],
  routes: [
    id,
    { key: 'jobs', title: 'Jobs', text: ({ jobs }) => (Array.isArray(jobs) ? String(jobs.length) : '') },
    driver,
    time('routeDate', 'Date'),
    subproject,
    updated,
  ],
  users: [
    field('username', 'Username'),
    field('type', 'Type'),
    { key: 'name', title: 'Name', text: (record) => joined(record, ['firstName', 'lastName'], ' ') },
    field('email', 'Email'),
    field('access', 'Access'),
    updated,
  ],
  locations: [
    field('deviceId', 'Device'),
    time('eventDateTime', 'Event time'),
    { key: 'place', title: 'Latitude, longitude', text: toPlace },
    updated,
  ],
};

/** Returns the columns of a collection. The first is the id. */
export function columnsOf(collection: RecordCollection, records: Records): readonly Column[] {
  const [first, ...others] = columns[collection];
  if (collection !== 'locations' || !first) return columns[collection];
  const names = findDriverNames(records);
  const name = ({ deviceId }: StoredRecord): string => names.get(toText(deviceId)) ?? '';
  return [first, { key: 'driver', title: 'Driver', text: name }, ...others];
}

/** Returns the first two columns, and those of the others that are not empty in all records. */
export function usedColumns(all: readonly Column[], records: readonly StoredRecord[]): readonly Column[] {
  return all.filter(({ text }, index) => index < 2 || records.some((record) => text(record) !== ''));
}

/** Returns columns as they are sent. */
export function showColumns(all: readonly Column[]): readonly Schema<'RecordColumn'>[] {
  return all.map(({ text: _, ...column }) => column);
}

export function toRow(all: readonly Column[], record: StoredRecord): Schema<'RecordRow'> {
  const cells = all.map(({ key, text }) => [key, text(record)] as const).filter(([, text]) => text !== '');
  return { id: all[0]?.text(record) ?? '', cells: Object.fromEntries(cells) };
}

/** Maximum length of a value that sorts rows, in characters: the URL of the next page contains it. */
const maxSorted = 200;

/** Returns the values by which rows are sorted. Numbers are padded, so that J-2 comes before J-10. */
export function toSorts(all: readonly Column[]): Readonly<Record<string, (record: StoredRecord) => string>> {
  const padded = (text: string) => text.toLowerCase().replaceAll(/\d+/g, (digits) => digits.padStart(12, '0'));
  return Object.fromEntries(
    all.map(({ key, text, isTime }) => {
      const toValue = (record: StoredRecord) => (isTime ? text(record) : padded(text(record)));
      return [key, (record: StoredRecord) => toValue(record).slice(0, maxSorted)];
    }),
  );
}

/** The driver of a route or job. Its fields are empty texts if the record has none. */
interface Driver {
  readonly deviceId: string;
  readonly name: string;
}

export function driverOf({ driver }: StoredRecord): Driver {
  if (typeof driver !== 'object' || driver === null) return { deviceId: '', name: '' };
  const fields = driver as Json;
  return { deviceId: textOf(fields['deviceId']), name: nameOf(fields) || textOf(fields['employeeId']) };
}

/** Returns the names of drivers by their devices. Routes come first, then jobs, then users. */
export function findDriverNames({ routes, jobs, users }: Records): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const add = ({ deviceId, name }: Driver): void => {
    if (deviceId !== '' && name !== '' && !names.has(deviceId)) names.set(deviceId, name);
  };
  for (const record of routes.values()) add(driverOf(record));
  for (const record of jobs.values()) add(driverOf(record));
  for (const user of users.values())
    add({ deviceId: textOf(user['moduleDeviceId']), name: nameOf(user) || textOf(user['username']) });
  return names;
}

function nameOf({ firstName, lastName }: Json): string {
  return [firstName, lastName].map(textOf).join(' ').trim();
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
