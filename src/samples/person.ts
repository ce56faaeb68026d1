/** Creates customers, and the drivers and attendants of a seed, with phone numbers and domains that nobody uses. */
import type { Faker } from '@faker-js/faker';
import type { components } from '../openapi/api.gen.ts';

type Schemas = components['schemas'];

/** Name of a person. */
export interface Person {
  readonly title: string;
  readonly firstName: string;
  readonly lastName: string;
}

// The regulator of Australia reserves these mobile numbers, and landline numbers that begin with 5550, for fiction.
const mobiles = ['570 006', '570 110', '570 156', '570 157', '570 158', '570 159', '570 313', '570 737', '571 266'];

function createPerson(faker: Faker): Person {
  const sex = faker.helpers.arrayElement(['female', 'male'] as const);
  const title = faker.helpers.arrayElement(sex === 'female' ? ['Ms', 'Mrs', 'Dr'] : ['Mr', 'Mr', 'Dr']);
  return { title, firstName: faker.person.firstName(sex), lastName: faker.person.lastName() };
}

/** Creates a mobile number that nobody has. */
function createMobile(faker: Faker): string {
  return `+61 491 ${faker.helpers.arrayElement(mobiles)}`;
}

/** Creates a landline number that nobody has. */
export function createLandline(faker: Faker): string {
  return `+61 7 5550 ${faker.string.numeric(4)}`;
}

/** Returns `firstname.lastname`, for user names and mail addresses. */
export function toAccountName({ firstName, lastName }: Person): string {
  return `${toPlain(firstName)}.${toPlain(lastName)}`;
}

/** Returns a name in the letters a to z, without accents. Encodes a name in another script by its code points. */
function toPlain(name: string): string {
  const plain = name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  return plain === '' ? [...name].map((letter) => letter.codePointAt(0)?.toString(36)).join('') : plain;
}

/** Creates a customer, and communication channels that fit the customer's phone and mail. */
export function createCustomer(
  faker: Faker,
  number: number,
): { readonly customer: Schemas['Customer']; readonly commsChannels: Schemas['CommsChannels'] } {
  const person = createPerson(faker);
  const mail = faker.datatype.boolean(0.85) && { email: `${toAccountName(person)}@mail.example` };
  const channels: Schemas['CommsChannels'] = mail ? ['sms', 'email', 'whatsapp', 'push'] : ['sms', 'voiceCall', 'rcs'];
  return {
    customer: { id: `CUST-${number}`, ...person, phone: createMobile(faker), ...mail },
    commsChannels: faker.helpers.arrayElements(channels, { min: 1, max: 2 }),
  };
}

/** Creates a member of the customer's family who may act for the customer. */
export function createNominee(faker: Faker, customer: Schemas['Customer']): Schemas['Nominee'] {
  const person = { ...createPerson(faker), lastName: customer.lastName ?? '' };
  return { ...person, phone: createMobile(faker), email: `${toAccountName(person)}@mail.example` };
}

/** A person who works for a store. */
export interface Worker extends Person {
  readonly number: string;
  readonly phone: string;
  readonly deviceId: string;
  readonly store: string;
}

export interface Staff {
  readonly drivers: readonly Worker[];
  readonly attendants: readonly Worker[];
}

const driverCount = 12;

/** Creates the same staff of some stores for every sample and operation with a seed. `faker` must have a seed that only the staff uses. */
export function createStaff(faker: Faker, stores: readonly string[]): Staff {
  const create = (letter: string, index: number, store: string): Worker => {
    const [number, phone] = [`${letter}-0${101 + index}`, createMobile(faker)];
    return { ...createPerson(faker), number, phone, deviceId: faker.string.uuid(), store };
  };
  return {
    drivers: Array.from({ length: driverCount }, (_, index) => create('D', index, faker.helpers.arrayElement(stores))),
    attendants: stores.map((store, index) => create('A', index, store)),
  };
}
