/** Users: one of the seed's drivers or attendants, registered, and given more to do. */
import type { Faker } from '@faker-js/faker';
import type { components } from '../contract/api.gen.ts';
import type { City } from './city.ts';
import { createLandline, toAccountName } from './person.ts';
import type { Setting } from './setting.ts';
import type { Worker } from './staff.ts';

type Schemas = components['schemas'];

/** What a registration has by its type. */
type Role = Omit<Schemas['UserRegistration'], 'username' | 'password'>;

/** A new driver or attendant, as the seed decides, with all that this type of user needs. */
export function createUser(setting: Setting): Schemas['UserRegistration'] {
  const { faker, userDrives } = setting;
  const worker = findWorker(setting);
  const { firstName, lastName, number, store, city } = worker;
  const username = toAccountName(worker);
  return {
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
    ...(userDrives ? toDriver(worker) : toAttendant(worker)),
  };
}

function toDriver({ store, city }: Worker): Role {
  return {
    type: 'driver',
    visibleBy: [store],
    access: 'DRIVER',
    roles: ['delivery:driver', 'realtime:driver', 'media:driver'],
    groups: ['drivers'],
    tags: ['evening-shift'],
    accessTags: [toAccessTag(city)],
  };
}

function toAttendant({ store, city }: Worker): Role {
  return {
    type: 'attendant',
    locationIds: toStores(store, city.stores),
    access: ['HO'],
    roles: ['cnc:attendant', 'preference:attendant'],
    groups: ['store-team'],
    tags: ['front-desk'],
    accessTags: [toAccessTag(city)],
  };
}

/** A change of the same user: another store, another number, and what a senior may do. */
export function createUserChanges(setting: Setting): Schemas['UserUpdate'] {
  const { faker, userDrives } = setting;
  const { number, city, store } = findWorker(setting);
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

/** The seed's user, of the first city that samples are set in. */
function findWorker({ teams, userDrives }: Setting): Worker {
  const found = (userDrives ? teams[0]?.drivers : teams[0]?.attendants)?.[0];
  if (!found) throw new Error('a seed has no staff');
  return found;
}

/** The own store and another one. */
function toStores(own: string, stores: readonly string[]): string[] {
  return [own, ...stores.filter((store) => store !== own).slice(0, 1)];
}

/** Sixteen letters and digits, and the upper-case letter and special character that the API asks for. */
function createPassword(faker: Faker): string {
  const upper = faker.string.alpha({ casing: 'upper' });
  return upper + faker.string.alphanumeric(15) + faker.helpers.arrayElement(['!', '#', '%', '+', '?']);
}
