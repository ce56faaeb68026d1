/** Creates the registration and the update of a user, who is one of the seed's drivers or attendants. */
import type { Faker } from '@faker-js/faker';
import type { components } from '../../openapi/api.gen.ts';
import { createLandline, toAccountName } from '../person.ts';
import type { City } from '../places/city.ts';
import type { SampleContext } from '../sample-context.ts';
import type { Worker } from '../staff.ts';

type Schemas = components['schemas'];

/** Creates a driver or an attendant, depending on the seed, with all fields that this type of user requires. */
export function createUser(context: SampleContext): Schemas['UserRegistration'] {
  const { faker, userDrives } = context;
  const worker = findWorker(context);
  const { firstName, lastName, number, store, city } = worker;
  const username = toAccountName(worker);
  const fields = {
    username,
    password: createPassword(faker),
    firstName,
    lastName,
    phoneNumber: userDrives ? worker.phone : createLandline(faker, city),
    email: `${username}@stores.example`,
    moduleDeviceId: worker.deviceId,
    desc: `${userDrives ? 'Driver' : 'Attendant'} ${number} of ${store}`,
    avatarUrl: `https://media.example/avatars/${number}.png`,
    prefBranchId: store,
  };
  return userDrives ? { ...fields, ...toDriver(worker) } : { ...fields, ...toAttendant(worker) };
}

/** Returns the fields that depend on the type of the user. */
function toDriver({ store, city }: Worker) {
  return {
    type: 'driver' as const,
    visibleBy: [store],
    access: 'DRIVER',
    roles: ['delivery:driver', 'realtime:driver', 'media:driver'],
    groups: ['drivers'],
    tags: ['evening-shift'],
    accessTags: [toAccessTag(city)],
  };
}

function toAttendant({ store, city }: Worker) {
  return {
    type: 'attendant' as const,
    locationIds: toStores(store, city.stores),
    access: ['HO'],
    roles: ['cnc:attendant', 'preference:attendant'],
    groups: ['store-team'],
    tags: ['front-desk'],
    accessTags: [toAccessTag(city)],
  };
}

/** Creates an update of the same user: another store, another phone number, and more roles. */
export function createUserChanges(context: SampleContext): Schemas['UserUpdate'] {
  const { faker, userDrives } = context;
  const { number, city, store } = findWorker(context);
  const storeCode = toStores(store, city.stores);
  const locations = { siteId: storeCode.map((code) => `site-${code.toLowerCase()}`), storeCode };
  return {
    roles: userDrives
      ? ['delivery:driver', 'realtime:driver', 'media:driver', 'delivery:operator']
      : ['cnc:attendant', 'cnc:operator', 'preference:attendant'],
    tags: ['senior'],
    groups: [userDrives ? 'drivers' : 'store-team', 'trainers'],
    phoneNumber: createLandline(faker, city),
    desc: `${number}, trains newcomers`,
    ...(userDrives ? { visibleBy: locations } : { locationIds: locations }),
    prefBranchId: faker.helpers.arrayElement(storeCode),
    access: [userDrives ? 'DRIVER' : 'HO'],
    accessTags: [toAccessTag(city), 'weekend'],
  };
}

function toAccessTag({ region = 'local' }: City): string {
  return region.toLowerCase();
}

/** Returns the seed's user, from the first city of the samples. */
function findWorker({ teams, userDrives }: SampleContext): Worker {
  const found = (userDrives ? teams[0]?.drivers : teams[0]?.attendants)?.[0];
  if (!found) throw new Error('a seed has no staff');
  return found;
}

/** Returns the user's own store and another one. */
function toStores(own: string, stores: readonly string[]): string[] {
  return [own, ...stores.filter((store) => store !== own).slice(0, 1)];
}

/** Creates a password with the upper-case letter and the special character that the API requires. */
function createPassword(faker: Faker): string {
  const upper = faker.string.alpha({ casing: 'upper' });
  return upper + faker.string.alphanumeric(15) + faker.helpers.arrayElement(['!', '#', '%', '+', '?']);
}
