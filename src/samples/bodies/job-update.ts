/** Creates job updates as an integration sends them: packed, on the road, delivered, missed, cancelled or moved. */
import type { components } from '../../openapi/api.gen.ts';
import type { Worker } from '../person.ts';
import { atLocalTime, createAddress, toLocalTime } from '../places/city.ts';
import type { SampleContext } from '../sample-context.ts';
import { createLines, largeArticles } from './article.ts';
import { createMedia } from './entry.ts';
import { createEta, toDriver, toJobId } from './job.ts';

type Schemas = components['schemas'];
type Changes = Schemas['SingleJobUpdateByPath'];

const minuteMs = 60_000;

/** Creates the update of the job at `index` of a list, or of a single job (`index` 0). It includes the job's id. */
export function createJobUpdate(context: SampleContext, index: number): Schemas['SingleJobUpdateByBody'] {
  return { id: toJobId(context, index), ...createJobChanges(context, index) };
}

/** Kinds of updates, in the order of ids: eight in a row have every status. */
const kinds = [toPacked, toPacked, toDriven, toDriven, toDelivered, toMissed, toCancelled, toMoved];

/** Creates an update without the job's id, for operations with the id in the path. */
export function createJobChanges(context: SampleContext, index: number): Changes {
  const number = context.firstNumber + index;
  const kind = kinds[number % kinds.length] ?? toMoved;
  const driver = context.faker.helpers.arrayElement(context.staff.drivers);
  return kind(context, driver, toJobId(context, index), number % 2 === 0);
}

function toPacked({ faker, nowMs, city }: SampleContext, worker: Worker, id: string, isFirst: boolean): Changes {
  const state = isFirst ? 'picked' : 'packed';
  const lines = createLines(faker, largeArticles);
  return {
    status: isFirst ? 'PENDING_PICKED' : 'PENDING_PACKED',
    branchId: worker.store,
    fulfiller: worker.store,
    secondaryReference: `DOC-${faker.string.numeric(6)}`,
    deliveryDate: toLocalTime(atLocalTime(nowMs, city, 1, faker.number.int({ min: 7, max: 16 }) * 60), city),
    jobItems: lines.map((line, index) => ({ jobItemId: `${id}-${index + 1}`, ...line, status: state })),
    attributes: { packedBy: faker.person.firstName(), bay: faker.number.int({ min: 1, max: 24 }) },
    tags: [state],
  };
}

function toDriven({ faker, nowMs, city }: SampleContext, worker: Worker, _id: string, isFirst: boolean): Changes {
  const sequence = faker.number.int({ min: 1, max: 12 });
  return {
    status: isFirst ? 'DISPATCH' : 'ARRIVING',
    driver: toDriver(worker),
    sequence,
    stopId: `STOP-${sequence}`,
    ...createEta(city, nowMs, faker.number.int({ min: 5, max: 100 })),
    scheduleStatus: 'CONFIRMED',
    commsChannels: ['sms', 'push'],
    isPriority: faker.datatype.boolean(0.2),
  };
}

function toDelivered({ faker, nowMs, city }: SampleContext, worker: Worker, id: string): Changes {
  const takenMs = nowMs - faker.number.int({ min: 2, max: 90 }) * minuteMs;
  const takenAt = toLocalTime(takenMs, city);
  const media = createMedia('POD', id, 'jpg');
  return {
    status: 'DELIVERED',
    driver: toDriver(worker),
    plannedEta: toLocalTime(takenMs - 5 * minuteMs, city),
    waitTime: faker.number.int({ min: 0, max: 15 }),
    proofOfDelivery: [
      { kind: 'signature', signedBy: faker.person.fullName(), takenAt },
      { kind: 'photo', uri: media.uri, takenAt },
    ],
    media: [media],
    tags: ['completed'],
  };
}

function toMissed({ faker, nowMs, city }: SampleContext, worker: Worker, id: string): Changes {
  const takenAt = toLocalTime(nowMs - faker.number.int({ min: 2, max: 90 }) * minuteMs, city);
  const note = faker.helpers.arrayElement(['nobody at home', 'access blocked', 'refused by the customer']);
  return {
    status: 'UNDELIVERED',
    driver: toDriver(worker),
    waitTime: faker.number.int({ min: 5, max: 20 }),
    proofOfDelivery: [{ kind: 'photo', uri: createMedia('CARD', id, 'jpg').uri, takenAt, note }],
    scheduleStatus: 'UNSCHEDULED',
    attributes: { attempts: faker.number.int({ min: 1, max: 3 }) },
  };
}

function toCancelled({ faker }: SampleContext): Changes {
  const [cancelledReasonCode, cancelledAdditionalInfo] = faker.helpers.arrayElement([
    ['CUSTOMER_REQUEST', 'Ordered twice by mistake'],
    ['OUT_OF_STOCK', 'The last one was damaged in the warehouse'],
    ['ADDRESS_INVALID', 'The street number does not exist'],
  ] as const);
  return {
    status: 'CANCELLED',
    cancelledReasonCode,
    cancelledAdditionalInfo,
    driver: null,
    scheduleStatus: 'CANCELLED_PENDING',
    commsOptOut: true,
  };
}

/** Moves the job to another day and another address. */
function toMoved({ faker, nowMs, city }: SampleContext): Changes {
  const deliveryMs = atLocalTime(nowMs, city, faker.number.int({ min: 2, max: 9 }), 60 * 10);
  return {
    status: 'PENDING',
    deliveryDate: toLocalTime(deliveryMs, city),
    ...createEta(city, deliveryMs + 30 * minuteMs, 45),
    scheduleStatus: 'RESCHEDULED',
    address: createAddress(faker, city),
    customerInstructions: ['Deliver to the new address', 'Call ten minutes before you arrive'],
    deliveryType: 'standard',
    driver: null,
  };
}
