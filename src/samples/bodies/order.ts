/** Creates orders to collect at a store, and updates of orders. */
import type { components } from '../../openapi/api.gen.ts';
import { createCustomer, type Worker } from '../person.ts';
import { atLocalTime, createAddress, toLocalTime } from '../places/city.ts';
import type { SampleContext } from '../sample-context.ts';
import { createLines, smallArticles } from './article.ts';
import { createEntry, createMedia, createTrackingId } from './entry.ts';

type Schemas = components['schemas'];
type Changes = Schemas['OrderUpdate'];

const choices = {
  subProjects: ['click-and-collect', 'ship-from-store'],
  tags: ['click-and-collect', 'gift', 'loyalty', 'online', 'curbside'],
  instructions: ['Please wrap as a gift', 'Bring it to the car', 'No plastic bags, please', 'Call when it is ready'],
};

/** Creates an order for a list to import, with its attendant, and the place and time of its collection. */
export function createOrder(context: SampleContext, index: number): Schemas['OrderImport'] {
  const { faker, nowMs, city, staff, firstNumber } = context;
  const id = `ORD-${firstNumber + index}`;
  const attendant = faker.helpers.arrayElement(staff.attendants);
  const day = faker.number.int({ min: 1, max: 3 });
  const at = (days: number, minutes: number) => toLocalTime(atLocalTime(nowMs, city, days, minutes), city);
  const chance = (probability: number) => faker.datatype.boolean(probability);
  return {
    ...createEntry(context, id, choices),
    trackId: createTrackingId(faker),
    ...toStore(attendant),
    collectionPoint: `Desk ${faker.number.int({ min: 1, max: 4 })}`,
    availFrom: at(day, 9 * 60),
    scheduledDate: at(day, faker.number.int({ min: 10 * 4, max: 17 * 4 }) * 15),
    availTo: at(day + 3, 18 * 60),
    orderItems: toItems(context, id),
    returnCustomer: chance(0.6),
    ...(chance(0.2) && { attributes: { giftWrap: chance(0.5), bagCount: faker.number.int({ min: 1, max: 4 }) } }),
  };
}

/** Creates an update without the order's id, for operations with the id in the path. */
export function createOrderChanges(context: SampleContext): Changes {
  const { faker, staff, firstNumber } = context;
  const kind = faker.helpers.arrayElement([toPacked, toReady, toComplete, toMissed, toSent, toCancelled]);
  return kind(context, faker.helpers.arrayElement(staff.attendants), `ORD-${firstNumber}`);
}

function toPacked(context: SampleContext, worker: Worker, id: string): Changes {
  const state = context.faker.helpers.arrayElement(['picked', 'packed'] as const);
  const status = state === 'picked' ? 'PENDING_PICKED' : 'PENDING_PACKED';
  const orderItems = toItems(context, id).map((item) => ({ ...item, status: state }));
  return { status, ...toStore(worker), orderItems, tags: [state] };
}

function toReady({ faker, nowMs, city }: SampleContext, worker: Worker): Changes {
  return {
    status: 'READY',
    collectionPoint: `Desk ${faker.number.int({ min: 1, max: 4 })}`,
    availFrom: toLocalTime(nowMs, city),
    availTo: toLocalTime(atLocalTime(nowMs, city, 4, 18 * 60), city),
    user: toUser(worker),
    commsChannels: ['sms', 'push'],
    attributes: { shelf: faker.number.int({ min: 1, max: 60 }), bagCount: faker.number.int({ min: 1, max: 4 }) },
  };
}

function toComplete(_context: SampleContext, worker: Worker, id: string): Changes {
  return { status: 'COMPLETE', ...toStore(worker), returnCustomer: true, media: [createMedia('RCT', id, 'pdf')] };
}

function toMissed({ nowMs, city }: SampleContext, worker: Worker): Changes {
  const availTo = toLocalTime(atLocalTime(nowMs, city, 0, 0), city);
  return { status: 'FAILEDCOMPLETE', availTo, user: toUser(worker), tags: ['not-collected'] };
}

/** Delivers the order to the customer instead of a collection. */
function toSent({ faker, nowMs, city, firstNumber }: SampleContext, worker: Worker): Changes {
  return {
    status: faker.helpers.arrayElement(['DISPATCH', 'ARRIVING'] as const),
    address: createAddress(faker, city),
    ...createCustomer(faker, firstNumber),
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

function toItems({ faker }: SampleContext, id: string): Schemas['OrderItem'][] {
  return createLines(faker, smallArticles).map((line, index) => ({ orderItemId: `${id}-${index + 1}`, ...line }));
}

function toStore(worker: Worker) {
  return { storeId: worker.store, fulfiller: worker.store, user: toUser(worker) };
}

function toUser({ number, firstName, lastName, phone }: Worker): Schemas['OrderUser'] {
  return { id: number, firstName, lastName, phone };
}
