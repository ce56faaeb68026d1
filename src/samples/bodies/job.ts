/** Creates new jobs, single or in lists. */
import type { Faker } from '@faker-js/faker';
import type { components } from '../../openapi/api.gen.ts';
import { createCustomer, createNominee } from '../person.ts';
import { createAddress } from '../places/address.ts';
import { atLocalTime, type City, toLocalTime } from '../places/city.ts';
import type { SampleContext } from '../sample-context.ts';
import type { Team, Worker } from '../staff.ts';
import { createLines, largeArticles } from './article.ts';

type Schemas = components['schemas'];

/** A new job with the fields that every operation requires. */
export type SampleJob = Omit<Schemas['JobCreate'], 'trackingId'> & Pick<Schemas['SingleJobCreate'], 'address'>;

const minuteMs = 60_000;
const windowMs = 120 * minuteMs;

const instructions = [
  'Ring at the side gate',
  'Call ten minutes before you arrive',
  'Leave at reception',
  'Beware of the dog',
  'The lift is out of order',
  'Park in the loading bay',
  'Please take off your shoes',
];
const tags = ['furniture', 'appliances', 'fragile', 'two-person-lift', 'old-unit-removal', 'vip', 'assembly'];
const subProjects = ['furniture', 'installations', 'same-day'];
const defaultLanguages = ['en', 'en', 'en', 'en', 'zh', 'vi', 'it'];

const newJobStatuses = ['PENDING', 'READY'] as const;

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
export function createStop(context: SampleContext, team: Team, id: string): SampleJob {
  const { faker, inSubproject, languages = defaultLanguages } = context;
  const number = Number(id.slice('JOB-'.length));
  const { customer, commsChannels } = createCustomer(faker, number);
  const chance = (probability: number) => faker.datatype.boolean(probability);
  return {
    id,
    ...(!inSubproject && chance(0.3) && { subProjectId: faker.helpers.arrayElement(subProjects) }),
    status: 'PENDING',
    secondaryReference: `INV-${800_000 + number}`,
    branchId: faker.helpers.arrayElement(team.city.stores),
    deliveryType: faker.helpers.arrayElement(['standard', 'two-person', 'express']),
    address: createAddress(faker, team.city),
    customer,
    commsChannels,
    langCode: faker.helpers.arrayElement(languages),
    jobItems: createLines(faker, largeArticles).map((line, index) => ({ jobItemId: `${id}-${index + 1}`, ...line })),
    tags: faker.helpers.arrayElements(tags, { min: 1, max: 2 }),
    ...(chance(0.4) && { customerInstructions: faker.helpers.arrayElements(instructions, { min: 1, max: 2 }) }),
    ...(chance(0.2) && { nominees: [createNominee(faker, customer)] }),
    ...(chance(0.15) && { isPriority: true }),
    ...(chance(0.05) && { commsOptOut: true }),
    ...(chance(0.2) && { fulfiller: faker.helpers.arrayElement(team.city.stores) }),
    ...(chance(0.2) && { attributes: { floor: faker.number.int({ min: 0, max: 12 }), hasLift: chance(0.5) } }),
    ...(chance(0.1) && { media: [createManual(id)] }),
  };
}

/** Creates a job for a list in a subproject. It has no `trackingId`; the other kinds of jobs add one. */
export function createUntrackedJob(context: SampleContext, index: number): SampleJob {
  const { faker, nowMs, teams } = context;
  const team = faker.helpers.arrayElement(teams);
  const { id, ...stop } = createStop(context, team, toJobId(context, index));
  const opensAt = faker.number.int({ min: 7 * 4, max: 16 * 4 }) * 15;
  const deliveryMs = atLocalTime(nowMs, team.city, faker.number.int({ min: 1, max: 5 }), opensAt);
  const eta = createEta(team.city, deliveryMs + 30 * minuteMs, faker.number.int({ min: 10, max: 110 }));
  const driver = faker.datatype.boolean(0.5) && { driver: toDriver(faker.helpers.arrayElement(team.drivers)) };
  const scheduleStatus = faker.helpers.arrayElement(['SCHEDULED', 'CONFIRMED', 'CUSTOMER_PENDING'] as const);
  return { id, ...stop, deliveryDate: toLocalTime(deliveryMs, team.city), ...eta, scheduleStatus, ...driver };
}

/** Creates a job for a list to import or create. */
export function createJob(context: SampleContext, index: number): Schemas['JobCreate'] {
  return { ...createUntrackedJob(context, index), trackingId: createTrackingId(context.faker) };
}

/** Creates a single job, with the status `PENDING` or `READY`. */
export function createSingleJob(context: SampleContext): Schemas['SingleJobCreate'] {
  const status = context.faker.helpers.arrayElement(newJobStatuses);
  return { ...createUntrackedJob(context, 0), status, trackingId: createTrackingId(context.faker) };
}

/** Creates the id with which a customer tracks a job or an order. */
export function createTrackingId(faker: Faker): string {
  return `TRK-${faker.string.alphanumeric({ length: 8, casing: 'upper' })}`;
}

function createManual(id: string): Schemas['Media'] {
  const uri = `https://media.example/manuals/${id}.pdf`;
  const attributes = [{ key: 'language', value: 'en' }];
  return { identifier: `MED-${id}`, mimetype: 'application/pdf', uri, attributes };
}
