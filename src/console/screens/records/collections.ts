/** The collections, and the columns of their tables. */

export type StoredRecord = Readonly<Record<string, unknown>>;

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly text: (record: StoredRecord) => string;
  /** The text can be long: the column gets the remaining width. */
  readonly isLong?: boolean;
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
const updated: Column = { ...field('updatedAt', 'Updated'), text: (record) => toTime(record['updatedAt']) };
const address = parts('address', 'Address', ['streetAddress', 'locality', 'postcode'], ', ');
const customer = parts('customer', 'Customer', ['firstName', 'lastName'], ' ');
const driver = parts('driver', 'Driver', ['firstName', 'lastName', 'deviceId'], ' ');

/** Longitude and latitude in the order of GeoJSON, rounded for display. */
const position: Column = {
  key: 'geoJson',
  title: 'Longitude, latitude',
  text: ({ geoJson }) => {
    const at = (geoJson as { readonly coordinates?: unknown } | undefined)?.coordinates;
    return Array.isArray(at) ? at.map((one) => Number(one).toFixed(5)).join(', ') : '';
  },
};

/** Formats a timestamp in seconds. */
export function toTime(value: unknown): string {
  return typeof value === 'string' ? value.replace('T', ' ').replace(/\.\d+Z$/, '') : '';
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
      { ...field('deliveryDate', 'Delivery'), text: ({ deliveryDate }) => toTime(deliveryDate) },
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
      { ...field('scheduledDate', 'Scheduled'), text: ({ scheduledDate }) => toTime(scheduledDate) },
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
      { ...field('routeDate', 'Date'), text: ({ routeDate }) => toTime(routeDate) },
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
      { ...field('eventDateTime', 'Event time'), text: ({ eventDateTime }) => toTime(eventDateTime) },
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
