/** People and how they are reached, by numbers and domains that belong to nobody; knows no role of theirs. */
import type { Faker } from '@faker-js/faker';
import type { components } from '../contract/api.gen.ts';
import type { City } from './city.ts';

type Schemas = components['schemas'];

/** The name of someone. */
export interface Person {
  readonly title: string;
  readonly firstName: string;
  readonly lastName: string;
}

type Channel = Schemas['CommsChannels'][number];

// The regulator keeps these mobile numbers, and the landlines that begin with 5550, for fiction.
const mobiles = ['570 006', '570 110', '570 156', '570 157', '570 158', '570 159', '570 313', '570 737', '571 266'];

/** Somebody. */
export function createPerson(faker: Faker): Person {
  const sex = faker.helpers.arrayElement(['female', 'male'] as const);
  const title = faker.helpers.arrayElement(sex === 'female' ? ['Ms', 'Mrs', 'Dr'] : ['Mr', 'Mr', 'Dr']);
  return { title, firstName: faker.person.firstName(sex), lastName: faker.person.lastName() };
}

/** A mobile number that nobody has. */
export function createMobile(faker: Faker): string {
  return `+61 491 ${faker.helpers.arrayElement(mobiles)}`;
}

/** A landline number of the city that nobody has. */
export function createLandline(faker: Faker, city: City): string {
  return `+61 ${city.areaCode} 5550 ${faker.string.numeric(4)}`;
}

/** Name and surname with a full stop between, as accounts and mail addresses are made of them. */
export function toAccountName({ firstName, lastName }: Person): string {
  return `${toPlain(firstName)}.${toPlain(lastName)}`;
}

/** A name in plain letters, without accents; one in another script by the numbers of its characters. */
function toPlain(name: string): string {
  const plain = name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  return plain === '' ? [...name].map((letter) => letter.codePointAt(0)?.toString(36)).join('') : plain;
}

/** A customer, and the ways by which one with these addresses can be reached. */
export function createCustomer(
  faker: Faker,
  number: number,
): { readonly customer: Schemas['Customer']; readonly commsChannels: Schemas['CommsChannels'] } {
  const person = createPerson(faker);
  const mail = faker.datatype.boolean(0.85) && { email: `${toAccountName(person)}@mail.example` };
  const channels: readonly Channel[] = mail ? ['sms', 'email', 'whatsapp', 'push'] : ['sms', 'voiceCall', 'rcs'];
  return {
    customer: { id: `CUST-${number}`, ...person, phone: createMobile(faker), ...mail },
    commsChannels: faker.helpers.arrayElements(channels, { min: 1, max: 2 }),
  };
}

/** Someone of the customer's family, who may act in place of the customer. */
export function createNominee(faker: Faker, customer: Schemas['Customer']): Schemas['Nominee'] {
  const person = { ...createPerson(faker), lastName: customer.lastName ?? '' };
  return { ...person, phone: createMobile(faker), email: `${toAccountName(person)}@mail.example` };
}
