/** A valid, realistic body for every operation, always the same for the same seed; knows of no server and no clock. */
import type { Json } from '../base/json.ts';
import type { operations as Documented } from '../contract/api.gen.ts';
import type { OperationId } from '../operations/index.ts';
import { createJob, createSingleJob, createUntrackedJob } from './job.ts';
import { createJobChanges, createJobUpdate } from './job-update.ts';
import { createLocation, createLocations } from './location.ts';
import { createOrder, createOrderChanges } from './order.ts';
import { createRoutes } from './route.ts';
import { createList, createSetting, type Setting } from './setting.ts';
import { createUser, createUserChanges } from './user.ts';

type Body<Id extends OperationId> = Documented[Id]['requestBody']['content']['application/json'];

/** How the body of one operation is made: of `count` entries, or of its one record. */
type Maker<Body> =
  | { readonly list: true; readonly make: (setting: Setting, count: number) => Body }
  | { readonly list: false; readonly make: (setting: Setting) => Body };

function list<Body>(make: (setting: Setting, count: number) => Body): Maker<Body> {
  return { list: true, make };
}

function single<Body>(make: (setting: Setting) => Body): Maker<Body> {
  return { list: false, make };
}

const jobs = list((setting, count) => ({ jobs: createList(count, (index) => createJob(setting, index)) }));
const untracked = list((setting, count) => ({
  jobs: createList(count, (index) => createUntrackedJob(setting, index)),
}));
const jobUpdates = list((setting, count) => ({ jobs: createList(count, (index) => createJobUpdate(setting, index)) }));
const jobChanges = single((setting) => createJobChanges(setting, 0));
const jobUpdate = single((setting) => createJobUpdate(setting, 0));
const singleJob = single(createSingleJob);
const routes = list(createRoutes);
const orders = list((setting, count) => ({ orders: createList(count, (index) => createOrder(setting, index)) }));
const orderChanges = single(createOrderChanges);

const makers: { readonly [Id in OperationId]: Maker<Body<Id>> } = {
  registerUser: single(createUser),
  updateUser: single(createUserChanges),
  asyncImportJobs: jobs,
  asyncUpdateJobs: jobUpdates,
  asyncUpdateJob: jobChanges,
  asyncImportRoutes: routes,
  asyncImportJobsInSubproject: jobs,
  asyncUpdateJobsInSubproject: jobUpdates,
  asyncUpdateJobInSubproject: jobChanges,
  asyncImportRoutesInSubproject: routes,
  syncCreateJobs: jobs,
  syncUpdateJobs: jobUpdates,
  syncCreateRoutes: routes,
  syncCreateJob: singleJob,
  syncUpdateJob: jobUpdate,
  syncCreateJobsInSubproject: untracked,
  syncCreateRoutesInSubproject: routes,
  syncCreateJobInSubproject: singleJob,
  syncUpdateJobInSubproject: jobUpdate,
  asyncImportOrders: orders,
  asyncUpdateOrder: orderChanges,
  asyncImportOrdersInSubproject: orders,
  asyncUpdateOrderInSubproject: orderChanges,
  syncImportOrders: orders,
  syncUpdateOrder: orderChanges,
  syncImportOrdersInSubproject: orders,
  syncUpdateOrderInSubproject: orderChanges,
  submitLocation: single(createLocation),
  submitLocations: list(createLocations),
};

/** The most entries that the API takes at once. */
const mostEntries = 10_000;

/** How a sample is made. */
export interface SampleOptions {
  /** Entries of the list, 1 to 10,000 (on routes: their jobs together); 1 where the body is a single record. */
  readonly count: number;
  readonly seed: string;
  /** The time that it is in the sample, ISO 8601 with offset; a fixed one where left out, never the real one. */
  readonly now?: string;
}

/** Why an operation has no body of `count` entries; undefined where it has. */
export function countProblem(operationId: OperationId, count: number): string | undefined {
  if (!Number.isInteger(count) || count < 1 || count > mostEntries) {
    return `count must be a whole number from 1 to ${mostEntries}, got ${count}`;
  }
  if (count === 1 || makers[operationId].list) return undefined;
  return `the body of ${operationId} is a single record, so count must be 1, got ${count}`;
}

/**
 * A request body that the contract accepts without a warning. Same operation, count, seed and `now`: same bytes.
 * Of one seed an update names the records that an import makes, and all operations have the same staff.
 * @throws Error where `count` or `now` can't be (`countProblem` tells of the first beforehand).
 */
export async function sampleBody(operationId: OperationId, options: SampleOptions): Promise<Json> {
  const { count, seed, now } = options;
  const problem = countProblem(operationId, count);
  if (problem !== undefined) throw new Error(problem);
  // One locale, loaded at first use: it takes as long as the rest of the program. Nothing may wait between seeding
  // faker and the last use of it, because the locale has one instance only.
  const { faker } = await import('@faker-js/faker/locale/en_AU');
  return { ...makers[operationId].make(createSetting(faker, operationId, seed, now), count) };
}
