/** The collections, and what of their records is told in a table. */

export type StoredRecord = Readonly<Record<string, unknown>>;

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly text: (record: StoredRecord) => string;
  /** May be of any length: it takes what the others leave. */
  readonly isLong?: boolean;
}

export interface Collection {
  /** As the control API has it. */
  readonly name: 'jobs' | 'orders' | 'routes' | 'users' | 'locations';
  readonly title: string;
  readonly noun: string;
  readonly idField: string;
  /** The first one is the id. */
  readonly columns: readonly Column[];
  /** The operations by which such records come to be. */
  readonly madeBy: string;
}

/** The text of a field: of a list its entries, of an object nothing, since it takes more than a cell. */
function field(key: string, title: string): Column {
  return { key, title, text: (record) => toText(record[key]) };
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join(', ');
  return typeof value === 'object' || value === undefined ? '' : String(value);
}

/** Some fields of an object, one behind the other. */
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

/** Longitude and latitude, as GeoJSON has them, and short enough to be read. */
const position: Column = {
  key: 'geoJson',
  title: 'Longitude, latitude',
  text: ({ geoJson }) => {
    const at = (geoJson as { readonly coordinates?: unknown } | undefined)?.coordinates;
    return Array.isArray(at) ? at.map((one) => Number(one).toFixed(5)).join(', ') : '';
  },
};

/** To the second, which is enough for a table. */
export function toTime(value: unknown): string {
  return typeof value === 'string' ? value.replace('T', ' ').replace(/\.\d+Z$/, '') : '';
}

export const collections: readonly Collection[] = [
  {
    name: 'jobs',
    title: 'Jobs',
    noun: 'job',
    idField: 'id',
    madeBy: 'asyncImportJobs or syncCreateJobs',
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
    madeBy: 'asyncImportOrders or syncImportOrders',
    columns: [
      field('id', 'Id'),
      field('status', 'Status'),
      subproject,
      customer,
      field('storeId', 'Store'),
      { ...field('scheduledDate', 'Collection'), text: ({ scheduledDate }) => toTime(scheduledDate) },
      updated,
    ],
  },
  {
    name: 'routes',
    title: 'Routes',
    noun: 'route',
    idField: 'id',
    madeBy: 'asyncImportRoutes or syncCreateRoutes',
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
    madeBy: 'registerUser',
    columns: [
      field('username', 'Username'),
      field('type', 'Type'),
      {
        key: 'lastName',
        title: 'Name',
        isLong: true,
        text: ({ firstName, lastName }) => [firstName, lastName].map(toText).join(' ').trim(),
      },
      { ...field('email', 'E-mail'), isLong: true },
      field('access', 'Access'),
      updated,
    ],
  },
  {
    name: 'locations',
    title: 'Devices',
    noun: 'device',
    idField: 'deviceId',
    madeBy: 'submitLocation or submitLocations',
    columns: [
      field('deviceId', 'Device'),
      { ...field('eventDateTime', 'Was there'), text: ({ eventDateTime }) => toTime(eventDateTime) },
      position,
      updated,
    ],
  },
];

export function collectionOf(name: string | undefined): Collection {
  return collections.find((one) => one.name === name) ?? (collections[0] as Collection);
}

/** The id of a record. */
export function idOf({ idField }: Collection, record: StoredRecord): string {
  return String(record[idField]);
}
