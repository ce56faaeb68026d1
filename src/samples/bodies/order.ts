/** Creates orders to collect at a store, and updates of orders. */
import type { components } from '../../openapi/api.gen.ts';
import { createCustomer, createNominee } from '../person.ts';
import { createAddress } from '../places/address.ts';
import { atLocalTime, toLocalTime } from '../places/city.ts';
import type { SampleContext } from '../sample-context.ts';
import type { Team, Worker } from '../staff.ts';
import { createLines, smallArticles } from './article.ts';
import { createTrackingId } from './job.ts';

type Schemas = components['schemas'];
type Changes = Schemas['OrderUpdate'];

const instructions = [
  'Please wrap as a gift',
  'Bring it to the car',
  'No plastic bags, please',
  'Call when it is ready',
];
const tags = ['click-and-collect', 'gift', 'loyalty', 'online', 'curbside'];
const defaultLanguages = ['en', 'en', 'en', 'zh', 'el'];
const subProjects = ['click-and-collect', 'ship-from-store'];

/** Creates an order for a list to import. */
export function createOrder(context: SampleContext, index: number): Schemas['OrderImport'] {
  const { faker, teams, firstNumber, inSubproject, languages = defaultLanguages } = context;
  const number = firstNumber + index;
  const id = `ORD-${number}`;
  const team = faker.helpers.arrayElement(teams);
  const { customer, commsChannels } = createCustomer(faker, number);
  const chance = (probability: number) => faker.datatype.boolean(probability);
  return {
    id,
    ...(!inSubproject && chance(0.3) && { subProjectId: faker.helpers.arrayElement(subProjects) }),
    status: 'PENDING',
    trackId: createTrackingId(faker),
    secondaryReference: `WEB-${800_000 + number}`,
    ...createCollection(context, team),
    customer,
    commsChannels,
    langCode: faker.helpers.arrayElement(languages),
    orderItems: createLines(faker, smallArticles).map((line, item) => ({ orderItemId: `${id}-${item + 1}`, ...line })),
    returnCustomer: chance(0.6),
    tags: faker.helpers.arrayElements(tags, { min: 1, max: 2 }),
    ...(chance(0.3) && { customerInstructions: [faker.helpers.arrayElement(instructions)] }),
    ...(chance(0.2) && { nominees: [createNominee(faker, customer)] }),
    ...(chance(0.15) && { isPriority: true }),
    ...(chance(0.05) && { commsOptOut: true }),
    ...(chance(0.2) && { attributes: { giftWrap: chance(0.5), bagCount: faker.number.int({ min: 1, max: 4 }) } }),
    ...(chance(0.1) && { media: [createReceipt(id)] }),
  };
}

/** Creates the place and time of a collection, and the attendant who hands the order over. */
function createCollection(
  { faker, nowMs }: SampleContext,
  { city, attendants }: Team,
): Partial<Schemas['OrderImport']> {
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

/** Creates an update without the order's id, for operations with the id in the path. */
export function createOrderChanges(context: SampleContext): Changes {
  const { faker } = context;
  const team = faker.helpers.arrayElement(context.teams);
  const kind = faker.helpers.arrayElement([toPacked, toReady, toComplete, toMissed, toSent, toCancelled]);
  return kind(context, team, faker.helpers.arrayElement(team.attendants));
}

function toPacked({ faker, firstNumber }: SampleContext, _team: Team, worker: Worker): Changes {
  const status = faker.helpers.arrayElement(['PENDING_PICKED', 'PENDING_PACKED'] as const);
  const state = status === 'PENDING_PICKED' ? 'picked' : 'packed';
  const orderItems = createLines(faker, smallArticles).map((line, item) => ({
    orderItemId: `ORD-${firstNumber}-${item + 1}`,
    ...line,
    status: state,
  }));
  return { status, storeId: worker.store, fulfiller: worker.store, user: toUser(worker), orderItems, tags: [state] };
}

function toReady({ faker, nowMs }: SampleContext, { city }: Team, worker: Worker): Changes {
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

function toComplete({ firstNumber }: SampleContext, _team: Team, worker: Worker): Changes {
  const media = [createReceipt(`ORD-${firstNumber}`)];
  return { status: 'COMPLETE', user: toUser(worker), storeId: worker.store, returnCustomer: true, media };
}

function toMissed({ nowMs }: SampleContext, { city }: Team, worker: Worker): Changes {
  const availTo = toLocalTime(atLocalTime(nowMs, city, 0, 0), city);
  return { status: 'FAILEDCOMPLETE', availTo, user: toUser(worker), tags: ['not-collected'] };
}

/** Delivers the order to the customer instead of a collection. */
function toSent({ faker, nowMs, firstNumber }: SampleContext, { city }: Team, worker: Worker): Changes {
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

/** Cancels the order. `commsOptOut` is only valid together with `customer`. */
function toCancelled({ faker, firstNumber }: SampleContext): Changes {
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
