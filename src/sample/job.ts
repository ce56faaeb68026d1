/** New jobs, alone and in lists; knows nothing of how they go on. */
import type { Faker } from '@faker-js/faker';
import type { components } from '../contract/api.gen.ts';
import { createAddress } from './address.ts';
import { bulky, createLines } from './article.ts';
import { atLocalTime, type City, toLocalTime } from './city.ts';
import { createCustomer, createNominee } from './person.ts';
import type { Setting } from './setting.ts';
import type { Team, Worker } from './staff.ts';

type Schemas = components['schemas'];

/** A new job with all that every operation needs of one. */
export type Job = Omit<Schemas['JobCreate'], 'trackingId'> & Pick<Schemas['SingleJobCreate'], 'address'>;

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
const usualLanguages = ['en', 'en', 'en', 'en', 'zh', 'vi', 'it'];

const statesOfNew = ['PENDING', 'READY'] as const;

/** The id of a list's entry, or of a single job (`index` 0): the same in every sample of one seed. */
export function toJobId({ firstNumber }: Setting, index: number): string {
  return `JOB-${firstNumber + index}`;
}

/** The driver as a job or a route names one. */
export function toDriver({ number, firstName, lastName, phone, deviceId }: Worker): Schemas['Driver'] {
  return { employeeId: number, firstName, lastName, phone, deviceId };
}

/** An arrival planned so many minutes after `fromMs`, and the two hours from there on in which it is promised. */
export function createEta(city: City, fromMs: number, minutes: number): Pick<Job, 'plannedEta' | 'plannedEtaWindow'> {
  const etaFrom = toLocalTime(fromMs, city);
  const etaTo = toLocalTime(fromMs + windowMs, city);
  return { plannedEta: toLocalTime(fromMs + minutes * minuteMs, city), plannedEtaWindow: { etaFrom, etaTo } };
}

/** What every new job has, also on a route, which gives it its driver and its date. */
export function createStop(setting: Setting, team: Team, id: string): Job {
  const { faker, inSubproject, languages = usualLanguages } = setting;
  const number = Number(id.slice('JOB-'.length));
  const { customer, commsChannels } = createCustomer(faker, number);
  const often = (chance: number) => faker.datatype.boolean(chance);
  return {
    id,
    ...(!inSubproject && often(0.3) && { subProjectId: faker.helpers.arrayElement(subProjects) }),
    status: 'PENDING',
    secondaryReference: `INV-${800_000 + number}`,
    branchId: faker.helpers.arrayElement(team.city.stores),
    deliveryType: faker.helpers.arrayElement(['standard', 'two-person', 'express']),
    address: createAddress(faker, team.city),
    customer,
    commsChannels,
    langCode: faker.helpers.arrayElement(languages),
    jobItems: createLines(faker, bulky).map((line, index) => ({ jobItemId: `${id}-${index + 1}`, ...line })),
    tags: faker.helpers.arrayElements(tags, { min: 1, max: 2 }),
    ...(often(0.4) && { customerInstructions: faker.helpers.arrayElements(instructions, { min: 1, max: 2 }) }),
    ...(often(0.2) && { nominees: [createNominee(faker, customer)] }),
    ...(often(0.15) && { isPriority: true }),
    ...(often(0.05) && { commsOptOut: true }),
    ...(often(0.2) && { fulfiller: faker.helpers.arrayElement(team.city.stores) }),
    ...(often(0.2) && { attributes: { floor: faker.number.int({ min: 0, max: 12 }), hasLift: often(0.5) } }),
    ...(often(0.1) && { media: [createManual(id)] }),
  };
}

/** A job of a list to create in a subproject, which has no `trackingId`; the others get one besides. */
export function createUntrackedJob(setting: Setting, index: number): Job {
  const { faker, nowMs, teams } = setting;
  const team = faker.helpers.arrayElement(teams);
  const { id, ...stop } = createStop(setting, team, toJobId(setting, index));
  const opensAt = faker.number.int({ min: 7 * 4, max: 16 * 4 }) * 15;
  const deliveryMs = atLocalTime(nowMs, team.city, faker.number.int({ min: 1, max: 5 }), opensAt);
  const eta = createEta(team.city, deliveryMs + 30 * minuteMs, faker.number.int({ min: 10, max: 110 }));
  const driver = faker.datatype.boolean(0.5) && { driver: toDriver(faker.helpers.arrayElement(team.drivers)) };
  const scheduleStatus = faker.helpers.arrayElement(['SCHEDULED', 'CONFIRMED', 'CUSTOMER_PENDING'] as const);
  return { id, ...stop, deliveryDate: toLocalTime(deliveryMs, team.city), ...eta, scheduleStatus, ...driver };
}

/** A job of a list to import or create. */
export function createJob(setting: Setting, index: number): Schemas['JobCreate'] {
  return { ...createUntrackedJob(setting, index), trackingId: createTrackingId(setting.faker) };
}

/** A job to create alone, which may be ready at once. */
export function createSingleJob(setting: Setting): Schemas['SingleJobCreate'] {
  const status = setting.faker.helpers.arrayElement(statesOfNew);
  return { ...createUntrackedJob(setting, 0), status, trackingId: createTrackingId(setting.faker) };
}

/** What a customer follows a job or an order by. */
export function createTrackingId(faker: Faker): string {
  return `TRK-${faker.string.alphanumeric({ length: 8, casing: 'upper' })}`;
}

function createManual(id: string): Schemas['Media'] {
  const uri = `https://media.example/manuals/${id}.pdf`;
  const attributes = [{ key: 'language', value: 'en' }];
  return { identifier: `MED-${id}`, mimetype: 'application/pdf', uri, attributes };
}
