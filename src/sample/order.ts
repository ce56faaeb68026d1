/** Orders to collect at a store: new ones, and how they go on. */
import type { components } from '../contract/api.gen.ts';
import { createAddress } from './address.ts';
import { createLines, handy } from './article.ts';
import { atLocalTime, toLocalTime } from './city.ts';
import { createTrackingId } from './job.ts';
import { createCustomer, createNominee } from './person.ts';
import type { Setting } from './setting.ts';
import type { Team, Worker } from './staff.ts';

type Schemas = components['schemas'];
type Changes = Schemas['OrderUpdate'];

const instructions = [
  'Please wrap as a gift',
  'Bring it to the car',
  'No plastic bags, please',
  'Call when it is ready',
];
const tags = ['click-and-collect', 'gift', 'loyalty', 'online', 'curbside'];
const usualLanguages = ['en', 'en', 'en', 'zh', 'el'];
const subProjects = ['click-and-collect', 'ship-from-store'];

/** An order of a list to import. */
export function createOrder(setting: Setting, index: number): Schemas['OrderImport'] {
  const { faker, teams, firstNumber, inSubproject, languages = usualLanguages } = setting;
  const number = firstNumber + index;
  const id = `ORD-${number}`;
  const team = faker.helpers.arrayElement(teams);
  const { customer, commsChannels } = createCustomer(faker, number);
  const often = (chance: number) => faker.datatype.boolean(chance);
  return {
    id,
    ...(!inSubproject && often(0.3) && { subProjectId: faker.helpers.arrayElement(subProjects) }),
    status: 'PENDING',
    trackId: createTrackingId(faker),
    secondaryReference: `WEB-${800_000 + number}`,
    ...createCollection(setting, team),
    customer,
    commsChannels,
    langCode: faker.helpers.arrayElement(languages),
    orderItems: createLines(faker, handy).map((line, item) => ({ orderItemId: `${id}-${item + 1}`, ...line })),
    returnCustomer: often(0.6),
    tags: faker.helpers.arrayElements(tags, { min: 1, max: 2 }),
    ...(often(0.3) && { customerInstructions: [faker.helpers.arrayElement(instructions)] }),
    ...(often(0.2) && { nominees: [createNominee(faker, customer)] }),
    ...(often(0.15) && { isPriority: true }),
    ...(often(0.05) && { commsOptOut: true }),
    ...(often(0.2) && { attributes: { giftWrap: often(0.5), bagCount: faker.number.int({ min: 1, max: 4 }) } }),
    ...(often(0.1) && { media: [createReceipt(id)] }),
  };
}

/** Where and when an order is collected, and who hands it over. */
function createCollection({ faker, nowMs }: Setting, { city, attendants }: Team): Partial<Schemas['OrderImport']> {
  const attendant = faker.helpers.arrayElement(attendants);
  const day = faker.number.int({ min: 1, max: 3 });
  const at = (days: number, minutes: number) => toLocalTime(atLocalTime(nowMs, city, days, minutes), city);
  return {
    storeId: attendant.store,
    fulfiller: attendant.store,
    collectionPoint: createDesk(faker.number.int({ min: 1, max: 4 })),
    availFrom: at(day, 9 * 60),
    scheduledDate: at(day, faker.number.int({ min: 10 * 4, max: 17 * 4 }) * 15),
    availTo: at(day + 3, 18 * 60),
    user: toUser(attendant),
  };
}

/** The change of an order that the path names. */
export function createOrderChanges(setting: Setting): Changes {
  const { faker } = setting;
  const team = faker.helpers.arrayElement(setting.teams);
  const kind = faker.helpers.arrayElement([toPacked, toReady, toComplete, toMissed, toSent, toCancelled]);
  return kind(setting, team, faker.helpers.arrayElement(team.attendants));
}

function toPacked({ faker, firstNumber }: Setting, _team: Team, worker: Worker): Changes {
  const status = faker.helpers.arrayElement(['PENDING_PICKED', 'PENDING_PACKED'] as const);
  const state = status === 'PENDING_PICKED' ? 'picked' : 'packed';
  const orderItems = createLines(faker, handy).map((line, item) => ({
    orderItemId: `ORD-${firstNumber}-${item + 1}`,
    ...line,
    status: state,
  }));
  return { status, storeId: worker.store, fulfiller: worker.store, user: toUser(worker), orderItems, tags: [state] };
}

function toReady({ faker, nowMs }: Setting, { city }: Team, worker: Worker): Changes {
  return {
    status: 'READY',
    collectionPoint: createDesk(faker.number.int({ min: 1, max: 4 })),
    availFrom: toLocalTime(nowMs, city),
    availTo: toLocalTime(atLocalTime(nowMs, city, 4, 18 * 60), city),
    user: toUser(worker),
    commsChannels: ['sms', 'push'],
    attributes: { shelf: faker.number.int({ min: 1, max: 60 }), bagCount: faker.number.int({ min: 1, max: 4 }) },
  };
}

function toComplete({ firstNumber }: Setting, _team: Team, worker: Worker): Changes {
  const media = [createReceipt(`ORD-${firstNumber}`)];
  return { status: 'COMPLETE', user: toUser(worker), storeId: worker.store, returnCustomer: true, media };
}

function toMissed({ nowMs }: Setting, { city }: Team, worker: Worker): Changes {
  const availTo = toLocalTime(atLocalTime(nowMs, city, 0, 0), city);
  return { status: 'FAILEDCOMPLETE', availTo, user: toUser(worker), tags: ['not-collected'] };
}

/** Brought to the customer after all. */
function toSent({ faker, nowMs, firstNumber }: Setting, { city }: Team, worker: Worker): Changes {
  const { customer, commsChannels } = createCustomer(faker, firstNumber);
  return {
    status: faker.helpers.arrayElement(['DISPATCH', 'ARRIVING'] as const),
    address: createAddress(faker, city),
    customer,
    commsChannels,
    scheduledDate: toLocalTime(nowMs + faker.number.int({ min: 10, max: 120 }) * 60_000, city),
    fulfiller: worker.store,
    isPriority: true,
    customerInstructions: ['Leave at the front door'],
  };
}

/** An order's `commsOptOut` goes with its customer. */
function toCancelled({ faker, firstNumber }: Setting): Changes {
  const { customer } = createCustomer(faker, firstNumber);
  return {
    status: 'CANCELLED',
    cancelledReasonCode: 'CUSTOMER_REQUEST',
    cancelledAdditionalInfo: 'Found it in another store',
    commsOptOut: true,
    customer,
  };
}

function toUser({ number, firstName, lastName, phone }: Worker): Schemas['OrderUser'] {
  return { id: number, firstName, lastName, phone };
}

function createDesk(number: number): string {
  return `Desk ${number}`;
}

function createReceipt(id: string): Schemas['Media'] {
  const uri = `https://media.example/receipts/${id}.pdf`;
  return { identifier: `RCT-${id}`, mimetype: 'application/pdf', uri, attributes: [{ key: 'language', value: 'en' }] };
}
