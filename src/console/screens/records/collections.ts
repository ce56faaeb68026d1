/** The collections, and the columns of their tables. */
import { placeText } from '../map/degrees.ts';

export type StoredRecord = Readonly<Record<string, unknown>>;

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly text: (record: StoredRecord) => string;
  /** The text can be long: the column gets the remaining width. */
  readonly isLong?: boolean;
  readonly isTime?: boolean;
}

export interface Collection {
  /** Name in the control API. */
  readonly name: 'jobs' | 'orders' | 'routes' | 'users' | 'locations';
  readonly title: string;
  readonly noun: string;
  readonly idField: string;
  /** The first column is the id. */
  readonly columns: readonly Column[];
  /** The operations that create these records. */
  readonly createdBy: string;
}

/**
 * Returns the column of a field. A list is shown as its entries. An object is shown as empty, because it is too long
 * for a cell.
 */
function field(key: string, title: string): Column {
  return { key, title, text: (record) => toText(record[key]) };
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(', ');
  return typeof value === 'object' || value === undefined ? '' : String(value);
}

/** Returns a column of several fields of an object, joined by `between`. */
function parts(key: string, title: string, names: readonly string[], between: string): Column {
  return {
    key,
    title,
    isLong: true,
    text: (record) => {
      const value = record[key];
      if (typeof value !== 'object' || value === null) return '';
      const texts = names.map((name) => toText((value as StoredRecord)[name]));
      return texts.filter((text) => text !== '').join(between);
    },
  };
}

const subproject = field('subProjectId', 'Subproject');
const updated = time('updatedAt', 'Updated');
const address = parts('address', 'Address', ['streetAddress', 'locality', 'postcode'], ', ');
const customer = parts('customer', 'Customer', ['firstName', 'lastName'], ' ');
const driver = parts('driver', 'Driver', ['firstName', 'lastName', 'deviceId'], ' ');

const position: Column = {
  key: 'geoJson',
  title: 'Latitude, longitude',
  text: ({ geoJson }) => {
    const at = (geoJson as { readonly coordinates?: unknown } | undefined)?.coordinates;
    return Array.isArray(at) ? placeText({ lat: Number(at[1]), lng: Number(at[0]) }) : '';
  },
};

function time(key: string, title: string): Column {
  return { ...field(key, title), isTime: true, text: (record) => toTime(record[key]) };
}

/** Formats a timestamp in seconds, in UTC. A date, or a time without a zone, stays as it is. */
export function toTime(value: unknown): string {
  if (typeof value !== 'string') return '';
  const ms = /T.*(Z|[+-]\d\d:?\d\d)$/i.test(value) ? Date.parse(value) : Number.NaN;
  return (Number.isNaN(ms) ? value : new Date(ms).toISOString().slice(0, 19)).replace('T', ' ');
}

/** Returns the first two columns, and those of the others that are not empty in all of these records. */
export function usedColumns({ columns }: Collection, records: readonly StoredRecord[]): readonly Column[] {
  return columns.filter(({ text }, index) => index < 2 || records.some((record) => text(record) !== ''));
}

export const collections: readonly Collection[] = [
  {
    name: 'jobs',
    title: 'Jobs',
    noun: 'job',
    idField: 'id',
    createdBy: 'syncCreateJobs',
    columns: [
      field('id', 'Id'),
      field('status', 'Status'),
      subproject,
      field('routeId', 'Route'),
      address,
      driver,
      time('deliveryDate', 'Delivery'),
      updated,
    ],
  },
  {
    name: 'orders',
    title: 'Orders',
    noun: 'order',
    idField: 'id',
    createdBy: 'syncImportOrders',
    columns: [
      field('id', 'Id'),
      field('status', 'Status'),
      subproject,
      customer,
      field('storeId', 'Store'),
      time('scheduledDate', 'Scheduled'),
      updated,
    ],
  },
  {
    name: 'routes',
    title: 'Routes',
    noun: 'route',
    idField: 'id',
    createdBy: 'syncCreateRoutes',
    columns: [
      field('id', 'Id'),
      { key: 'jobs', title: 'Jobs', text: ({ jobs }) => (Array.isArray(jobs) ? String(jobs.length) : '') },
      driver,
      time('routeDate', 'Date'),
      subproject,
      updated,
    ],
  },
  {
    name: 'users',
    title: 'Users',
    noun: 'user',
    idField: 'username',
    createdBy: 'registerUser',
    columns: [
      field('username', 'Username'),
      field('type', 'Type'),
      {
        key: 'lastName',
        title: 'Name',
        isLong: true,
        text: ({ firstName, lastName }) => [firstName, lastName].map(toText).join(' ').trim(),
      },
      { ...field('email', 'Email'), isLong: true },
      field('access', 'Access'),
      updated,
    ],
  },
  {
    name: 'locations',
    title: 'Devices',
    noun: 'device',
    idField: 'deviceId',
    createdBy: 'submitLocation',
    columns: [
      field('deviceId', 'Device'),
      time('eventDateTime', 'Event time'),
      { ...field('driverName', 'Driver'), isLong: true },
      position,
      updated,
    ],
  },
];

export function collectionOf(name: string | undefined): Collection {
  return collections.find((one) => one.name === name) ?? (collections[0] as Collection);
}

/** Returns the id of a record. */
export function idOf({ idField }: Collection, record: StoredRecord): string {
  return String(record[idField]);
}
