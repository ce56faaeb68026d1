/** Creates the registration and the update of a user, who is one of the seed's drivers or attendants. */
import type { components } from '../../openapi/api.gen.ts';
import { createLandline, toAccountName, type Worker } from '../person.ts';
import type { SampleContext } from '../sample-context.ts';

type Schemas = components['schemas'];

type Roles = NonNullable<Schemas['UserUpdate']['roles']>;

const driverRoles: Roles = ['delivery:driver', 'realtime:driver', 'media:driver'];
const attendantRoles: Roles = ['cnc:attendant', 'preference:attendant'];

/** Creates a driver or an attendant, depending on the seed, with all fields that this type of user requires. */
export function createUser(context: SampleContext): Schemas['UserRegistration'] {
  const { faker, userDrives } = context;
  const worker = findWorker(context);
  const { firstName, lastName, number, store } = worker;
  const username = toAccountName(worker);
  const fields = {
    username,
    // The API requires an upper-case letter and a special character.
    password: faker.internet.password({ prefix: 'A!' }),
    firstName,
    lastName,
    phoneNumber: userDrives ? worker.phone : createLandline(faker),
    email: `${username}@stores.example`,
    moduleDeviceId: worker.deviceId,
    desc: `${userDrives ? 'Driver' : 'Attendant'} ${number} of ${store}`,
    avatarUrl: `https://media.example/avatars/${number}.png`,
    prefBranchId: store,
    groups: [toGroup(context)],
    accessTags: [toAccessTag(context)],
  };
  return userDrives
    ? { ...fields, type: 'driver', visibleBy: [store], access: 'DRIVER', roles: driverRoles }
    : { ...fields, type: 'attendant', locationIds: toStores(context), access: ['HO'], roles: attendantRoles };
}

/** Creates an update of the same user: another store, another phone number, and more roles. */
export function createUserChanges(context: SampleContext): Schemas['UserUpdate'] {
  const { faker, userDrives } = context;
  const storeCode = toStores(context);
  const locations = { siteId: storeCode.map((code) => `site-${code.toLowerCase()}`), storeCode };
  return {
    roles: userDrives ? [...driverRoles, 'delivery:operator'] : [...attendantRoles, 'cnc:operator'],
    tags: ['senior'],
    groups: [toGroup(context), 'trainers'],
    phoneNumber: createLandline(faker),
    desc: `${findWorker(context).number}, trains newcomers`,
    ...(userDrives ? { visibleBy: locations } : { locationIds: locations }),
    prefBranchId: faker.helpers.arrayElement(storeCode),
    access: [userDrives ? 'DRIVER' : 'HO'],
    accessTags: [toAccessTag(context), 'weekend'],
  };
}

function toGroup({ userDrives }: SampleContext): string {
  return userDrives ? 'drivers' : 'store-team';
}

function toAccessTag({ city }: SampleContext): string {
  return (city.area.region ?? 'local').toLowerCase();
}

/** Returns the seed's user. */
function findWorker({ staff, userDrives }: SampleContext): Worker {
  return (userDrives ? staff.drivers : staff.attendants)[0] as Worker;
}

/** Returns the user's own store and another one. */
function toStores(context: SampleContext): string[] {
  const { store } = findWorker(context);
  return [store, ...context.city.stores.filter((other) => other !== store).slice(0, 1)];
}
