/** Creates new jobs, single or in lists. */
import type { components } from '../../openapi/api.gen.ts';
import type { Worker } from '../person.ts';
import { atLocalTime, type City, createAddress, toLocalTime } from '../places/city.ts';
import type { SampleContext } from '../sample-context.ts';
import { createLines, largeArticles } from './article.ts';
import { createEntry, createTrackingId } from './entry.ts';

type Schemas = components['schemas'];

/** A new job with the fields that every operation requires. */
type SampleJob = Omit<Schemas['JobCreate'], 'trackingId'> & Pick<Schemas['SingleJobCreate'], 'address'>;

const minuteMs = 60_000;
const windowMs = 120 * minuteMs;

const choices = {
  subProjects: ['furniture', 'installations', 'same-day'],
  tags: ['furniture', 'appliances', 'fragile', 'two-person-lift', 'old-unit-removal', 'vip', 'assembly'],
  instructions: [
    'Ring at the side gate',
    'Call ten minutes before you arrive',
    'Leave at reception',
    'Beware of the dog',
    'The lift is out of order',
    'Park in the loading bay',
    'Please take off your shoes',
  ],
};

/** Returns the id of a list entry, or of a single job (`index` 0). The same seed gives the same id in every sample. */
export function toJobId({ firstNumber }: SampleContext, index: number): string {
  return `JOB-${firstNumber + index}`;
}

/** Converts a worker to the driver of a job or a route. */
export function toDriver({ number, firstName, lastName, phone, deviceId }: Worker): Schemas['Driver'] {
  return { employeeId: number, firstName, lastName, phone, deviceId };
}

/** Creates an arrival planned `minutes` after `fromMs`, and a promised window of two hours that begins at `fromMs`. */
export function createEta(
  city: City,
  fromMs: number,
  minutes: number,
): Pick<SampleJob, 'plannedEta' | 'plannedEtaWindow'> {
  const etaFrom = toLocalTime(fromMs, city);
  const etaTo = toLocalTime(fromMs + windowMs, city);
  return { plannedEta: toLocalTime(fromMs + minutes * minuteMs, city), plannedEtaWindow: { etaFrom, etaTo } };
}

/** Creates the fields of every new job. The route or the list adds the driver and the date. */
export function createStop(context: SampleContext, id: string): SampleJob {
  const { faker, city } = context;
  const chance = (probability: number) => faker.datatype.boolean(probability);
  return {
    ...createEntry(context, id, choices),
    branchId: faker.helpers.arrayElement(city.stores),
    deliveryType: faker.helpers.arrayElement(['standard', 'two-person', 'express']),
    address: createAddress(faker, city),
    jobItems: createLines(faker, largeArticles).map((line, index) => ({ jobItemId: `${id}-${index + 1}`, ...line })),
    ...(chance(0.2) && { fulfiller: faker.helpers.arrayElement(city.stores) }),
    ...(chance(0.2) && { attributes: { floor: faker.number.int({ min: 0, max: 12 }), hasLift: chance(0.5) } }),
  };
}

/** Creates a job for a list in a subproject. It has no `trackingId`; the other kinds of jobs add one. */
export function createUntrackedJob(context: SampleContext, index: number): SampleJob {
  const { faker, nowMs, city, staff } = context;
  const opensAt = faker.number.int({ min: 7 * 4, max: 16 * 4 }) * 15;
  const deliveryMs = atLocalTime(nowMs, city, faker.number.int({ min: 1, max: 5 }), opensAt);
  return {
    ...createStop(context, toJobId(context, index)),
    deliveryDate: toLocalTime(deliveryMs, city),
    ...createEta(city, deliveryMs + 30 * minuteMs, faker.number.int({ min: 10, max: 110 })),
    scheduleStatus: faker.helpers.arrayElement(['SCHEDULED', 'CONFIRMED', 'CUSTOMER_PENDING'] as const),
    ...(faker.datatype.boolean(0.5) && { driver: toDriver(faker.helpers.arrayElement(staff.drivers)) }),
  };
}

/** Creates a job for a list to import or create. */
export function createJob(context: SampleContext, index: number): Schemas['JobCreate'] {
  return { ...createUntrackedJob(context, index), trackingId: createTrackingId(context.faker) };
}

/** Creates a single job, with the status `PENDING` or `READY`. */
export function createSingleJob(context: SampleContext): Schemas['SingleJobCreate'] {
  const status = context.faker.helpers.arrayElement(['PENDING', 'READY'] as const);
  return { ...createUntrackedJob(context, 0), status, trackingId: createTrackingId(context.faker) };
}
