/** Creates valid, realistic request bodies for every operation. The same seed gives the same body. */
import type { Json } from '../lib/json.ts';
import type { operations as Documented } from '../openapi/api.gen.ts';
import { type OperationId, operations } from '../operations/index.ts';
import { createJob, createSingleJob, createUntrackedJob } from './bodies/job.ts';
import { createJobChanges, createJobUpdate } from './bodies/job-update.ts';
import { createLocations } from './bodies/location.ts';
import { createOrder, createOrderChanges } from './bodies/order.ts';
import { createRoutes } from './bodies/route.ts';
import { createUser, createUserChanges } from './bodies/user.ts';
import { defaultLocale, loadFaker, localeProblem } from './places/place.ts';
import { createContext, eachOf, type SampleContext, type SamplePlace } from './sample-context.ts';

type Body<Id extends OperationId> = Documented[Id]['requestBody']['content']['application/json'];

/** The entries of a body with a list. */
type Entries<Body> = Iterable<Body[keyof Body] extends readonly (infer Entry)[] ? Entry : never>;

/** Creates the body of one operation: the entries of its list, or its single record. */
type Maker<Body> = (context: SampleContext, count: number) => Entries<Required<Body>> | Body;

/** Creates a list of entries that depend only on their index. */
function each<Entry>(create: (context: SampleContext, index: number) => Entry) {
  return (context: SampleContext, count: number) => eachOf(count, (index) => create(context, index));
}

const jobs = each(createJob);
const jobUpdates = each(createJobUpdate);
const jobChanges = (context: SampleContext) => createJobChanges(context, 0);
const jobUpdate = (context: SampleContext) => createJobUpdate(context, 0);
const orders = each(createOrder);

const makers: { readonly [Id in OperationId]: Maker<Body<Id>> } = {
  registerUser: createUser,
  updateUser: createUserChanges,
  asyncImportJobs: jobs,
  asyncUpdateJobs: jobUpdates,
  asyncUpdateJob: jobChanges,
  asyncImportRoutes: createRoutes,
  asyncImportJobsInSubproject: jobs,
  asyncUpdateJobsInSubproject: jobUpdates,
  asyncUpdateJobInSubproject: jobChanges,
  asyncImportRoutesInSubproject: createRoutes,
  syncCreateJobs: jobs,
  syncUpdateJobs: jobUpdates,
  syncCreateRoutes: createRoutes,
  syncCreateJob: createSingleJob,
  syncUpdateJob: jobUpdate,
  syncCreateJobsInSubproject: each(createUntrackedJob),
  syncCreateRoutesInSubproject: createRoutes,
  syncCreateJobInSubproject: createSingleJob,
  syncUpdateJobInSubproject: jobUpdate,
  asyncImportOrders: orders,
  asyncUpdateOrder: createOrderChanges,
  asyncImportOrdersInSubproject: orders,
  asyncUpdateOrderInSubproject: createOrderChanges,
  syncImportOrders: orders,
  syncUpdateOrder: createOrderChanges,
  syncImportOrdersInSubproject: orders,
  syncUpdateOrderInSubproject: createOrderChanges,
  submitLocation: (context) => createLocations(context, 1).next().value ?? {},
  submitLocations: createLocations,
};

/** Types of users. */
export const userTypes = ['driver', 'attendant'] as const;

export type UserType = (typeof userTypes)[number];

/** Maximum number of entries that the API accepts in one request. */
const maxEntries = 10_000;

/** Options of a sample. */
export interface SampleOptions extends SamplePlace {
  /** Number of list entries, 1 to 10,000; for routes, the total of their jobs; 1 if the body is a single record. */
  readonly count: number;
  readonly seed: string;
  /** Current time of the sample, ISO 8601 with offset. Default: a fixed time, never the real one. */
  readonly now?: string;
  /** Type of the user of `registerUser`. Default: depends on the seed. */
  readonly userType?: UserType | undefined;
}

/** Returns an error message if an operation can't have a body of `count` entries, otherwise undefined. */
export function countProblem(operationId: OperationId, count: number): string | undefined {
  if (!Number.isInteger(count) || count < 1 || count > maxEntries) {
    return `count must be a whole number from 1 to ${maxEntries}, got ${count}`;
  }
  if (count === 1 || operations[operationId].list !== undefined) return undefined;
  return `the body of ${operationId} is a single record, so count must be 1, got ${count}`;
}

/** A body with a list, whose entries are created when they are read; or a body that is a single record. */
export type Sample =
  | { readonly list: string; readonly entries: Iterable<unknown> }
  | { readonly list: undefined; readonly record: Json };

/**
 * Creates a request body that the contract accepts without a warning. The same operation, count, seed, `now` and place
 * give the same bytes. With the same seed, an update names the records of an import, and all operations have the same
 * staff.
 * @throws Error if `count`, `now` or `locale` is not valid; see `countProblem` and `localeProblem`
 */
export async function createSample(operationId: OperationId, options: SampleOptions): Promise<Sample> {
  const { count, locale = defaultLocale, userType } = options;
  const problem = countProblem(operationId, count) ?? localeProblem(locale);
  if (problem !== undefined) throw new Error(problem);
  const seeded = createContext(await loadFaker(locale), operationId, options);
  const context = userType === undefined ? seeded : { ...seeded, userDrives: userType === 'driver' };
  const made = makers[operationId](context, count);
  const { list } = operations[operationId];
  return list !== undefined && Symbol.iterator in made
    ? { list, entries: made }
    : { list: undefined, record: { ...made } };
}

/** Creates a sample as one value. */
export async function sampleBody(operationId: OperationId, options: SampleOptions): Promise<Json> {
  const sample = await createSample(operationId, options);
  return sample.list === undefined ? sample.record : { [sample.list]: [...sample.entries] };
}
